"""Every test and every example of a docstring starts in an empty folder, without a ledger from outside."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUDARE_LEDGER", raising=False)

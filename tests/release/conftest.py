"""One saved release that tests copy and damage."""

from pathlib import Path

import pytest
from tests.release.studies import opened, released


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    ledger = opened(folder)
    path = released(ledger).save(folder / "release")
    ledger.close()
    return path

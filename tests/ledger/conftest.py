from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sudare.guarantees import LocalDP
from sudare.ledger import Ledger, Receipt

Charged = Callable[..., Receipt]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.ledger"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    ledger = Ledger.open(path, ceilings={"patients": ("3", "1e-6")})
    yield ledger
    ledger.close()


@pytest.fixture
def charged() -> Charged:
    def charged(ledger: Ledger, epsilon: str = "1", subjects: str = "patients", **more: str) -> Receipt:
        with ledger.charge(LocalDP(epsilon), subjects=subjects, purpose="a survey", **more) as receipt:
            return receipt

    return charged

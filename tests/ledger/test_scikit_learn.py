import numpy as np
import pytest

from sudare.errors import CeilingReached
from sudare.guarantees import Budget
from sudare.ledger import Ledger
from sudare.mechanisms import RandomizedResponse

base = pytest.importorskip("sklearn.base", reason="scikit-learn is not installed")

YES_OR_NO = RandomizedResponse(categories=2, epsilon="1")
ANSWERS = np.zeros(100, dtype=np.int64)


class Fitted(base.BaseEstimator):  # type: ignore[misc]
    """An estimator that spends ε = 1 at each fit: the trap that empties other accountants."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = ledger

    def fit(self, features: np.ndarray, labels: np.ndarray) -> "Fitted":
        assert self.ledger is not None
        with self.ledger.charge(YES_OR_NO.guarantee, "patients", "a fit") as receipt:
            YES_OR_NO.randomize(labels, receipt.source("label"))
        return self

    def score(self, features: np.ndarray, labels: np.ndarray) -> float:
        return 0.0


def test_cross_validation_spends_every_fold(ledger: Ledger) -> None:
    from sklearn.model_selection import cross_val_score

    with pytest.raises(CeilingReached):
        cross_val_score(Fitted(ledger), np.zeros((100, 1)), ANSWERS, cv=10, error_score="raise")
    assert ledger.spent("patients") == Budget.of("3")
    assert len(ledger.charges) == 3


def test_a_clone_of_an_estimator_keeps_the_handle(ledger: Ledger) -> None:
    assert base.clone(Fitted(ledger)).ledger is ledger

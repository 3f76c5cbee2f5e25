"""Small studies for the tests: a ledger, a charge, and what came out."""

from pathlib import Path
from typing import Any

import numpy as np

from sudare.guarantees import compose
from sudare.ledger import Ledger, Receipt
from sudare.mechanisms import RandomizedResponse, TwoPoint
from sudare.release import Release
from sudare.schema import Categorical, Numeric, Schema

SCHEMA = Schema([Numeric("age", 0, 120), Categorical("smoker", ["yes", "no", "former"])])
SMOKER, AGE = RandomizedResponse(3, "1"), TwoPoint("1/3")
ROWS = 200


def drawn(ledger: Ledger, **charge: Any) -> tuple[dict[str, Any], Receipt]:
    """Draw both columns under one charge."""
    promise = compose([SMOKER.guarantee, AGE.guarantee])
    asked = {"subjects": "patients", "purpose": "age and smoking", **charge}
    with ledger.charge(promise, **asked) as receipt:
        smokers = SMOKER.randomize(np.arange(ROWS) % 3, receipt.source("smoker"))
        ages = AGE.randomize(np.linspace(-1, 0.5, ROWS), receipt.source("age"))
    return {"smoker": smokers, "age": ages}, receipt


def released(ledger: Ledger, **charge: Any) -> Release:
    """Return a release of estimates and reports."""
    reports, receipt = drawn(ledger, **charge)
    value = {
        "smoker": SMOKER.frequencies(reports["smoker"]),
        "age": SCHEMA["age"].from_unit(AGE.mean(reports["age"])),  # type: ignore[union-attr]
        "reports": {"smoker": reports["smoker"]},
    }
    return Release(value, receipt, {"schema": SCHEMA, "rows": ROWS, "method": "local reports"})


def opened(folder: Path) -> Ledger:
    """Open the ledger of a study."""
    return Ledger.open(folder / "study.ledger", ceilings={"patients": ("10", 0)})

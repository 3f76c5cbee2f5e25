"""The first thing that a user does, from a file to an estimate in years."""

from pathlib import Path

import pandas as pd

from sudare.estimate import Estimate
from sudare.schema import Categorical, Numeric, Schema


def test_the_first_use_runs_as_written() -> None:
    Path("patients.csv").write_text("age,glucose,smoker,diabetes\n63,110.5,former,no\n41,95,no,no\n77,180.25,yes,yes\n")
    table = pd.read_csv("patients.csv")
    schema = Schema([Numeric("age", 0, 120), Categorical("smoker", ["yes", "no", "former"])])
    columns = schema.read(table)
    assert columns.unread == ("glucose", "diabetes")
    units = schema["age"].to_unit(columns["age"])  # type: ignore[union-attr]
    mean = Estimate(value=units.mean(), low=units.mean() - 0.1, high=units.mean() + 0.1, confidence=0.95)
    years = schema["age"].from_unit(mean)  # type: ignore[union-attr]
    assert abs(years.value - table["age"].mean()) < 1e-9
    assert abs(years.high - years.low - 12) < 1e-9

"""The tour's people are the same everywhere, plausible, and fit the schema that the tour declares."""

import hashlib
from pathlib import Path

import numpy as np

from sudare.cli.patients import COLUMNS, ROWS, as_csv, patients
from sudare.schema import Categorical, Numeric, Schema

TABLE = patients()
FINGERPRINT = "89b5677480c815fef1a20920da59ae8d8c2e2e183a323ce367c2a59fd9cf739d"


def test_the_table_is_the_same_on_every_machine() -> None:
    assert hashlib.sha256(as_csv(TABLE).encode()).hexdigest() == FINGERPRINT


def test_more_rows_leave_the_first_ones_as_they_were() -> None:
    few = patients(10)
    assert all((few[name] == TABLE[name][:10]).all() for name in COLUMNS)


def test_every_value_fits_the_declared_bounds(tmp_path: Path) -> None:
    yes_no = ["yes", "no"]
    schema = Schema(
        [Numeric("age", 0, 120), Numeric("glucose", 0, 400), Categorical("smoker", [*yes_no, "former"])],
        label=Categorical("diabetes", yes_no),
    )
    path = tmp_path / "patients.csv"
    path.write_text(as_csv(TABLE))
    columns = schema.read(path)
    assert (columns["age"] == TABLE["age"]).all()
    assert len(columns["diabetes"]) == ROWS


def test_diabetes_goes_with_age_and_with_glucose() -> None:
    ill = TABLE["diabetes"] == "yes"
    assert 0.05 < ill.mean() < 0.15
    assert TABLE["age"][ill].mean() > TABLE["age"][~ill].mean() + 3
    assert np.corrcoef(TABLE["glucose"], ill)[0, 1] > 0.5

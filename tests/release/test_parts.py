"""Raw data do not become a release: what the mechanism cannot have made is refused, and what nothing ties is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sudare.errors import InvalidParameter, SudareWarning
from sudare.ledger import Ledger, Receipt
from sudare.mechanisms import Laplace, Mechanism, OptimizedUnaryEncoding, Piecewise, RandomizedResponse
from sudare.release import Release, verify
from sudare.release.parts import fault_of
from sudare.release.record import Draw
from sudare.texts import LANGUAGES, say

AGE = Piecewise("1")
AGES = np.arange(200) % 90 + 10
ROWS = len(AGES)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(tmp_path / "study.ledger", {"patients": ("10", 0)})


def drawn(ledger: Ledger, column: str = "age", mechanism: Mechanism = AGE, values: Any = None) -> tuple[Any, Receipt]:
    """Draw one column under a charge of its own."""
    with ledger.charge(mechanism.guarantee, subjects="patients", purpose="a survey") as receipt:
        reports = mechanism.randomize(AGES / 120 if values is None else values, receipt.source(column))
    return reports, receipt


RAW: dict[str, Callable[[Any], Any]] = {
    "an array without a name": lambda _: AGES,
    "floats without a name": lambda _: AGES / 120,
    "an array under the name": lambda _: {"age": AGES},
    "a list under the name": lambda _: {"age": AGES.tolist()},
    "a few under the name": lambda _: {"first": {"age": AGES[:3]}},
    "texts under the name": lambda _: {"age": AGES.astype(str)},
    "one value among the reports": lambda reports: np.concatenate([reports[1:], [0.4567]]),
    "reports in another unit": lambda reports: {"age": reports * 60 + 60},
    "too many reports": lambda reports: {"age": np.concatenate([reports, reports])},
    "a frame": lambda _: pd.DataFrame({"age": AGES, "name": "x"}),
    "a frame of polars": lambda _: pl.DataFrame({"age": AGES / 120}),
    "a frame with gaps": lambda reports: pd.DataFrame({"age": np.where(reports > 0, np.nan, reports)}),
    "a table": lambda _: pa.table({"age": AGES / 120}),
    "reports beside a raw column": lambda reports: pd.DataFrame(
        {"age": reports, "name": [f"p{i}" for i in range(ROWS)]}
    ),
}


@pytest.mark.parametrize("raw", RAW)
def test_raw_values_under_the_name_of_a_drawn_column_are_refused(ledger: Ledger, raw: str) -> None:
    reports, receipt = drawn(ledger)
    with pytest.raises(InvalidParameter, match="no reports") as refused:
        Release(RAW[raw](np.asarray(reports)), receipt)
    assert "age" in refused.value.where or "name" in refused.value.where
    assert "randomize returned" in refused.value.remedy
    assert "p7" not in str(refused.value)


def test_reports_under_an_index_of_names_are_refused(ledger: Ledger) -> None:
    reports, receipt = drawn(ledger)
    with pytest.raises(InvalidParameter, match="an index") as refused:
        Release(pd.DataFrame({"age": reports}, index=[f"p{i}" for i in range(ROWS)]), receipt)
    assert "p7" not in str(refused.value)


def test_raw_columns_beside_reports_are_named(ledger: Ledger) -> None:
    reports, receipt = drawn(ledger)
    with pytest.raises(InvalidParameter) as refused:
        Release(pd.DataFrame({"age": reports, "name": "x", "street": "y"}), receipt)
    assert refused.value.where == "value, column 'name', 'street'"


def test_raw_values_under_a_receipt_that_was_read_back_are_refused_at_save(ledger: Ledger, tmp_path: Path) -> None:
    _, receipt = drawn(ledger)
    release = Release({"age": AGES}, Receipt.from_dict(receipt.to_dict()))
    with pytest.raises(InvalidParameter, match="no reports"):
        release.save(tmp_path / "release", ledger=ledger)
    assert not (tmp_path / "release").exists()


def test_raw_bits_are_no_reports_of_an_encoding_of_bits(ledger: Ledger) -> None:
    _, receipt = drawn(ledger, "city", OptimizedUnaryEncoding(5, "1"), AGES % 5)
    with pytest.raises(InvalidParameter, match="shape"):
        Release({"city": AGES % 2}, receipt)


REPORTS: dict[str, Callable[[Any], Any]] = {
    "alone": lambda reports: reports,
    "by name": lambda reports: {"age": reports},
    "in a frame": lambda reports: pd.DataFrame({"age": np.asarray(reports)}),
    "in a frame of polars": lambda reports: pl.DataFrame({"age": np.asarray(reports)}),
    "in a table": lambda reports: pa.table({"age": np.asarray(reports)}),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("held", REPORTS)
def test_reports_are_released_without_a_warning_and_checked(
    ledger: Ledger, tmp_path: Path, held: str, kind: type
) -> None:
    reports, receipt = drawn(ledger, values=(AGES / 120).astype(kind))
    path = Release(REPORTS[held](reports), receipt, {"rows": ROWS}).save(tmp_path / "release")
    found = verify(path)
    assert found.ok
    assert [finding.what for finding in found.checked if "can make" in finding.what] == [
        "200 reports, each one that Piecewise can make"
    ]
    assert say("check.outside.reports") in [finding.what for finding in found.unchecked]
    assert json.loads((path / "release.json").read_text())["notices"] == []


def test_reports_drawn_in_the_block_are_released_in_the_block(ledger: Ledger) -> None:
    smoker = RandomizedResponse(3, "1")
    with ledger.charge(smoker.guarantee, subjects="patients", purpose="smoking") as receipt:
        release = Release(smoker.randomize(AGES % 3, receipt.source("smoker")), receipt, {"schema": None})
    assert release.private


LOOSE: dict[str, Callable[[Any], Any]] = {
    "a mean": lambda _: float(AGES.mean()),
    "a named mean": lambda _: {"mean": AGES.mean()},
    "a list": lambda _: {"t": AGES.tolist()},
    "an array": lambda _: {"t": AGES},
    "a raw table without the column": lambda _: pd.DataFrame({"weight": AGES}),
    "an estimate and a number": lambda reports: {"age": AGE.mean(reports), "n": 3},
    "some of the reports": lambda reports: {"age": reports[:-1]},
}


@pytest.mark.parametrize("loose", LOOSE)
def test_what_nothing_ties_to_the_promise_is_warned_of_and_marked(ledger: Ledger, tmp_path: Path, loose: str) -> None:
    reports, receipt = drawn(ledger)
    with pytest.warns(SudareWarning, match="may be raw data") as warned:
        path = Release(LOOSE[loose](reports), receipt).save(tmp_path / "release")
    assert len(warned) == 1
    found = verify(path)
    assert found.ok
    assert say("card.notice.loose") in [finding.what for finding in found.unchecked]
    assert all(say("card.notice.loose", language) in (path / "card.html").read_text() for language in LANGUAGES)
    assert [str(finding) for finding in found.checked if finding.where.startswith("value")] == []


def test_that_an_estimate_is_made_of_the_reports_is_not_checked_and_said(ledger: Ledger, tmp_path: Path) -> None:
    _, receipt = drawn(ledger)
    elsewhere = AGE.mean(AGE.randomize(AGES / 120))
    path = Release(elsewhere, receipt).save(tmp_path / "release")
    assert say("check.outside.value") in [finding.what for finding in verify(path).unchecked]
    assert say("check.outside.value", "ja") in (path / "card.html").read_text()


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_a_type_in_which_outputs_meet_each_other_is_none_of_the_mechanisms(dtype: Any) -> None:
    draw = Draw(column="income", mechanism=Laplace("0.000001").identity(), parts=(0,), rows=3)
    assert fault_of(np.array([1.0, 2.0, np.inf]).astype(dtype), draw) is not None


def test_codes_that_would_wrap_are_compared_as_they_are() -> None:
    draw = Draw(column="town", mechanism=RandomizedResponse(300, "1").identity(), parts=(0,), rows=50)
    assert fault_of(np.arange(-50, 0).astype(np.int8), draw) is not None
    assert fault_of(np.arange(200, 250).astype(np.uint8), draw) is None

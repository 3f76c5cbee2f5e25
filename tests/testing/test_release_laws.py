"""The laws of a release: ours keep them for every kind of value, and a planted defect is found by name."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sudare.errors import LawBroken
from sudare.ledger import Ledger
from sudare.mechanisms import TwoPoint
from sudare.release import Release
from sudare.testing import check_release
from sudare.testing import release_laws as laws

COIN = TwoPoint("1")
VALUES = {
    "estimate": lambda reports: COIN.mean(reports),
    "estimates": lambda reports: {"age": COIN.mean(reports), "again": COIN.mean(reports, confidence=0.5)},
    "reports": lambda reports: {"age": np.asarray(reports)},
    "number": lambda reports: 0.25,
    "pandas": lambda reports: pd.DataFrame({"age": np.asarray(reports)}),
    "polars": lambda reports: pl.DataFrame({"age": np.asarray(reports)}),
    "arrow": lambda reports: pa.table({"age": np.asarray(reports)}),
}


@pytest.fixture(params=["ledger", "simulation"])
def ledger(request, tmp_path):
    return (
        Ledger.simulation() if request.param == "simulation" else Ledger.open(tmp_path / "study.ledger", {"us": (1, 0)})
    )


def released(ledger, value="estimate", kind="value"):
    with ledger.charge(COIN.guarantee, subjects="us", purpose="a test") as receipt:
        reports = COIN.randomize(np.linspace(-1, 1, 50), receipt.source("age"))
    return Release(VALUES[value](reports), receipt, {"rows": 50}, kind)


@pytest.mark.filterwarnings("ignore:nothing ties:sudare.errors.SudareWarning")
@pytest.mark.parametrize("value", VALUES)
def test_every_kind_of_value_keeps_them(ledger, value):
    check_release(released(ledger, value, kind="reports" if value == "reports" else "value"))


def test_a_release_that_is_written_over_is_found(ledger, tmp_path):
    class Careless(Release):
        def save(self, folder, **more):
            (folder / "card.html").write_text("over")

    release = released(ledger)
    saved = release.save(tmp_path / "saved")
    with pytest.raises(LawBroken, match="never written over"):
        laws.it_is_never_written_over(Careless(0.5, release.receipt), saved)


def test_a_release_that_comes_back_changed_is_found(ledger, tmp_path):
    release = released(ledger)
    saved = release.save(tmp_path / "saved")
    with pytest.raises(LawBroken, match="comes back as it was"):
        laws.it_comes_back_as_it_was(Release(0.5, release.receipt, {"rows": 51}), saved)


def test_a_verification_that_sees_nothing_is_found(ledger, tmp_path, monkeypatch):
    release = released(ledger)
    saved = release.save(tmp_path / "saved")
    sound = laws.verify(saved)
    monkeypatch.setattr(laws, "verify", lambda folder: sound)
    with pytest.raises(LawBroken, match="any changed file is named"):
        laws.any_changed_file_is_named(release, saved)


def test_a_card_that_keeps_the_promise_to_itself_is_found(ledger, tmp_path):
    class Silent(Release):
        def card(self, language="en"):
            return type("Page", (), {"html": "<p>Trust us.</p>"})

    release = released(ledger)
    with pytest.raises(LawBroken, match="card says the promise"):
        laws.its_card_says_the_promise(Silent(0.5, release.receipt), tmp_path)

from pathlib import Path

import numpy as np
import pytest

from sudare.errors import InvalidParameter, KeyForgotten, NotCovered
from sudare.guarantees import LocalDP, compose
from sudare.ledger import Ledger
from sudare.mechanisms import Piecewise, RandomizedResponse, TwoPoint

YES_OR_NO = RandomizedResponse(categories=2, epsilon="1")
ANSWERS = np.zeros(1000, dtype=np.int64)


class Unsafe:
    """A mechanism that must never be given a word."""

    guarantee = LocalDP("7")

    def identity(self) -> dict[str, str]:
        return {"name": "unsafe"}


def test_reports_drawn_under_a_receipt_are_private_and_estimate_the_truth(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        reports = YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
    assert type(reports) is np.ndarray
    assert 600 < (reports == 0).sum() < 860  # expected 731, far beyond five standard errors either way


def test_a_mechanism_that_is_no_part_of_the_guarantee_is_refused_before_a_word(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        with pytest.raises(NotCovered, match="unused part"):
            receipt.source("smoker").bind(Unsafe(), ANSWERS)
        with pytest.raises(NotCovered):
            RandomizedResponse(2, "1.5").randomize(ANSWERS, receipt.source("smoker"))
        with pytest.raises(NotCovered):
            RandomizedResponse(3, "1").randomize(ANSWERS, receipt.source("smoker"))
    assert len(ledger.entries()) == 2
    assert ledger.export()["ranges"] == []


def test_each_part_of_a_guarantee_is_used_once(ledger: Ledger) -> None:
    both = compose([YES_OR_NO.guarantee] * 2)
    with ledger.charge(both, "patients", "two answers") as receipt:
        YES_OR_NO.randomize(ANSWERS, receipt.source("first"))
        YES_OR_NO.randomize(ANSWERS, receipt.source("second"))
        with pytest.raises(NotCovered):
            YES_OR_NO.randomize(ANSWERS, receipt.source("third"))
        with pytest.raises(NotCovered):
            YES_OR_NO.randomize(ANSWERS + 1, receipt.source("first"))


def test_parts_may_be_drawn_in_any_order(ledger: Ledger) -> None:
    ages, points = np.linspace(-1, 1, 50), TwoPoint("0.5")
    with ledger.charge(compose([YES_OR_NO.guarantee, points.guarantee]), "patients", "two columns") as receipt:
        points.randomize(ages, receipt.source("age"))
        YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
    assert set(ledger.charges[0].columns) == {"age", "smoker"}


def test_a_mechanism_of_several_parts_takes_all_of_them(ledger: Ledger) -> None:
    class Pair(Unsafe):
        guarantee = compose([LocalDP("0.5"), LocalDP("0.25")])

    parts = [LocalDP("0.25"), LocalDP("0.5"), LocalDP("0.5")]
    with ledger.charge(compose(parts), "patients", "a pair") as receipt:
        receipt.source("pair").bind(Pair(), ANSWERS)
        with pytest.raises(NotCovered):
            receipt.source("again").bind(Pair(), ANSWERS)
    assert ledger.charges[0].columns["pair"].parts == (1, 0)


def test_a_mechanism_of_two_equal_parts_needs_both(ledger: Ledger) -> None:
    class Twice(Unsafe):
        guarantee = compose([LocalDP("0.5")] * 2)

    with ledger.charge(LocalDP("0.5"), "patients", "only one") as receipt, pytest.raises(NotCovered):
        receipt.source("twice").bind(Twice(), ANSWERS)
    with ledger.charge(Twice.guarantee, "patients", "both") as receipt:
        receipt.source("twice").bind(Twice(), ANSWERS)
    assert ledger.charges[-1].columns["twice"].parts == (0, 1)


def test_a_column_belongs_to_one_mechanism(ledger: Ledger) -> None:
    one, other = RandomizedResponse(2, "1"), Piecewise("1")
    with ledger.charge(compose([one.guarantee, other.guarantee]), "patients", "one column") as receipt:
        one.randomize(ANSWERS, receipt.source("age"))
        with pytest.raises(NotCovered, match="another mechanism"):
            other.randomize(np.zeros(1000), receipt.source("age", 1000))


def test_the_same_rows_with_the_same_values_are_the_same_reports(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        first = YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
        second = YES_OR_NO.randomize(ANSWERS.copy(), receipt.source("smoker"))
    assert (first == second).all()


def test_the_same_rows_with_other_values_are_refused(ledger: Ledger) -> None:
    changed = ANSWERS.copy()
    changed[17] = 1
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
        with pytest.raises(NotCovered, match="drawn before"):
            YES_OR_NO.randomize(changed, receipt.source("smoker"))


@pytest.mark.parametrize(
    ("first_row", "rows"), [(100, 99), (100, 101), (99, 2), (150, 10), (199, 1), (199, 2), (0, 500)]
)
def test_another_range_over_the_same_rows_is_refused(ledger: Ledger, first_row: int, rows: int) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        YES_OR_NO.randomize(ANSWERS[:100], receipt.source("smoker", 100))
        with pytest.raises(NotCovered, match="drawn before"):
            YES_OR_NO.randomize(ANSWERS[:rows], receipt.source("smoker", first_row))
        YES_OR_NO.randomize(ANSWERS[:100], receipt.source("smoker", 0))
        YES_OR_NO.randomize(ANSWERS[:7], receipt.source("smoker", 200))


def test_no_two_charges_and_no_two_columns_share_a_word(path: Path) -> None:
    ledger = Ledger.open(path)
    seen: set[int] = set()
    for request in (None, None, "May", "June"):
        both = compose([YES_OR_NO.guarantee] * 2)
        with ledger.charge(both, "patients", "two columns", request=request) as receipt:
            for column in ("a", "b"):
                seen.update(receipt.source(column).bind(YES_OR_NO, ANSWERS).take(64, np.uint64).tolist())
    assert len(seen) == 4 * 2 * 64


def test_after_the_block_there_is_no_source_and_no_word(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        source = receipt.source("smoker")
    with pytest.raises(NotCovered, match="block has ended"):
        receipt.source("smoker")
    with pytest.raises(NotCovered, match="block has ended"):
        YES_OR_NO.randomize(ANSWERS, source)
    assert len(ledger.entries()) == 2


def test_a_key_forgotten_inside_the_block_draws_nothing_more(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
        ledger.forget(receipt.id)
        with pytest.raises(KeyForgotten):
            YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))


def test_a_key_forgotten_by_another_handle_draws_nothing_more(ledger: Ledger, path: Path) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", request="May") as receipt:
        YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
        Ledger.open(path).forget("May")
        with pytest.raises(KeyForgotten):
            YES_OR_NO.randomize(ANSWERS, receipt.source("smoker", 1000))


def test_no_rows_bind_the_column_and_nothing_else(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        assert len(YES_OR_NO.randomize(ANSWERS[:0], receipt.source("smoker"))) == 0
        YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))


@pytest.mark.parametrize(
    ("column", "first_row"), [("", 0), (None, 0), (3, 0), ("age", -1), ("age", True), ("age", 1 << 61)]
)
def test_an_address_that_is_none_is_refused(ledger: Ledger, column: object, first_row: object) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt, pytest.raises(InvalidParameter):
        receipt.source(column, first_row)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [np.array(3), np.array([object()]), np.array(["a", None], dtype=object)])
def test_values_that_have_no_bytes_of_their_own_are_refused(ledger: Ledger, values: np.ndarray) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt, pytest.raises(InvalidParameter):
        receipt.source("age").bind(YES_OR_NO, values)


def test_a_fingerprint_tells_nothing_to_who_lacks_the_key(ledger: Ledger) -> None:
    for _ in range(2):
        with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
            YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))
    tags = {drawn["fingerprint"] for drawn in ledger.export()["ranges"]}
    assert len(tags) == 2

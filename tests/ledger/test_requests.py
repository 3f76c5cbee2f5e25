import os
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import InvalidParameter, KeyForgotten, LedgerUnavailable, NotCovered
from sudare.guarantees import Budget, LocalDP
from sudare.ledger import Ledger, Receipt
from sudare.mechanisms import RandomizedResponse

YES_OR_NO = RandomizedResponse(categories=2, epsilon="1")
ANSWERS = np.arange(1000) % 2


def survey(ledger: Ledger, request: str = "May", answers: np.ndarray = ANSWERS) -> tuple[Receipt, np.ndarray]:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", request=request) as receipt:
        return receipt, YES_OR_NO.randomize(answers, receipt.source("smoker"))


def key_file(path: Path, receipt: Receipt) -> Path:
    return path.with_name(path.name + ".keys") / receipt.id


def test_the_same_request_is_the_same_receipt_and_the_same_reports(ledger: Ledger, path: Path) -> None:
    first_receipt, first = survey(ledger)
    again = Ledger.open(path)
    second_receipt, second = survey(again)
    assert first_receipt == second_receipt
    assert (first == second).all()
    assert again.spent("patients") == Budget.of("1")
    assert len(again.entries()) == 3


def test_another_request_is_another_charge_with_other_noise(ledger: Ledger) -> None:
    _, first = survey(ledger)
    _, second = survey(ledger, request="June")
    assert (first != second).any()
    assert ledger.spent("patients") == Budget.of("2")


def test_a_retry_at_the_ceiling_is_not_refused(path: Path) -> None:
    ledger = Ledger.open(path, ceilings={"patients": ("1", 0)})
    survey(ledger)
    survey(ledger)
    assert ledger.left("patients") == Budget()


def test_a_retry_with_other_values_is_refused(ledger: Ledger) -> None:
    survey(ledger)
    with pytest.raises(NotCovered, match="other values"):
        survey(ledger, answers=1 - ANSWERS)


@pytest.mark.parametrize(
    ("guarantee", "subjects", "purpose"),
    [
        (LocalDP("0.5"), "patients", "smokers"),
        (LocalDP("1"), "patients", "smokers"),
        (YES_OR_NO.guarantee, "nurses", "smokers"),
        (YES_OR_NO.guarantee, "patients", "drinkers"),
    ],
)
def test_a_request_never_stands_for_another_charge(
    ledger: Ledger, guarantee: LocalDP, subjects: str, purpose: str
) -> None:
    survey(ledger)
    with pytest.raises(NotCovered, match="another guarantee"), ledger.charge(guarantee, subjects, purpose, "May"):
        pytest.fail("the block ran")


def test_a_key_is_kept_for_its_owner_only_and_only_where_a_request_asks_for_it(ledger: Ledger, path: Path) -> None:
    receipt, _ = survey(ledger)
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers"):
        pass
    folder = path.with_name(path.name + ".keys")
    assert [file.name for file in folder.iterdir()] == [receipt.id]
    assert key_file(path, receipt).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_forgotten_run_cannot_be_drawn_again(ledger: Ledger, path: Path) -> None:
    receipt, _ = survey(ledger)
    ledger.forget("May")
    assert not key_file(path, receipt).exists()
    for handle in (ledger, Ledger.open(path)):
        with pytest.raises(KeyForgotten):
            survey(handle)
    assert ledger.spent("patients") == Budget.of("1")


def test_forgetting_twice_or_by_the_receipt_is_the_same(ledger: Ledger) -> None:
    receipt, _ = survey(ledger)
    ledger.forget(receipt.id)
    ledger.forget("May")
    assert [entry.facts["kind"] for entry in ledger.entries()].count("forget") == 1


def test_a_receipt_is_found_before_a_request_of_that_name(ledger: Ledger) -> None:
    first, _ = survey(ledger)
    second, _ = survey(ledger, request="June")
    with ledger._book.reading() as (history, _):
        history.requests[first.id] = second.id  # an earlier version let a request be named so
        found = history.find(first.id)
    assert found is not None
    assert found.receipt == first.id


def test_forgetting_finishes_what_a_crash_left_over(ledger: Ledger, path: Path) -> None:
    receipt, _ = survey(ledger)
    kept = key_file(path, receipt).read_bytes()
    ledger.forget("May")
    key_file(path, receipt).write_bytes(kept)
    key_file(path, receipt).chmod(0o600)
    with pytest.raises(KeyForgotten), ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", "May"):
        pytest.fail("the block ran")
    ledger.forget("May")
    assert not key_file(path, receipt).exists()


def test_a_run_that_nobody_knows_cannot_be_forgotten(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter):
        ledger.forget("June")


@pytest.mark.parametrize("rest", [None, b"", bytes(32), bytes(64), b"short", bytes(16) + b"k" * 48])
def test_a_key_that_is_gone_or_overwritten_ends_retry(ledger: Ledger, path: Path, rest: bytes | None) -> None:
    receipt, _ = survey(ledger)
    file = key_file(path, receipt)
    if rest is None:
        file.unlink()
    else:
        file.write_bytes(rest)
    with pytest.raises(KeyForgotten):
        survey(ledger)


def test_a_key_that_others_can_read_is_refused(ledger: Ledger, path: Path) -> None:
    receipt, _ = survey(ledger)
    key_file(path, receipt).chmod(0o644)
    with pytest.raises(LedgerUnavailable, match="others can read"):
        survey(ledger)


def test_forgetting_overwrites_the_key_before_it_is_unlinked(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey(ledger)
    seen = []
    unlink = os.unlink

    def looked_at(target: Path) -> None:
        seen.append(Path(target).read_bytes())
        unlink(target)

    monkeypatch.setattr("sudare.ledger.files.os.unlink", looked_at)
    ledger.forget("May")
    assert seen == [bytes(64)]


def test_the_run_key_is_overwritten_when_the_block_ends(ledger: Ledger) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers") as receipt:
        key = receipt._run.key  # type: ignore[union-attr]
        assert any(key.secret())
    with pytest.raises(KeyForgotten):
        key.secret()

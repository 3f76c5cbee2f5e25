"""What was charged is what counts, whatever the guarantee in the caller's hands says before, meanwhile or later."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sudare.errors import InvalidParameter, NotCovered
from sudare.guarantees import ApproximateDP, Budget, Composition, Guarantee, Hidden, LocalDP, compose
from sudare.ledger import Ledger
from sudare.mechanisms import RandomizedResponse

CHEAP, DEAR = RandomizedResponse(2, "0.1"), RandomizedResponse(2, "5")
ANSWERS = np.zeros(8, dtype=np.int64)


class Odd(Guarantee):
    """A promise of another package that says what a test lets it say."""

    kind = "odd"

    def __init__(self, text: Any = None, parts: Any = None, budget: Any = None) -> None:
        self._text, self._parts, self._budget = text, parts, budget

    @property
    def parts(self) -> Any:
        return (self,) if self._parts is None else self._parts

    @property
    def budget(self) -> Any:
        return next(self._budget) if isinstance(self._budget, Iterator) else self._budget

    def sentence(self, language: str = "en") -> str:
        return "odd"

    def to_dict(self) -> Any:
        return {"kind": self.kind} if self._text is None else self._text

    @classmethod
    def _from_dict(cls, facts: Any) -> "Odd":
        return cls(facts)


CONTRADICTIONS = {
    "parts that cost, a whole that does not": Odd(parts=(DEAR.guarantee,)),
    "a whole cheaper than its parts": Odd(parts=(DEAR.guarantee,), budget=Budget.of("0.1")),
    "a whole dearer than its parts": Odd(parts=(CHEAP.guarantee,), budget=Budget.of("5")),
    "no parts": Odd(parts=()),
    "parts that are no promises": Odd(parts=("local-dp",)),
    "a budget that changes": Odd(budget=iter([Budget.of("0.1"), Budget.of("5")])),
    "a budget that is no fraction": Odd(budget=Budget(0.1, Fraction(0))),  # type: ignore[arg-type]
    "a budget that is not a number": Odd(budget=Budget(float("nan"), Fraction(0))),  # type: ignore[arg-type]
    "a budget of another kind": Odd(budget=0.1),
    "a text that costs more": Odd(DEAR.guarantee.to_dict(), budget=Budget.of("0.1")),
    "a text of other parts": Odd(CHEAP.guarantee.to_dict(), (compose([CHEAP.guarantee]),), Budget.of("0.1")),
    "a text that lacks its amount": Odd({"kind": "local-dp"}, budget=Budget.of("0.1")),
    "a text that lacks its parts": Odd({"kind": "composition"}, budget=Budget.of("0.1")),
    "a text of parts that are none": Odd({"kind": "composition", "parts": [3]}, budget=Budget.of("0.1")),
    "a text that is none": Odd(["local-dp"]),
    "a text that no file can hold": Odd({"kind": "odd", "what": float("nan")}),
    "a text with an object": Odd({"kind": "odd", "what": object()}),
}


@pytest.mark.parametrize("guarantee", CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_a_guarantee_that_contradicts_itself_is_not_charged(ledger: Ledger, guarantee: Guarantee) -> None:
    with pytest.raises(InvalidParameter) as refused, ledger.charge(guarantee, "patients", "p"):
        pytest.fail("the block ran")
    assert refused.value.where == "guarantee"
    assert ledger.charges == ()


def test_a_promise_of_another_package_is_charged_as_it_says(ledger: Ledger) -> None:
    with ledger.charge(Odd(budget=Budget.of("0.5")), "patients", "p"):
        pass
    with ledger.charge(Odd(), "patients", "p"):
        pass
    with ledger.charge(compose([Odd(budget=Budget.of("0.25")), LocalDP("0.25")]), "patients", "p"):
        pass
    assert ledger.spent("patients") == Budget.of("1")
    assert ledger.verify().passed


def test_a_receipt_with_another_guarantee_draws_only_what_was_charged(ledger: Ledger) -> None:
    with ledger.charge(CHEAP.guarantee, "patients", "p") as receipt:
        forged = replace(receipt, guarantee=DEAR.guarantee)
        with pytest.raises(NotCovered):
            DEAR.randomize(ANSWERS, forged.source("smoker"))
        CHEAP.randomize(ANSWERS, forged.source("smoker"))


def test_a_guarantee_that_changes_after_the_charge_draws_only_what_was_charged(ledger: Ledger) -> None:
    parts: list[Guarantee] = [CHEAP.guarantee]
    for guarantee in (Composition(parts), Odd(parts=parts, budget=Budget.of("0.1"))):  # type: ignore[arg-type]
        parts[0] = CHEAP.guarantee
        with ledger.charge(guarantee, "patients", "p") as receipt:
            parts[0] = DEAR.guarantee
            with pytest.raises(NotCovered):
                DEAR.randomize(ANSWERS, receipt.source("smoker"))
            CHEAP.randomize(ANSWERS, receipt.source("smoker"))


def test_a_retry_with_a_guarantee_that_only_prints_the_same_is_refused(ledger: Ledger) -> None:
    first = Odd({"kind": "odd"}, (CHEAP.guarantee,), Budget.of("0.1"))
    with ledger.charge(first, "patients", "p", request="May"):
        pass
    second = Odd({"kind": "odd"}, (DEAR.guarantee,), Budget.of("5"))
    with pytest.raises(NotCovered, match="another guarantee"), ledger.charge(second, "patients", "p", request="May"):
        pytest.fail("the block ran")


@dataclass
class Named:
    """A mechanism of another package, which says of itself what it likes."""

    guarantee: Guarantee

    def identity(self) -> dict[str, str]:
        return DEAR.identity()


def test_a_column_drawn_by_a_mechanism_that_costs_more_than_was_paid_is_found_by_verification(ledger: Ledger) -> None:
    with ledger.charge(CHEAP.guarantee, "patients", "p") as receipt:
        receipt.source("smoker").bind(Named(CHEAP.guarantee), ANSWERS)
    assert [check.name for check in ledger.verify().checks if check.passed is False] == ["sums"]


ADD_REMOVE = ApproximateDP("0.5", "1e-9", neighbors="add-remove")
REPLACE_ONE = ApproximateDP("0.5", "1e-9", neighbors="replace-one")


def test_amounts_for_different_neighbors_are_never_added() -> None:
    for first, others in {
        ADD_REMOVE: (REPLACE_ONE, LocalDP("0.1")),
        REPLACE_ONE: (ADD_REMOVE,),
        LocalDP("0.1"): (ADD_REMOVE,),
    }.items():
        ledger = Ledger.simulation(ceilings={"patients": ("3", "1e-6")})
        ledger.split("patients", ["east", "west"])
        with ledger.charge(first, "patients/east", "p"):
            pass
        for other in others:
            for subjects in ("patients", "patients/east", "patients/west"):
                with pytest.raises(InvalidParameter, match="neighbors"), ledger.charge(other, subjects, "p"):
                    pytest.fail("the block ran")
        with ledger.charge(first, "patients", "p"):
            pass
        assert len(ledger.charges) == 2


def test_local_promises_and_those_of_replacing_add_up_and_other_people_are_others() -> None:
    ledger = Ledger.simulation()
    for promise, subjects in ((LocalDP("1"), "patients"), (REPLACE_ONE, "patients"), (ADD_REMOVE, "nurses")):
        with ledger.charge(promise, subjects, "p"):
            pass
    assert ledger.spent("patients") == Budget.of("1.5", "1e-9")
    assert [charge.neighbors for charge in ledger.charges] == ["replace-one", "replace-one", "add-remove"]


def test_a_promise_without_an_epsilon_is_about_no_neighbors(ledger: Ledger) -> None:
    with ledger.charge(Hidden("sums", "the server"), "patients", "p"):
        pass
    with ledger.charge(compose([ADD_REMOVE, Hidden("sums", "the server")]), "patients", "p"):
        pass
    assert [charge.neighbors for charge in ledger.charges] == [None, "add-remove"]


def test_one_guarantee_of_different_neighbors_is_refused(ledger: Ledger) -> None:
    with (
        pytest.raises(InvalidParameter, match="neighbors"),
        ledger.charge(Composition((LocalDP("1"), ADD_REMOVE)), "patients", "p"),
    ):
        pytest.fail("the block ran")


def test_neighbors_outlive_the_handle(path: Any, ledger: Ledger) -> None:
    with ledger.charge(ADD_REMOVE, "patients", "p"):
        pass
    with pytest.raises(InvalidParameter, match="neighbors"), Ledger.open(path).charge(LocalDP("1"), "patients", "p"):
        pytest.fail("the block ran")


def test_amounts_whose_sum_could_not_be_written_down_are_refused(ledger: Ledger) -> None:
    awkward = [Fraction(1, 10**150 + shift) for shift in (1, 3, 7)]  # no two share a factor that would help
    for epsilon in awkward[:2]:
        with ledger.charge(LocalDP(epsilon), "patients", "p"):
            pass
    with pytest.raises(InvalidParameter, match="digits"), ledger.charge(LocalDP(awkward[2]), "patients", "p"):
        pytest.fail("the block ran")
    with pytest.raises(InvalidParameter, match="digits"):
        Ledger.open(str(ledger.path), ceilings={"nurses": (Fraction(1, 10**400), 0)})
    ledger.export(), str(ledger)
    with ledger.charge(LocalDP("1"), "patients", "p"):
        pass
    assert ledger.spent("patients").epsilon == 1 + sum(awkward[:2])

"""Any order of charges, splits, retries, copies and re-openings, against a model that fits on a page."""

import copy
import pickle
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sudare.errors import CeilingReached, InvalidParameter, KeyForgotten, NotCovered
from sudare.guarantees import Budget
from sudare.ledger import Ledger, verify_file
from sudare.mechanisms import RandomizedResponse

CEILINGS = {"patients": Fraction(2), "patients/a": Fraction(1), "nurses": Fraction(1)}
SUBJECTS = ["patients", "patients/a", "patients/b", "patients/x", "patients/y", "nurses"]
SPLITS = {"sites": ("patients/a", "patients/b"), "sexes": ("patients/x", "patients/y")}
PEOPLE = [("patients", site, sex) for site in SPLITS["sites"] for sex in SPLITS["sexes"]] + [("nurses",)]
EPSILONS = ["1/7", "0.25", "0.5", "1/3"]


class LedgerMachine(RuleBasedStateMachine):
    """The model: a list of (subjects, ε), the splits that exist, what each request drew."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "study.ledger"
        self.splits: set[str] = set()
        self.paid: list[tuple[str, Fraction]] = []
        self.requests: dict[str, tuple[str, str, bytes]] = {}
        self.forgotten: set[str] = set()
        self.ledger = Ledger.open(self.path, {"patients": ("2", 0), "nurses": ("1", 0)})
        self.ceilings = {"patients", "nurses"}

    def teardown(self) -> None:
        assert verify_file(self.path).passed
        self.ledger.close()
        self.folder.cleanup()

    def known(self, subjects: str) -> bool:
        return "/" not in subjects or any(subjects in SPLITS[split] for split in self.splits)

    def worst(self, subjects: str, paid: list[tuple[str, Fraction]]) -> Fraction:
        people = [person for person in PEOPLE if subjects in person]
        return max(sum((epsilon for name, epsilon in paid if name in person), Fraction(0)) for person in people)

    def fits(self, subjects: str, epsilon: str) -> bool:
        paid = [*self.paid, (subjects, Fraction(epsilon))]
        return all(self.worst(name, paid) <= CEILINGS[name] for name in self.ceilings)

    def draw(self, subjects: str, epsilon: str, request: str | None) -> bytes:
        mechanism = RandomizedResponse(2, epsilon)
        with self.ledger.charge(mechanism.guarantee, subjects, "p", request) as receipt:
            return mechanism.randomize(np.zeros(64, dtype=np.int64), receipt.source("answer")).tobytes()

    @rule(subjects=st.sampled_from(SUBJECTS), epsilon=st.sampled_from(EPSILONS))
    def charge(self, subjects: str, epsilon: str) -> None:
        try:
            self.draw(subjects, epsilon, None)
        except InvalidParameter:
            assert not self.known(subjects)
        except CeilingReached:
            assert not self.fits(subjects, epsilon)
        else:
            assert self.known(subjects)
            assert self.fits(subjects, epsilon)
            self.paid.append((subjects, Fraction(epsilon)))

    @rule(
        subjects=st.sampled_from(SUBJECTS), epsilon=st.sampled_from(EPSILONS), request=st.sampled_from(["May", "June"])
    )
    def charge_with_a_request(self, subjects: str, epsilon: str, request: str) -> None:
        known = self.requests.get(request)
        try:
            drawn = self.draw(subjects, epsilon, request)
        except NotCovered:
            assert known is not None
            assert known[:2] != (subjects, epsilon)
        except KeyForgotten:
            assert request in self.forgotten
        except InvalidParameter:
            assert not self.known(subjects)
        except CeilingReached:
            assert known is None
            assert not self.fits(subjects, epsilon)
        else:
            assert request not in self.forgotten
            if known is None:
                assert self.fits(subjects, epsilon)
                self.paid.append((subjects, Fraction(epsilon)))
                self.requests[request] = (subjects, epsilon, drawn)
            assert self.requests[request] == (subjects, epsilon, drawn)

    @rule(request=st.sampled_from(["May", "June"]))
    def retry(self, request: str) -> None:
        if request in self.requests and request not in self.forgotten:
            subjects, epsilon, drawn = self.requests[request]
            assert self.draw(subjects, epsilon, request) == drawn

    @rule(split=st.sampled_from(list(SPLITS)))
    def split(self, split: str) -> None:
        names = [part.removeprefix("patients/") for part in SPLITS[split]]
        assert self.ledger.split("patients", names) == list(SPLITS[split])
        self.splits.add(split)

    @rule()
    @precondition(lambda self: "sites" in self.splits)
    def declare_a_ceiling_for_a_part(self) -> None:
        if self.worst("patients/a", self.paid) <= CEILINGS["patients/a"]:
            self.ledger = Ledger.open(self.path, {"patients/a": ("1", 0)})
            self.ceilings.add("patients/a")

    @rule(request=st.sampled_from(["May", "June"]))
    def forget(self, request: str) -> None:
        if request in self.requests:
            self.ledger.forget(request)
            self.forgotten.add(request)

    @rule()
    def open_again(self) -> None:
        self.ledger.close()
        self.ledger = Ledger.open(self.path)

    @rule()
    def open_a_second_handle(self) -> None:
        self.ledger = Ledger.open(self.path)

    @rule()
    def copy(self) -> None:
        self.ledger = pickle.loads(pickle.dumps(copy.deepcopy(self.ledger)))

    @invariant()
    def the_ledger_agrees_with_the_model(self) -> None:
        assert len(self.ledger.charges) == len(self.paid)
        for subjects in filter(self.known, SUBJECTS):
            assert self.ledger.spent(subjects) == Budget(self.worst(subjects, self.paid))

    @invariant()
    def no_ceiling_is_passed(self) -> None:
        for subjects in self.ceilings:
            assert self.worst(subjects, self.paid) <= CEILINGS[subjects]


LedgerMachine.TestCase.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLedger = LedgerMachine.TestCase


def test_the_model_knows_every_kind_of_person() -> None:
    assert {name for person in PEOPLE for name in person} == set(SUBJECTS)

"""Promises: exact, comparable, said in both languages, and summed without forgetting."""

import math
import pickle
from fractions import Fraction

import pytest

from sudare.errors import InvalidParameter
from sudare.guarantees import ApproximateDP, Budget, Composition, Hidden, LocalDP, compose, from_dict
from sudare.guarantees.promises import certainty_after, times_as_likely
from sudare.testing import check_guarantee

SHUFFLED = "rows shuffled, order forgotten"
PROMISES = [
    LocalDP("1"),
    LocalDP("1/3", outputs=2),
    LocalDP(0),
    LocalDP(100),
    ApproximateDP("0.5", "1e-6", "add-remove"),
    ApproximateDP("0.3", "1e-10", "replace-one", (SHUFFLED,), otherwise=LocalDP(4), bound="blanket"),
    ApproximateDP("0.3", "1e-80", "replace-one", (SHUFFLED,)),
    Hidden("gradient sums", "the server", ("no owner helps the server", SHUFFLED)),
    compose([LocalDP("1/3", outputs=2)] * 3),
    compose([LocalDP(1), Hidden("rows", "the collector"), ApproximateDP(1, "1e-9", "replace-one")]),
    compose([Hidden("rows", "the collector")]),
]


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_every_promise_keeps_the_laws(promise):
    check_guarantee(promise)
    assert pickle.loads(pickle.dumps(promise)) == promise


def test_charges_are_exact():
    assert compose([LocalDP("0.1")] * 3).epsilon == Fraction(3, 10)
    assert compose([LocalDP(0.1), LocalDP(0.2)]).epsilon == LocalDP(0.3).epsilon


def test_two_outputs_are_never_assumed():
    assert LocalDP("1").outputs is None
    assert LocalDP("1") != LocalDP("1", outputs=2)


def test_promises_without_epsilon_are_recorded_and_never_summed():
    mixed = compose([LocalDP("1"), Hidden("rows", "the collector")])
    assert mixed.epsilon == 1
    assert len(mixed.parts) == 2
    assert compose([Hidden("rows", "the collector")]).budget is None


def test_disjoint_people_pay_for_the_largest_part_only():
    assert Budget.largest([Budget.of(1, "1e-6"), Budget.of(2, 0)]) == Budget.of(2, "1e-6")
    assert Budget.largest([]) == Budget()


def test_different_neighbors_do_not_add_up():
    with pytest.raises(InvalidParameter, match="neighbors"):
        compose([ApproximateDP(1, 0, "replace-one"), ApproximateDP(1, 0, "add-remove")])


def test_only_local_promises_are_shuffled():
    with pytest.raises(InvalidParameter, match="local"):
        compose([ApproximateDP(1, 0, "replace-one")]).shuffled(rows=10, delta="1e-6")


def test_a_failed_assumption_leaves_the_local_promise_in_the_sentence():
    sentence = str(PROMISES[5])
    assert SHUFFLED in sentence
    assert "ε = 4 is left" in sentence


@pytest.mark.parametrize(
    "make",
    [
        lambda: LocalDP("ten"),
        lambda: LocalDP(-1),
        lambda: LocalDP(True),
        lambda: LocalDP(1, outputs=1),
        lambda: LocalDP(1, outputs=2.0),
        lambda: ApproximateDP(1, 1, "replace-one"),
        lambda: ApproximateDP(1, -0.1, "replace-one"),
        lambda: ApproximateDP(1, "1e-6", "neighbours"),
        lambda: compose([]),
        lambda: from_dict({"kind": "perfect"}),
        lambda: from_dict({}),
        lambda: from_dict(None),
        lambda: from_dict({"kind": "local-dp"}),
        lambda: from_dict({"kind": "composition", "parts": 5}),
        lambda: compose(None),
        lambda: compose([1.0]),
        lambda: Hidden(1, 2),
        lambda: ApproximateDP(1, 0, "replace-one", assuming=[5]),
        lambda: ApproximateDP(1, 0, "replace-one", assuming=5),
        lambda: LocalDP(1).sentence("fr"),
    ],
)
def test_bad_promises_are_refused_with_a_remedy(make):
    with pytest.raises(InvalidParameter, match="remedy"):
        make()


def test_a_promise_is_never_said_to_be_stronger_than_it_is():
    for hundredths in range(1, 4000, 7):
        epsilon = Fraction(hundredths, 100)
        times, certainty = times_as_likely(epsilon), certainty_after(epsilon)
        assert float(times) >= math.exp(epsilon) * (1 - 1e-12)
        assert certainty == "99.99+" or float(certainty) >= 100 / (1 + math.exp(-epsilon)) * (1 - 1e-12)
    assert times_as_likely(Fraction(1, 10**6)) != "1"
    assert certainty_after(Fraction(1, 10**6)) != "50"
    assert times_as_likely(Fraction(1, 10**40)) != "1"


def test_local_and_add_remove_promises_do_not_add_up():
    with pytest.raises(InvalidParameter, match="neighbors"):
        compose([LocalDP(1), ApproximateDP(1, 0, "add-remove")])


def test_a_composition_cannot_be_changed_from_outside():
    leaves = [LocalDP("0.1")]
    composed = Composition(leaves)
    leaves[0] = LocalDP(5)
    assert composed.epsilon == Fraction(1, 10)


def test_a_kind_belongs_to_one_class():
    with pytest.raises(TypeError, match="another kind"):
        type("Impostor", (LocalDP,), {})


def test_shuffling_what_floats_cannot_hold_gains_nothing_and_promises_nothing_false():
    assert LocalDP("1e-330", outputs=2).shuffled(5, "1e-200").epsilon == Fraction("1e-330")
    assert LocalDP(1, outputs=2).shuffled(10**400, "1e-10").epsilon > 0
    with pytest.raises(InvalidParameter, match="delta"):
        LocalDP(1).shuffled(5, "1e-310")

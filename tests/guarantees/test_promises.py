"""Promises: exact, comparable, said in both languages, and summed without forgetting."""

import pickle
from fractions import Fraction

import pytest

from sudare.errors import InvalidParameter
from sudare.guarantees import ApproximateDP, Budget, Hidden, LocalDP, compose, from_dict
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
        lambda: LocalDP(1).sentence("fr"),
    ],
)
def test_bad_promises_are_refused_with_a_remedy(make):
    with pytest.raises(InvalidParameter, match="remedy"):
        make()

"""Neither the stronger clone nor the blanket is ever below the exact divergence of a few people, whoever they are."""

import math
from fractions import Fraction

import pytest
from tests.guarantees.shuffling.enumeration import Shuffle

from sudare.guarantees import LocalDP, compose
from sudare.guarantees.shuffling.blanket import log_blanket_delta
from sudare.guarantees.shuffling.record_law import RecordLaw
from sudare.guarantees.shuffling.stronger_clone import stronger_clone_delta

ROUNDING = 1 + 1e-12  # of the enumeration itself
CASES = [
    *(([epsilon], rows) for epsilon in ("0.01", "1", "5") for rows in (2, 3, 5, 8)),
    *((["0.5", "0.5"], rows) for rows in (2, 4, 6)),
    *((["0.2", "1.5"], rows) for rows in (2, 4, 5)),
    (["3", "3"], 4),
    (["0.4", "0.4", "0.4"], 3),
    (["0.1", "0.5", "2"], 3),
    (["1", "1", "1"], 4),
]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{'+'.join(case[0])} x{case[1]}")
def case(request):
    epsilons, rows = request.param
    return [Fraction(epsilon) for epsilon in epsilons], rows, Shuffle([float(epsilon) for epsilon in epsilons], rows)


@pytest.mark.parametrize("share", [0, 0.03, 0.3, 0.6, 0.95])
def test_no_pair_of_neighbors_exceeds_the_bounds(case, share):
    epsilons, rows, shuffle = case
    local = float(sum(epsilons))
    worst = max(delta for _, delta in shuffle.deltas(share * local))
    blanket = math.exp(log_blanket_delta(RecordLaw.of(epsilons), rows, share * local))
    on_grid = math.exp(log_blanket_delta(RecordLaw.of(epsilons, most_atoms=1), rows, share * local))
    clone = stronger_clone_delta(local, rows, share * local)
    assert worst <= blanket * ROUNDING
    assert worst <= on_grid * ROUNDING
    assert worst <= clone * ROUNDING


def test_the_exact_epsilon_is_never_above_the_promised_one(case):
    epsilons, rows, shuffle = case
    record = compose([LocalDP(epsilon, outputs=2) for epsilon in epsilons])
    for bound in ("stronger-clone", "blanket", None):
        promised = float(record.shuffled(rows, "0.01", bound).epsilon)
        assert max(delta for _, delta in shuffle.deltas(promised)) <= 0.01 * ROUNDING


def test_a_bound_one_tenth_too_small_would_be_found():
    shuffle = Shuffle([1.0], 5)
    promised = float(LocalDP(1, outputs=2).shuffled(5, "0.01", "blanket").epsilon)
    assert max(delta for _, delta in shuffle.deltas(0.9 * promised)) > 0.01


def test_neighbors_that_differ_everywhere_are_the_worst():
    shuffle = Shuffle([0.5, 1.0], 4)
    deltas = list(shuffle.deltas(0.3))
    largest = {differing: max(delta for count, delta in deltas if count == differing) for differing in (1, 2)}
    assert largest[1] < largest[2]

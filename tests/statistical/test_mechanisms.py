"""Heavy draws: laws over many ε, coverage of every interval, and errors of one percent found again and again."""

import math

import numpy as np
import pytest

from sudare.errors import LawBroken
from sudare.mechanisms import Hybrid, Laplace, OptimizedUnaryEncoding, Piecewise, RandomizedResponse, TwoPoint
from sudare.testing import check_mechanism
from sudare.testing.draws import constant_estimate, enough_draws

pytestmark = pytest.mark.statistical

EPSILONS = ["0.000001", "0.001", "0.05", "0.1", "0.3", "0.5", "0.61", "0.62", "1", "1.5", "2", "3", "4", "6", "8", "10"]
NUMERIC = [TwoPoint, Piecewise, Hybrid, Laplace]
CATEGORICAL = [lambda e, k=k, m=m: m(k, e) for k in (2, 5, 50) for m in (RandomizedResponse, OptimizedUnaryEncoding)]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("kind", NUMERIC + CATEGORICAL, ids=str)
def test_all_laws_hold_over_the_whole_range(kind, epsilon):
    check_mechanism(kind(epsilon))


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
@pytest.mark.parametrize("kind", NUMERIC, ids=lambda kind: kind.__name__)
def test_intervals_of_a_mean_cover_as_often_as_they_say(kind, epsilon):
    mechanism = kind(epsilon)
    values = np.linspace(-0.9, 1.0, 1000)
    truth = values.mean()
    found = [mechanism.mean(mechanism.randomize(values)) for _ in range(2000)]
    covered = sum(estimate.low <= truth <= estimate.high for estimate in found)
    # They also stand for the population, so they may cover these people's own mean more often, never less.
    assert covered >= 2000 * 0.95 - 4.5 * math.sqrt(2000 * 0.95 * 0.05)


@pytest.mark.parametrize("epsilon", ["0.5", "2"])
@pytest.mark.parametrize("kind", [Piecewise, Laplace], ids=lambda kind: kind.__name__)
def test_intervals_of_a_second_moment_cover_as_often_as_they_say(kind, epsilon):
    mechanism = kind(epsilon)
    values = np.linspace(-0.9, 1.0, 1000)
    truth = (values**2).mean()
    found = [mechanism.second_moment(mechanism.randomize(values)) for _ in range(2000)]
    covered = sum(estimate.low <= truth <= estimate.high for estimate in found)
    assert covered >= 2000 * 0.95 - 4.5 * math.sqrt(2000 * 0.95 * 0.05)


@pytest.mark.parametrize("kind", NUMERIC, ids=lambda kind: kind.__name__)
def test_an_error_of_one_percent_is_found_in_nearly_every_run(kind):
    from sudare.testing import mechanism_laws as laws

    class Stretched(kind):
        def mean(self, outputs, confidence=0.95):
            return super().mean(outputs, confidence).mapped(lambda value: value * 1.01)

    missed = 0
    for _ in range(20):
        try:
            laws.estimates_are_unbiased(Stretched("1"))
        except LawBroken:
            continue
        missed += 1
    assert missed <= 1


def test_an_estimate_stays_unbiased_over_forty_million_draws():
    mechanism = TwoPoint("1")
    draws = enough_draws(mechanism.variance(), shift=0.003)
    assert draws > 10**7
    estimate, truth = constant_estimate(mechanism, 1, draws)
    assert abs(estimate - truth) < 4.5 * mechanism.expected_error(draws)

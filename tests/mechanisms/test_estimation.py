"""Intervals, projection and proofs, each against its definition."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sudare.errors import InvalidParameter, NotIdentifiable
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms import (
    Hybrid,
    Laplace,
    Piecewise,
    TwoPoint,
    project_to_simplex,
    proved_epsilon,
    worst_ratio,
)
from sudare.mechanisms.intervals import Spread, mean_estimate, normal_quantile, share_interval, sign_estimate
from sudare.randomness import NotPrivate, Seeded, is_private


def test_the_quantile_is_the_normal_one():
    for confidence in (0.5, 0.9, 0.95, 0.999):
        assert normal_quantile(confidence) == pytest.approx(stats.norm.ppf((1 + confidence) / 2))


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, True, "0.95", None])
def test_a_confidence_is_a_probability(confidence):
    with pytest.raises(InvalidParameter, match="confidence"):
        normal_quantile(confidence)


@given(st.integers(1, 500), st.floats(0.5, 0.999), st.data())
def test_the_share_interval_is_the_exact_binomial_one(rows, confidence, data):
    count = data.draw(st.integers(0, rows))
    low, high = share_interval(np.array([count]), rows, confidence)
    reference = stats.binomtest(count, rows).proportion_ci(confidence, method="exact")
    assert low[0] == pytest.approx(reference.low, abs=1e-9)
    assert high[0] == pytest.approx(reference.high, abs=1e-9)


COINS = Spread(least=lambda mean: 2.0, worst=100.0, width=3.0)


@pytest.mark.parametrize(("rows", "size", "variance"), [(20, 1.0, 100.0), (200, 1.0, 2.0), (200, 5.0, 25 * 200 / 199)])
def test_an_interval_rests_on_the_worst_the_least_or_the_seen_variance(rows, size, variance):
    terms = np.array([size, -size] * (rows // 2))
    estimate = mean_estimate(terms, COINS, confidence=0.95, private=True)
    z = 1.959964
    assert estimate.high == pytest.approx(z * math.sqrt(variance / rows) + 3.0 * 2 * math.log(40) / (3 * rows))
    assert estimate.low == -estimate.high


def test_no_terms_have_no_mean():
    with pytest.raises(NotIdentifiable):
        mean_estimate(np.array([]), COINS, confidence=0.95, private=True)
    with pytest.raises(NotIdentifiable):
        sign_estimate(np.array([]), 1.0, confidence=0.95, private=True)


RARELY_OFF = [("6", 1.0, 30), ("8", 0.99, 100), ("10", 0.999, 100), ("12", 1.0, 50), ("4", 0.5, 30), ("1", 1.0, 30)]


@pytest.mark.parametrize(("epsilon", "value", "rows"), RARELY_OFF)
@pytest.mark.parametrize("kind", [TwoPoint, Piecewise, Hybrid, Laplace])
def test_intervals_cover_where_a_report_is_rarely_far_off(kind, epsilon, value, rows):
    mechanism = kind(epsilon)
    column, runs, covered, products = np.full(rows, value), 300, 0, 0
    for run in range(runs):
        left, right = (mechanism.randomize(column, Seeded(run, name)) for name in ("left", "right"))
        mean, product = mechanism.mean(left), mechanism.products(left, right)
        covered += mean.low <= value <= mean.high
        products += product.low <= value**2 <= product.high
    least = runs * 0.95 - 4.5 * math.sqrt(runs * 0.95 * 0.05)
    assert covered >= least
    assert products >= least


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6))
def test_the_projection_is_the_nearest_point_of_the_simplex(shares):
    found = project_to_simplex(shares)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1)
    # Against every choice of which shares stay positive: the nearest valid one.
    distances = []
    for kept in itertools.product([False, True], repeat=len(shares)):
        if any(kept):
            mask = np.array(kept)
            point = np.where(mask, np.array(shares) + (1 - np.array(shares)[mask].sum()) / mask.sum(), 0)
            if point.min() >= 0:
                distances.append(np.sum((point - shares) ** 2))
    assert np.sum((found - shares) ** 2) == pytest.approx(min(distances), abs=1e-9)


@pytest.mark.parametrize("shares", [[], [math.nan], [[0.5]], [math.inf, 0.0]])
def test_what_are_no_shares_is_not_projected(shares):
    with pytest.raises(InvalidParameter, match="shares"):
        project_to_simplex(shares)


def test_an_impossible_report_promises_nothing():
    with pytest.raises(ZeroDivisionError):
        worst_ratio([[1, 1], [2, 0]])


@given(st.lists(st.lists(st.integers(1, 10**6), min_size=3, max_size=3), min_size=2, max_size=4))
def test_the_worst_ratio_is_that_of_all_pairs(table):
    pairs = [Fraction(a[y], b[y]) for a in table for b in table for y in range(3)]
    assert worst_ratio(table) == max(pairs)
    assert exp_lower_bound(proved_epsilon(table, Fraction(40))) >= worst_ratio(table)


def test_a_table_that_breaks_its_epsilon_is_told_its_true_one():
    table = [[3, 1], [1, 3]]
    assert proved_epsilon(table, Fraction(1)) > 1
    assert proved_epsilon(table, Fraction(11, 10)) <= Fraction(11, 10)


def test_shares_of_marked_reports_stay_marked():
    assert not is_private(project_to_simplex(np.array([0.7, 0.5]).view(NotPrivate)))


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.99])
def test_intervals_of_squares_cover_at_any_confidence(confidence):
    mechanism, runs = Piecewise("12"), 400
    found = [
        mechanism.second_moment(mechanism.randomize(np.ones(200), Seeded(run)), confidence=confidence)
        for run in range(runs)
    ]
    covered = sum(estimate.low <= 1.0 <= estimate.high for estimate in found)
    assert covered >= runs * confidence - 4.5 * math.sqrt(runs * confidence * (1 - confidence))

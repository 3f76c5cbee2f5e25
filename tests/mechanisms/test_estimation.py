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
from sudare.mechanisms import project_to_simplex, proved_epsilon, worst_ratio
from sudare.mechanisms.intervals import mean_estimate, normal_quantile, share_interval


def test_the_quantile_is_the_normal_one():
    for confidence in (0.5, 0.9, 0.95, 0.999):
        assert normal_quantile(confidence) == pytest.approx(stats.norm.ppf((1 + confidence) / 2))


@pytest.mark.parametrize("confidence", [0, 1, -1, 2, math.nan, True, "0.95", None])
def test_a_confidence_is_a_probability(confidence):
    with pytest.raises(InvalidParameter, match="confidence"):
        normal_quantile(confidence)


@given(st.integers(1, 500), st.floats(0.5, 0.999), st.data())
def test_the_share_interval_is_wilsons(rows, confidence, data):
    count = data.draw(st.integers(0, rows))
    low, high = share_interval(np.array([count]), rows, confidence)
    reference = stats.binomtest(count, rows).proportion_ci(confidence, method="wilson")
    assert low[0] == pytest.approx(reference.low, abs=1e-9)
    assert high[0] == pytest.approx(reference.high, abs=1e-9)


def test_few_rows_use_the_worst_variance_and_many_their_own():
    terms = np.array([1.0, -1.0] * 10)
    few = mean_estimate(terms, worst_variance=100.0, confidence=0.95, private=True)
    many = mean_estimate(np.tile(terms, 10), worst_variance=100.0, confidence=0.95, private=True)
    assert few.high == pytest.approx(1.959964 * 10 / math.sqrt(20))
    assert many.high == pytest.approx(1.959964 * math.sqrt(200 / 199) / math.sqrt(200))


def test_no_terms_have_no_mean():
    with pytest.raises(NotIdentifiable):
        mean_estimate(np.array([]), worst_variance=1.0, confidence=0.95, private=True)


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

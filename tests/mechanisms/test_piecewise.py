"""Piecewise mechanism: the block of likely cells, its variance against the textbook's, the smallest grid."""

import math
from fractions import Fraction

import pytest
from tests.mechanisms.grid_reference import assert_the_words_land, block_runs, places

from sudare.guarantees import LocalDP
from sudare.mechanisms import Piecewise


def textbook_variance(epsilon, value):
    """Wang et al., Lemma 1."""
    half = math.exp(epsilon / 2)
    return value**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)


def grid_variance(epsilon, points, value):
    """The variance on a grid of ideal probabilities, cell by cell, from the definition."""
    width = max(1, round((points - 1) * math.exp(-epsilon / 2)))
    cells = points + width - 1
    likely = math.exp(epsilon)
    whole = width * likely + points - 1
    scale = 2 * whole / ((points - 1) * width * (likely - 1))
    outputs = [scale * (cell - (cells - 1) / 2) for cell in range(cells)]
    below = min(int((value + 1) / 2 * (points - 1) + 1e-9), points - 2)
    share = (value + 1) / 2 * (points - 1) - below
    square = 0.0
    for row, part in ((below, 1 - share), (below + 1, share)):
        weights = [likely if row <= cell < row + width else 1 for cell in range(cells)]
        square += part * sum(weight * y * y for weight, y in zip(weights, outputs, strict=True)) / whole
    return square - value**2


@pytest.mark.parametrize("epsilon", ["0.000001", "1/3", "1", "2", "4"])
def test_every_word_lands_where_the_table_says(epsilon):
    mechanism = Piecewise(epsilon)
    for row in range(len(mechanism.inputs)):
        assert_the_words_land(mechanism, row, block_runs(mechanism._grid, row))


@pytest.mark.parametrize("epsilon", ["8", "12", "20", "40"])
def test_every_word_of_the_outer_and_middle_rows_lands_in_large_tables(epsilon):
    mechanism = Piecewise(epsilon)
    last = len(mechanism.inputs) - 1
    for row in (0, 1, last // 2, last - 1, last):
        assert_the_words_land(mechanism, row, block_runs(mechanism._grid, row))


@pytest.mark.parametrize("epsilon", [0.000001, 0.01, 0.1, 0.61, 1.0, 2.0, 4.0, 6.0, 8.0])
def test_the_variance_is_the_textbooks_at_and_between_the_points(epsilon):
    mechanism = Piecewise(epsilon)
    for value in places(mechanism):
        assert mechanism.variance(value) == pytest.approx(textbook_variance(epsilon, value), rel=1.00001e-3)


@pytest.mark.parametrize(("epsilon", "points"), [(1.0, 29), (4.0, 97), (8.0, 383)])
def test_the_grid_is_as_large_as_was_measured(epsilon, points):
    assert len(Piecewise(epsilon).inputs) == points


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_smaller_grid_is_as_close(epsilon):
    chosen = len(Piecewise(epsilon).inputs)
    for points in range(3, chosen, 2):
        half = 1 / (points - 1)
        excess = [
            abs(grid_variance(epsilon, points, value) / textbook_variance(epsilon, value) - 1)
            for value in (0.0, 1.0, half, 1 - half)
        ]
        assert max(excess) > 1e-3


@pytest.mark.parametrize("epsilon", [15.0, 20.0, 40.0])
def test_where_no_table_is_fine_enough_the_actual_variance_is_stated(epsilon):
    mechanism = Piecewise(epsilon)
    assert abs(mechanism.variance(0.0) / textbook_variance(epsilon, 0.0) - 1) > 1e-3
    assert len(mechanism.inputs) == 1023
    # Halfway between two points the rounding alone has a variance of (h/2)².
    assert mechanism.variance(float(1 / 1022)) >= 1 / 1022**2


def test_the_reach_is_near_the_textbooks():
    for epsilon in (1.0, 4.0):
        half = math.exp(epsilon / 2)
        assert Piecewise(epsilon).reach == pytest.approx((half + 1) / (half - 1), rel=0.04)


def test_it_promises_its_epsilon_for_any_number_of_outputs():
    assert Piecewise("0.7").guarantee == LocalDP(Fraction(7, 10))


def test_the_expected_error_is_that_of_the_worst_value():
    assert Piecewise("1").expected_error(400) == math.sqrt(Piecewise("1").worst_variance / 400)
    assert Piecewise("1").worst_variance == pytest.approx(textbook_variance(1.0, 1.0), rel=1.1e-3)

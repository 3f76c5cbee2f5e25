"""Hybrid mechanism: blocks and two columns on one scale; two points alone where ε is small."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.mechanisms.grid_reference import TOTAL, assert_the_words_land, block_runs, places

from sudare.guarantees import LocalDP
from sudare.mechanisms import Hybrid, Piecewise, TwoPoint


def textbook_variance(epsilon, value):
    """Wang et al.: Piecewise with probability 1 − e^(−ε/2), else the two points, both unbiased."""
    reach = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
    if epsilon <= 0.61:
        return reach**2 - value**2
    half = math.exp(epsilon / 2)
    piecewise = value**2 / (half - 1) + (half + 3) / (3 * (half - 1) ** 2)
    return (1 - 1 / half) * piecewise + (reach**2 - value**2) / half


@pytest.mark.parametrize("epsilon", ["0.62", "1", "2", "4"])
def test_every_word_lands_where_the_table_says(epsilon):
    mechanism = Hybrid(epsilon)
    for row in range(len(mechanism.inputs)):
        assert_the_words_land(mechanism, row, block_runs(mechanism._grid, row))


@pytest.mark.parametrize("epsilon", ["8", "12", "20", "40"])
def test_every_word_of_the_outer_and_middle_rows_lands_in_large_tables(epsilon):
    mechanism = Hybrid(epsilon)
    last = len(mechanism.inputs) - 1
    for row in (0, 1, last // 2, last - 1, last):
        assert_the_words_land(mechanism, row, block_runs(mechanism._grid, row))


@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "0.61"])
def test_a_small_epsilon_has_two_points_alone(epsilon):
    mechanism = Hybrid(epsilon)
    assert mechanism.outputs == pytest.approx(TwoPoint(epsilon).outputs, rel=0.01)
    assert mechanism.guarantee == LocalDP(Fraction(epsilon), outputs=2)
    for row, words in enumerate(mechanism.weights()):
        assert_the_words_land(mechanism, row, list(enumerate(words)))


def test_above_it_a_report_has_more_than_two_values():
    assert Hybrid("0.62").guarantee == LocalDP(Fraction(62, 100))
    assert len(Hybrid("0.62").outputs) > 2


@pytest.mark.parametrize("epsilon", [0.000001, 0.01, 0.61, 0.62, 0.86, 1.0, 2.0, 4.0, 6.48, 8.0])
def test_the_variance_is_the_textbooks_at_and_between_the_points(epsilon):
    mechanism = Hybrid(epsilon)
    for value in places(mechanism):
        assert mechanism.variance(value) == pytest.approx(textbook_variance(epsilon, value), rel=1.00001e-3)


@pytest.mark.parametrize("epsilon", [0.7, 1.0, 4.0])
def test_it_is_never_worse_than_its_parts(epsilon):
    parts = min(Piecewise(epsilon).worst_variance, TwoPoint(epsilon).worst_variance)
    assert Hybrid(epsilon).worst_variance <= parts * 1.002


def test_the_columns_keep_their_distance_from_the_cells():
    # At these ε the columns would fall within 1/64 of a cell; at 40 they would fall on the end cells.
    for epsilon in ("0.86", "1.01", "2.97", "4.08", "6.48", "40"):
        mechanism = Hybrid(epsilon)
        gaps = np.diff(mechanism.outputs)
        assert gaps.min() >= gaps.max() / 64 * (1 - 1e-9)


def test_the_two_columns_hold_their_share():
    for epsilon in (0.62, 1.0, 4.0):
        grid = Hybrid(epsilon)._grid
        minus, plus = grid.order[-2:]
        share = (int(grid.table[0, minus]) + int(grid.table[0, plus])) / TOTAL
        assert share == pytest.approx(math.exp(-epsilon / 2), rel=1e-9)

"""Laplace mechanism: geometric steps, folded tails, the yardstick's variance."""

import math

import pytest
from tests.mechanisms.grid_reference import assert_the_words_land, places

from sudare.mechanisms import Laplace


@pytest.mark.parametrize("epsilon", ["0.1", "1/3", "1", "4", "8", "40"])
def test_every_word_lands_where_the_table_says(epsilon):
    mechanism = Laplace(epsilon)
    table = mechanism.weights()
    for row in range(0, len(table), 1 + len(table) // 40):
        assert_the_words_land(mechanism, row, list(enumerate(table[row])))


def test_every_word_lands_in_the_largest_table():
    mechanism = Laplace("0.00001")
    table = mechanism.weights()
    runs = [list(enumerate(row)) for row in table]
    for row in (0, 1):
        assert_the_words_land(mechanism, row, runs[row])


@pytest.mark.parametrize("epsilon", [0.0001, 0.01, 0.1, 0.61, 1.0, 2.0, 4.0, 8.0, 20.0, 40.0])
def test_the_variance_is_the_textbooks_at_and_between_the_points(epsilon):
    mechanism = Laplace(epsilon)
    for value in places(mechanism):
        assert mechanism.variance(value) == pytest.approx(8 / epsilon**2, rel=1.001e-3)


@pytest.mark.parametrize(("epsilon", "points"), [(1.0, 11), (4.0, 38), (8.0, 75)])
def test_the_grid_is_as_large_as_was_measured(epsilon, points):
    assert len(Laplace(epsilon).inputs) == points


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0])
def test_no_smaller_grid_is_as_close(epsilon):
    steps = len(Laplace(epsilon).inputs) - 2
    # Without any folding, which only takes away: 2q/(1 − q)² steps² against 8/ε².
    kept = math.exp(-epsilon / steps)
    variance = 2 * kept / (1 - kept) ** 2 * (2 / steps) ** 2
    assert variance < 8 / epsilon**2 * (1 - 1e-3)


def test_so_small_an_epsilon_that_the_tails_do_not_fit_has_less_variance():
    mechanism = Laplace("0.000001")
    assert mechanism._grid.table.size == 2**20
    assert mechanism.worst_variance < 0.7 * 8e12


@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_weights_fall_by_one_factor_from_cell_to_cell(epsilon):
    mechanism = Laplace(epsilon)
    factor = math.exp(-mechanism.epsilon / (len(mechanism.inputs) - 1))
    cells = len(mechanism.outputs)
    margin = (cells - len(mechanism.inputs)) // 2
    for row, words in enumerate(mechanism.weights()):
        place = margin + row
        for cell in range(place, cells - 2):
            assert words[cell + 1] / words[cell] == pytest.approx(factor, rel=1e-6)
        for cell in range(place, 1, -1):
            assert words[cell - 1] / words[cell] == pytest.approx(factor, rel=1e-6)


def test_the_end_cells_are_valued_at_the_mean_of_the_tail():
    mechanism = Laplace("1")
    factor = math.exp(-1 / (len(mechanism.inputs) - 1))
    spacing = mechanism.inputs[1] - mechanism.inputs[0]
    gap = mechanism.outputs[-1] - mechanism.outputs[-2]
    assert gap == pytest.approx(spacing * (1 + factor / (1 - factor)), rel=1e-6)

"""Mechanisms on a public grid: exact tables, exact draws, and estimates that hold between the points too."""

import bisect
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from tests.mechanisms.grid_reference import COINS, TOTAL, exact_outputs, exact_variance, point_of

from sudare.errors import InvalidParameter, NotIdentifiable, OutOfDomain
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms import Hybrid, Laplace, Piecewise, proved_epsilon, rebuilt, worst_ratio
from sudare.randomness import Recorded, Seeded, is_private

KINDS = [Piecewise, Hybrid, Laplace]
EPSILONS = ["0.000001", "0.01", "1/3", "0.61", "0.62", "1", "4", "8", "20", "40"]
EVERY = [kind(epsilon) for kind in KINDS for epsilon in EPSILONS]
USUAL = [kind(epsilon) for kind in KINDS for epsilon in ("0.5", "1", "4")]
each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
usual = pytest.mark.parametrize("mechanism", USUAL, ids=repr)


@pytest.mark.parametrize("mechanism", EVERY, ids=repr)
def test_every_row_is_exact(mechanism):
    table, grid = mechanism.weights(), mechanism._grid
    # Positions are multiples of a power of two: as whole numbers of it, the mean needs no fraction.
    unit = max(Fraction(position).denominator for position in grid.positions.tolist())
    positions = [int(position * unit) for position in grid.positions.tolist()]
    last = len(table) - 1
    for row, words in enumerate(table):
        assert sum(words) == TOTAL
        mean = sum(count * position for count, position in zip(words, positions, strict=True))
        assert Fraction(mean, unit) * grid.scale == TOTAL * Fraction(2 * row - last, last)


@pytest.mark.parametrize("mechanism", EVERY, ids=repr)
def test_the_ratios_keep_epsilon_and_use_it(mechanism):
    table = mechanism.weights()
    assert min(map(min, table)) > 0
    assert worst_ratio(table) <= exp_lower_bound(mechanism.epsilon)
    assert mechanism.proved_epsilon == proved_epsilon(table, mechanism.epsilon)
    # At 40 the rarest report has under a hundred words of 2⁶⁴: one word more or less is a percent.
    assert mechanism.proved_epsilon >= mechanism.epsilon * (1 - Fraction(1, 1000 if mechanism.epsilon > 30 else 10**6))


@pytest.mark.parametrize("mechanism", EVERY, ids=repr)
def test_outputs_ascend_and_are_within_an_ulp_of_their_rationals(mechanism):
    outputs = mechanism.outputs
    assert (np.diff(outputs) > 0).all()
    assert (np.diff(outputs.astype(np.float32)) > 0).all()
    # Half a million outputs need no more than a sample.
    step = max(1, len(outputs) // 1000)
    for exact, rounded in zip(exact_outputs(mechanism, step), outputs[::step], strict=True):
        assert abs(exact - Fraction(float(rounded))) <= Fraction(float(np.spacing(abs(rounded))))


@pytest.mark.parametrize("mechanism", EVERY, ids=repr)
def test_no_table_passes_its_limit_and_all_are_symmetric(mechanism):
    grid = mechanism._grid
    assert grid.table.size <= 2**20
    assert grid.table.shape == (len(mechanism.inputs), len(mechanism.outputs))
    assert (mechanism.inputs == -mechanism.inputs[::-1]).all()
    assert (mechanism.outputs == -mechanism.outputs[::-1]).all()


@each_kind
@pytest.mark.parametrize("epsilon", ["0.3", "1", "3"])
def test_the_variance_is_that_of_the_table_at_every_value(kind, epsilon):
    mechanism = kind(epsilon)
    for value in (-1.0, -0.7531, -0.5, 0.0, 0.1234, float(mechanism.inputs[-2]), 1.0):
        assert mechanism.variance(value) == pytest.approx(float(exact_variance(mechanism, value)), rel=1e-9)


@each_kind
@pytest.mark.parametrize("epsilon", ["0.3", "1", "3", "20"])
def test_the_worst_variance_is_reached_and_never_passed(kind, epsilon):
    mechanism = kind(epsilon)
    found = max(mechanism.variance(value) for value in np.linspace(-1, 1, 20_001))
    assert found <= mechanism.worst_variance * (1 + 1e-12)
    assert found >= mechanism.worst_variance * (1 - 1e-3)


@usual
@pytest.mark.parametrize("value", [-1.0, -0.9999, -0.25, 0.0, 2**-30, 0.3, 0.77, 1.0])
def test_a_value_moves_to_the_next_point_as_often_as_it_lies_beyond(mechanism, value):
    points = len(mechanism.inputs)
    beyond = (points - 1) * math.floor((Fraction(value) + 1) * 2**30 + Fraction(1, 2)) % COINS
    coins = [coin for coin in (0, COINS - beyond - 1, COINS - beyond, COINS - 1) if coin < COINS]
    rows = [point_of(value, coin, points) for coin in coins]
    assert len(set(rows)) == (2 if beyond else 1)
    words = np.array([(coin << 33, telling_word(mechanism)) for coin in coins], np.uint64)
    reports = mechanism.randomize(np.full(len(coins), value), Recorded(words.ravel()))
    assert reports.tolist() == [told(mechanism, row) for row in rows]
    assert len(set(reports.tolist())) == len(set(rows))


def telling_word(mechanism):
    """A word whose report differs between neighboring rows: the block's first, else the middle of a row."""
    return 0 if hasattr(mechanism._grid, "order") else TOTAL // 2


def told(mechanism, row):
    """The report of this word, from the table alone."""
    if hasattr(mechanism._grid, "order"):
        return mechanism.outputs[mechanism._grid.order[row]]
    return mechanism.outputs[bisect.bisect_right(list(itertools.accumulate(mechanism.weights()[row])), TOTAL // 2)]


@usual
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_split_into_batches_gives_the_same_bytes(mechanism, dtype):
    values = np.linspace(-1, 1, 20_011).astype(dtype)
    whole = mechanism.randomize(values, Seeded(3))
    for cuts in ([1], [8192], [1023, 1025, 9000], list(range(0, 20_011, 1999))):
        edges = [0, *cuts, len(values)]
        parts = [
            mechanism.randomize(values[start:stop], Seeded(3, first_row=start))
            for start, stop in itertools.pairwise(edges)
        ]
        assert np.concatenate(parts).tobytes() == whole.tobytes()


@usual
def test_reports_are_outputs_in_the_type_of_the_values(mechanism):
    for dtype in (np.float32, np.float64):
        reports = mechanism.randomize(np.linspace(-1, 1, 5000).astype(dtype))
        assert reports.dtype == dtype
        assert is_private(reports)
        assert set(reports) <= set(mechanism.outputs.astype(dtype))
    assert mechanism.randomize(np.array([0, 1, -1])).dtype == np.float64


@usual
def test_float32_and_float64_of_one_value_draw_alike(mechanism):
    values = np.linspace(-1, 1, 5001).astype(np.float32)
    single = np.asarray(mechanism.randomize(values, Seeded(5)))
    double = np.asarray(mechanism.randomize(values.astype(np.float64), Seeded(5)))
    assert (single == double.astype(np.float32)).all()


@usual
def test_the_layout_of_the_values_does_not_matter(mechanism):
    values = np.linspace(-1, 1, 3001)
    whole = mechanism.randomize(values, Seeded(9))
    frozen = values.copy()
    frozen.flags.writeable = False
    twice, backward = np.repeat(values, 2), values[::-1].copy()
    for same in (frozen, twice[::2], backward[::-1], values.astype(">f8"), list(values)):
        assert mechanism.randomize(same, Seeded(9)).tobytes() == whole.tobytes()
    assert (values == frozen).all()


@usual
def test_no_rows_and_one_row(mechanism):
    assert mechanism.randomize(np.empty(0, np.float32)).dtype == np.float32
    assert mechanism.randomize([]).shape == (0,)
    assert mechanism.randomize(np.array([0.5]))[0] in mechanism.outputs


@usual
@pytest.mark.parametrize("bad", [math.nan, math.inf, 1.0000001, -2.0])
def test_values_outside_are_refused_by_row_before_anything_is_drawn(mechanism, bad):
    with pytest.raises(OutOfDomain, match="row 3"):
        mechanism.randomize(np.array([0.0, 1.0, bad, 0.5]), Recorded(np.empty(0, np.uint64)))


@each_kind
@pytest.mark.parametrize("epsilon", [0, -1, "0", 41, "1e-7", math.nan, math.inf, True, "ten", None, [1]])
def test_an_epsilon_that_is_none_is_refused(kind, epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        kind(epsilon)


@usual
@pytest.mark.parametrize("value", [1.01, -2, math.nan, "x", None, True])
def test_a_variance_is_asked_of_a_value_on_the_unit_range(mechanism, value):
    with pytest.raises(InvalidParameter, match="value"):
        mechanism.variance(value)


@usual
def test_nobody_can_change_the_grid_behind_a_mechanism(mechanism):
    before = mechanism.outputs, mechanism.inputs, mechanism.weights()
    mechanism.outputs[:] = 0
    mechanism.inputs[:] = 0
    mechanism.weights()[0][0] = 0
    assert (before[0] == mechanism.outputs).all()
    assert (before[1] == mechanism.inputs).all()
    assert before[2] == mechanism.weights()


@usual
def test_a_mechanism_is_its_kind_and_its_epsilon(mechanism):
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism == rebuilt(mechanism.identity())
    assert len(pickle.dumps(mechanism)) < 500
    assert mechanism != next(kind for kind in KINDS if not isinstance(mechanism, kind))(mechanism.epsilon)
    with pytest.raises(AttributeError):
        mechanism.epsilon = Fraction(2)


@usual
def test_the_mean_is_unbiased_between_the_points(mechanism):
    value = float(mechanism.inputs[0] * 0.7 + mechanism.inputs[1] * 0.3)
    rows = 200_000
    estimate = mechanism.mean(mechanism.randomize(np.full(rows, value), Seeded(11)))
    assert abs(estimate.value - value) <= 4.5 * math.sqrt(mechanism.variance(value) / rows)
    assert not estimate.private


@each_kind
def test_products_of_two_kinds_are_unbiased(kind):
    mechanism, other = kind("4"), Piecewise("2")
    left = mechanism.randomize(np.full(200_000, 0.6), Seeded(1, "left"))
    right = other.randomize(np.full(200_000, -0.5), Seeded(1, "right"))
    estimate = mechanism.products(left, right, other)
    assert abs(estimate.value + 0.3) <= 4.5 * (estimate.high - estimate.low) / (2 * 1.96)


SQUARES = [Piecewise("0.01"), Piecewise("1"), Piecewise("8"), Piecewise("40"), Hybrid("0.62"), Hybrid("1"), Hybrid("8")]
SQUARES += [Laplace("0.12"), Laplace("1"), Laplace("8"), Laplace("40")]


@pytest.mark.parametrize("mechanism", SQUARES, ids=repr)
def test_what_reports_say_of_the_square_is_unbiased_on_the_grid(mechanism):
    squares = [Fraction(square) for square in mechanism._grid.squares.tolist()]
    worst = max(map(abs, squares))
    table = mechanism.weights()
    for row in sorted({0, 1, len(table) // 3, len(table) // 2, len(table) - 1}):
        point = Fraction(2 * row - len(table) + 1, len(table) - 1)
        mean = sum(words * square for words, square in zip(table[row], squares, strict=True)) / TOTAL
        assert abs(mean - point**2) <= worst * Fraction(1, 10**12)


@pytest.mark.parametrize("mechanism", [Piecewise("1"), Hybrid("4"), Laplace("2")], ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_second_moment_is_estimated(mechanism, dtype):
    values = np.linspace(-1, 0.5, 100_000).astype(dtype)
    estimate = mechanism.second_moment(mechanism.randomize(values, Seeded(4)), confidence=0.99999)
    assert estimate.low <= float(np.mean(values.astype(np.float64) ** 2)) <= estimate.high
    assert estimate.high - estimate.low < 0.2


def test_the_lower_end_covers_what_rounding_adds_to_the_square():
    mechanism = Laplace("0.2")  # three points: a value of 1/2 is reported as one of 0 or 1, whose squares average 1/2
    assert len(mechanism.inputs) == 3
    reports = mechanism.randomize(np.full(1_000_000, 0.5), Seeded(2))
    estimate = mechanism.second_moment(reports)
    assert estimate.value - estimate.low == pytest.approx(estimate.high - estimate.value + 0.25)
    assert estimate.low <= 0.25


@pytest.mark.parametrize("mechanism", [Hybrid("0.61"), Hybrid("0.01"), Laplace("0.1")], ids=repr)
def test_where_the_law_of_a_report_is_linear_the_square_leaves_no_trace(mechanism):
    with pytest.raises(NotIdentifiable, match="x²"):
        mechanism.second_moment(mechanism.randomize(np.zeros(100)))


@each_kind
def test_reports_of_another_epsilon_are_refused(kind):
    with pytest.raises(InvalidParameter, match="none of this mechanism's outputs"):
        kind("2").second_moment(kind("3").randomize(np.zeros(100)))

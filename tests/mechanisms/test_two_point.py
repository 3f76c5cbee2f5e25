"""Two-point mechanism: one threshold a value, linear in it, exact at the ends."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sudare.errors import InvalidParameter, NotIdentifiable, OutOfDomain, SudareError
from sudare.guarantees import LocalDP
from sudare.mechanisms import TwoPoint, rebuilt
from sudare.randomness import Recorded, Seeded


def threshold(mechanism, value):
    """How many words mean +C: linear between the rows of the table, to the nearest word."""
    (_, low), (_, high) = mechanism.weights()
    point = math.floor((Fraction(value) + 1) * 2**30 + Fraction(1, 2))
    return math.floor(low + Fraction(point, 2**31) * (high - low) + Fraction(1, 2))


@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "1", "5", "20", "40"])
@pytest.mark.parametrize("value", [-1.0, -0.75, -0.1, 0.0, 1e-9, 0.3, 0.999, 1.0])
def test_the_words_below_the_threshold_and_no_others_mean_plus(epsilon, value):
    mechanism = TwoPoint(epsilon)
    limit = threshold(mechanism, value)
    kind = np.uint32 if mechanism._bits == 32 else np.uint64
    reports = mechanism.randomize(np.full(2, value), Recorded(np.array([limit - 1, limit], kind)))
    assert reports.tolist() == [mechanism.reach, -mechanism.reach]


@pytest.mark.parametrize("epsilon", ["0.000001", "0.01", "1", "5", "20", "40"])
def test_the_mean_of_a_report_is_the_value(epsilon):
    mechanism = TwoPoint(epsilon)
    total = 2**mechanism._bits
    for value in np.linspace(-1, 1, 17):
        plus = Fraction(threshold(mechanism, value), total)
        bias = (2 * plus - 1) * Fraction(mechanism.reach) - Fraction(value)
        # The threshold is a whole number of words, the value has 30 binary places, C is a float.
        allowed = Fraction(mechanism.reach) * (Fraction(1, total) + Fraction(1, 2**52)) + Fraction(1, 2**30)
        assert abs(bias) <= allowed


def test_reports_have_the_type_of_the_values():
    mechanism = TwoPoint("1")
    for dtype in (np.float32, np.float64):
        reports = mechanism.randomize(np.zeros(100, dtype))
        assert reports.dtype == dtype
        assert set(reports) <= set(mechanism.outputs.astype(dtype))
    assert mechanism.randomize(np.array([0, 1, -1])).dtype == np.float64


def test_float32_and_float64_of_one_value_draw_alike():
    values = np.linspace(-1, 1, 5001).astype(np.float32)
    single = TwoPoint("1").randomize(values, Seeded(5))
    double = TwoPoint("1").randomize(values.astype(np.float64), Seeded(5))
    assert (np.sign(single) == np.sign(double)).all()


def test_reach_is_the_textbook_constant():
    for epsilon in (0.01, 1.0, 5.0):
        textbook = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        assert TwoPoint(epsilon).reach == pytest.approx(textbook, rel=1e-6)


def test_products_of_two_attributes_are_unbiased():
    first, second = TwoPoint("4"), TwoPoint("2")
    left, right = np.full(2000, 0.6), np.full(2000, -0.5)
    found = [
        first.products(first.randomize(left, Seeded(s, "a")), second.randomize(right, Seeded(s, "b")), second)
        for s in range(400)
    ]
    values = np.array([estimate.value for estimate in found])
    assert abs(values.mean() + 0.3) < 5 * values.std() / 20
    covered = sum(estimate.low <= -0.3 <= estimate.high for estimate in found)
    assert covered >= 400 * 0.95 - 5 * math.sqrt(400 * 0.95 * 0.05)


def test_expected_error_is_that_of_the_worst_value():
    mechanism = TwoPoint("1")
    means = [mechanism.mean(mechanism.randomize(np.zeros(2000), Seeded(s))).value for s in range(400)]
    assert np.std(means) == pytest.approx(mechanism.expected_error(2000), rel=0.15)
    assert mechanism.variance(1.0) < mechanism.variance(0.0)


def test_a_single_report_has_an_interval_that_admits_it_knows_little():
    estimate = TwoPoint("1").mean(TwoPoint("1").randomize(np.array([0.5])))
    assert estimate.high - estimate.low > 4


def test_the_square_left_no_trace():
    mechanism = TwoPoint("1")
    with pytest.raises(NotIdentifiable, match="Piecewise"):
        mechanism.second_moment(mechanism.randomize(np.zeros(10)))


def test_it_is_a_binary_promise_and_rebuilds():
    assert TwoPoint("1").guarantee == LocalDP("1", outputs=2)
    assert rebuilt(TwoPoint("0.1").identity()) == TwoPoint(0.1)


@pytest.mark.parametrize("values", [[1.5], [math.nan], [math.inf], ["0"], [None], [True], [[0.0]], [1j], 0.5])
def test_values_off_the_unit_interval_are_refused(values):
    with pytest.raises(SudareError, match="remedy"):
        TwoPoint("1").randomize(np.array(values))


def test_the_row_is_named_and_the_value_is_not():
    with pytest.raises(OutOfDomain, match="row 2") as refusal:
        TwoPoint("1").randomize(np.array([0.0, 1.2345678]))
    assert "2345678" not in str(refusal.value)


@pytest.mark.parametrize("outputs", [[0.5], [[1.0]], ["a"], [1], [math.nan]])
def test_reports_of_another_mechanism_are_refused(outputs):
    with pytest.raises(InvalidParameter, match="outputs"):
        TwoPoint("1").mean(np.array(outputs))


def test_products_want_the_same_people():
    mechanism = TwoPoint("1")
    with pytest.raises(InvalidParameter, match="same people"):
        mechanism.products(mechanism.randomize(np.zeros(3)), mechanism.randomize(np.zeros(4)))

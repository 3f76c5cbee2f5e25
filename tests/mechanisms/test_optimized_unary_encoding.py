"""Unary encoding: one bit a category, each bit by its row of the table."""

from fractions import Fraction

import numpy as np
import pytest

from sudare.errors import InvalidParameter, SudareError
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms import OptimizedUnaryEncoding, rebuilt
from sudare.randomness import Recorded, Seeded


@pytest.mark.parametrize("epsilon", ["0.001", "0.01", "1", "20", "30"])
def test_two_bits_together_keep_epsilon_and_waste_nothing(epsilon):
    (off_zero, off_one), (on_zero, on_one) = OptimizedUnaryEncoding(4, epsilon).weights()
    ratio = Fraction(on_one, off_one) * Fraction(off_zero, on_zero)
    assert ratio <= exp_lower_bound(Fraction(epsilon))
    assert Fraction(off_zero + 1, off_one - 1) > exp_lower_bound(Fraction(epsilon))


@pytest.mark.parametrize("epsilon", ["1", "30"])
def test_words_below_their_threshold_set_the_bit(epsilon):
    mechanism = OptimizedUnaryEncoding(3, epsilon)
    rare, fair = mechanism._rare, 1 << (mechanism._bits - 1)
    kind = np.uint32 if mechanism._bits == 32 else np.uint64
    words = np.array([rare - 1, fair - 1, rare, rare, fair, rare - 1], kind)
    assert mechanism.randomize(np.array([1, 1]), Recorded(words)).tolist() == [[1, 1, 0], [0, 0, 1]]


def test_frequencies_are_debiased_and_their_intervals_cover():
    mechanism = OptimizedUnaryEncoding(10, "1")
    codes = np.repeat([0, 1], [1500, 500])
    truth = np.array([0.75, 0.25] + [0.0] * 8)
    found = [mechanism.frequencies(mechanism.randomize(codes, Seeded(s))) for s in range(300)]
    hits = sum((e.low <= truth) & (truth <= e.high) for e in found)
    assert (hits >= 300 * 0.95 - 5 * np.sqrt(300 * 0.95 * 0.05)).all()
    errors = np.array([e.value - truth for e in found])
    assert abs(errors.mean()) < 5 * errors.std() / np.sqrt(errors.size)
    assert errors[:, 0].std() == pytest.approx(mechanism.expected_error(2000), rel=0.2)


def test_the_identity_rebuilds_it():
    mechanism = OptimizedUnaryEncoding(7, "1/3")
    assert rebuilt(mechanism.identity()) == mechanism


@pytest.mark.parametrize("outputs", [[0, 1], [[0, 1]], [[0, 1, 2]], [[0.0, 1.0, 0.0]], [["a"]]])
def test_reports_of_another_shape_or_kind_are_refused(outputs):
    array = np.array(outputs)
    reports = array.astype(np.uint8) if array.dtype == np.int64 else array
    with pytest.raises(InvalidParameter, match="outputs"):
        OptimizedUnaryEncoding(3, "1").frequencies(reports)


@pytest.mark.parametrize("values", [[3], [-1], [0.5], [True], ["yes"]])
def test_values_that_are_no_codes_are_refused(values):
    with pytest.raises(SudareError, match="remedy"):
        OptimizedUnaryEncoding(3, "1").randomize(np.array(values))

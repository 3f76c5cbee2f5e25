"""Randomized response: the words that it maps are those that its table counts."""

from fractions import Fraction

import numpy as np
import pytest

from sudare.errors import InvalidParameter, NotIdentifiable, SudareError
from sudare.guarantees import LocalDP
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms import RandomizedResponse, rebuilt
from sudare.randomness import Recorded, Seeded

SETTINGS = [(2, "1"), (3, "0.5"), (16, "1"), (300, "4"), (2, "20"), (16, "0.001"), (3, "30"), (65_536, "5")]


def reference(mechanism, code, word):
    """The definition, in Python's own integers."""
    keep, other = mechanism._keep, mechanism._other
    return code if word < keep else (code + 1 + (word - keep) // other) % mechanism.categories


@pytest.mark.parametrize(("categories", "epsilon"), SETTINGS)
def test_both_ends_of_every_group_of_words_go_where_the_table_says(categories, epsilon):
    mechanism = RandomizedResponse(categories, epsilon)
    keep, other = mechanism._keep, mechanism._other
    starts = [keep + group * other for group in range(categories - 1)]
    ends = [start + other - 1 for start in starts]
    assert ends[-1] == 2**mechanism._bits - 1
    words = [0, keep - 1, *starts, *ends]
    for code in {0, 1, categories - 1}:
        recorded = Recorded(np.array(words, np.uint32 if mechanism._bits == 32 else np.uint64))
        reports = mechanism.randomize(np.full(len(words), code), recorded)
        assert reports.tolist() == [reference(mechanism, code, word) for word in words]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
def test_random_words_agree_with_the_definition_in_every_integer_type(dtype):
    mechanism = RandomizedResponse(16, "1")
    codes = (np.arange(50_000) % 16).astype(dtype)
    words = Seeded(3).bind(mechanism, codes).take(len(codes), np.uint32)
    reports = mechanism.randomize(codes, Recorded(words))
    assert reports.dtype == dtype
    expected = [reference(mechanism, code, word) for code, word in zip(codes.tolist(), words.tolist(), strict=True)]
    assert reports.tolist() == expected


@pytest.mark.parametrize(("categories", "epsilon"), SETTINGS)
def test_epsilon_is_proved_and_nothing_is_wasted(categories, epsilon):
    mechanism = RandomizedResponse(categories, epsilon)
    ratio = Fraction(mechanism._keep, mechanism._other)
    assert ratio <= exp_lower_bound(Fraction(epsilon))
    one_word_less = mechanism._other - 1
    tighter = Fraction(2**mechanism._bits - (categories - 1) * one_word_less, one_word_less)
    assert tighter > exp_lower_bound(Fraction(epsilon))


def test_two_categories_are_a_binary_report():
    assert RandomizedResponse(2, "1").guarantee == LocalDP("1", outputs=2)


def test_frequencies_are_debiased_and_their_intervals_cover():
    mechanism = RandomizedResponse(4, "1")
    truth = np.array([0.7, 0.2, 0.1, 0.0])
    codes = np.repeat(np.arange(4), (truth * 2000).astype(int))
    hits = np.zeros(4)
    for seed in range(400):
        estimate = mechanism.frequencies(mechanism.randomize(codes, Seeded(seed)))
        hits += (estimate.low <= truth) & (truth <= estimate.high)
        assert not estimate.private
    # 400 runs at 95 %: more than 5 sigma of a binomial below is no accident.
    assert (hits >= 400 * 0.95 - 5 * np.sqrt(400 * 0.95 * 0.05)).all()


def test_expected_error_is_that_of_the_worst_share():
    mechanism = RandomizedResponse(3, "1")
    codes = np.zeros(3000, int)
    errors = [mechanism.frequencies(mechanism.randomize(codes, Seeded(s))).value[0] - 1 for s in range(300)]
    assert np.std(errors) == pytest.approx(mechanism.expected_error(3000), rel=0.15)


def test_codes_may_be_read_only_strided_or_empty():
    mechanism = RandomizedResponse(3, "1")
    codes = np.arange(3000) % 3
    locked = codes.copy()
    locked.flags.writeable = False
    whole = mechanism.randomize(codes, Seeded(1))
    assert (mechanism.randomize(locked, Seeded(1)) == whole).all()
    assert (mechanism.randomize(np.repeat(codes, 2)[::2], Seeded(1)) == whole).all()
    assert len(mechanism.randomize([])) == 0


def test_codes_too_narrow_for_all_categories_are_widened():
    assert RandomizedResponse(1000, "1").randomize(np.zeros(5, np.uint8)).dtype == np.int64


def test_the_identity_rebuilds_it():
    mechanism = RandomizedResponse(7, "1/3")
    assert rebuilt(mechanism.identity()) == mechanism


@pytest.mark.parametrize("categories", [1, 0, -2, True, 2.0, "3", None, 65_537])
def test_a_wrong_number_of_categories_is_refused(categories):
    with pytest.raises(InvalidParameter, match="categories"):
        RandomizedResponse(categories, "1")


@pytest.mark.parametrize("values", [[3], [-1], [0.5], [True], ["yes"], [None], [[0]], 1, [1 << 62]])
def test_values_that_are_no_codes_are_refused_without_being_shown(values):
    with pytest.raises(SudareError, match="remedy") as refusal:
        RandomizedResponse(3, "1").randomize(np.array(values))
    assert str(1 << 62) not in str(refusal.value)


def test_the_row_of_a_wrong_code_is_named():
    with pytest.raises(SudareError, match="row 3"):
        RandomizedResponse(3, "1").randomize(np.array([0, 1, 7]))


def test_no_reports_estimate_nothing():
    with pytest.raises(NotIdentifiable):
        RandomizedResponse(3, "1").frequencies(np.array([], int))


def test_a_table_too_large_to_write_down_is_refused_and_still_proved():
    mechanism = RandomizedResponse(65_536, "1")
    assert mechanism.proved_epsilon <= 1
    with pytest.raises(InvalidParameter, match="proved_epsilon"):
        mechanism.weights()

"""Exact numbers: what was written is what is charged, and e^x lies between its bounds."""

import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import InvalidParameter
from sudare.guarantees import share
from sudare.guarantees.exact import (
    exact,
    exact_epsilon,
    exact_whole,
    exp_lower_bound,
    exp_upper_bound,
    log_upper_bound,
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("0.1", Fraction(1, 10)),
        (0.1, Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float64(1e-10), Fraction(1, 10**10)),
        (Decimal("0.30"), Fraction(3, 10)),
        ("1/3", Fraction(1, 3)),
        (Fraction(2, 7), Fraction(2, 7)),
        (5, Fraction(5)),
        (np.int64(5), Fraction(5)),
        ("  2e-3 ", Fraction(1, 500)),
        (".5", Fraction(1, 2)),
    ],
)
def test_a_number_means_what_it_prints(written, meant):
    assert exact(written, name="epsilon") == meant


BAD = ["ten", "", "nan", "inf", "-inf", "1/0", "1e99999", "0x10", "1_000", "1,5", "¹", "١"]
BAD += [True, False, np.True_, math.nan, math.inf, -math.inf, None, [], {}, 1j, b"1", Decimal("NaN"), 10**70, "9" * 99]


@pytest.mark.parametrize("written", BAD, ids=repr)
def test_what_is_no_finite_number_is_refused_with_a_remedy(written):
    with pytest.raises(InvalidParameter, match="remedy"):
        exact(written, name="epsilon")


@pytest.mark.parametrize("epsilon", [0, -1, "0.0000009", "40.000001", 41, "-0.5"])
def test_a_mechanism_refuses_an_epsilon_outside_its_range(epsilon):
    with pytest.raises(InvalidParameter, match=r"0\.000001 to 40"):
        exact_epsilon(epsilon)


@pytest.mark.parametrize("count", [0, -1, True, 1.0, "1", None])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(InvalidParameter, match="rows"):
        exact_whole(count, name="rows")


@given(st.fractions(0, 40), st.integers(1, 1000))
def test_shares_add_up_to_the_last_digit(epsilon, parts):
    assert share(epsilon, parts) * parts == epsilon


@given(st.fractions(0, 60, max_denominator=10**12))
def test_e_lies_between_its_bounds(exponent):
    low, high = exp_lower_bound(exponent), exp_upper_bound(exponent)
    with localcontext() as context:
        context.prec = 120
        true = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        low_digits = Decimal(low.numerator) / Decimal(low.denominator)
        high_digits = Decimal(high.numerator) / Decimal(high.denominator)
        slack = true * Decimal("1e-100")
        assert low_digits <= true + slack
        assert true - slack <= high_digits
        assert high_digits - low_digits <= true * Decimal(2) ** -150
    assert getcontext().prec != 120


@given(st.fractions(1, 10**17, max_denominator=10**19))
def test_the_log_bound_is_enough_and_tight(ratio):
    bound = log_upper_bound(ratio)
    assert exp_lower_bound(bound) >= ratio
    if ratio > 1:
        assert exp_lower_bound(bound * Fraction(10**12 - 1, 10**12)) < ratio

"""Exact numbers: what a user wrote becomes a rational, and e^ε gets rational bounds from either side."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from sudare.errors import InvalidParameter

Number = int | float | str | Decimal | Fraction

SMALLEST_EPSILON = Fraction(1, 10**6)
LARGEST_EPSILON = Fraction(40)

_DECIMAL = re.compile(
    r"[+-]?(\d{1,60}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,3})?|[+-]?\d{1,2000}/\d{1,2000}", re.ASCII
)
_BITS = 256  # of the rational bounds: far below any word of a table


def exact(value: Any, *, name: str) -> Fraction:
    """Read a number as the rational that it prints: 0.1 means 1/10, "1/3" means a third.

    Examples
    --------
    >>> exact(0.1, name="epsilon")
    Fraction(1, 10)
    >>> exact("1/3", name="rho")
    Fraction(1, 3)
    """
    if isinstance(value, Fraction):
        return value
    text = _printed(value)
    if text is None or not _DECIMAL.fullmatch(text):
        raise InvalidParameter(
            f"{name} is not a finite number",
            where=name,
            remedy='write a number or an exact decimal string, such as "0.5" or "1/3"',
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InvalidParameter(f"{name} divides by zero", where=name, remedy='write it as "1/3"') from None


def _printed(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return str(int(value)) if abs(int(value)) < 10**60 else None
    if isinstance(value, (float, np.floating)):
        return str(value) if math.isfinite(value) else None  # str of a NumPy float prints its own shortest form
    return str(value) if isinstance(value, Decimal) and value.is_finite() else None


def exact_epsilon(value: Any, *, name: str = "epsilon") -> Fraction:
    """Read the ε of one mechanism, from 10⁻⁶ to 40.

    Examples
    --------
    >>> exact_epsilon("0.5")
    Fraction(1, 2)
    """
    epsilon = exact(value, name=name)
    if not SMALLEST_EPSILON <= epsilon <= LARGEST_EPSILON:
        raise InvalidParameter(
            f"{name} is outside what one mechanism may have (allowed: 0.000001 to 40)",
            where=name,
            remedy="choose an epsilon between 0.000001 and 40; most studies use 0.1 to 10",
        )
    return epsilon


def exact_whole(value: Any, *, name: str, least: int = 1) -> int:
    """Read a count: a whole number, at least `least`; True is not one.

    Examples
    --------
    >>> exact_whole(3, name="rows")
    3
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise InvalidParameter(
            f"{name} is not a whole number of at least {least}", where=name, remedy=f"write {name}={least} or more"
        )
    return int(value)


def share(epsilon: Number, parts: int) -> Fraction:
    """Divide ε exactly, so that the parts add up to the whole to the last digit.

    Examples
    --------
    >>> share("1", 3) * 3
    Fraction(1, 1)
    """
    return exact(epsilon, name="epsilon") / exact_whole(parts, name="parts")


def exp_lower_bound(exponent: Fraction) -> Fraction:
    """Return a rational at most e^exponent, and within a relative 2⁻¹⁵⁰ of it, for 0 ≤ exponent ≤ 200.

    Examples
    --------
    >>> float(exp_lower_bound(Fraction(1)))
    2.718281828459045
    """
    return _exp_bounds(exponent)[0]


def exp_upper_bound(exponent: Fraction) -> Fraction:
    """Return a rational at least e^exponent, and within a relative 2⁻¹⁵⁰ of it, for 0 ≤ exponent ≤ 200."""
    return _exp_bounds(exponent)[1]


@lru_cache(maxsize=1024)
def _exp_bounds(exponent: Fraction) -> tuple[Fraction, Fraction]:
    # Taylor's partial sums of e^(x/2^k), x/2^k ≤ 1/2, bound it from below; the rest is under twice the next term.
    if exponent < 0:
        raise ValueError("bounds of e^x are kept for x >= 0")
    halvings = max(0, math.ceil(exponent * 2).bit_length())
    x = exponent / 2**halvings
    low, term, order = Fraction(1), Fraction(1), 0
    while term > Fraction(1, 2**_BITS):
        order += 1
        term = _down(term * x / order, 2 * _BITS)
        low += term
    # Each rounded term lost under 2^-2B, each at most doubled by the rest of the series that it feeds.
    high = low + 4 * term + Fraction(4 * order, 2 ** (2 * _BITS)) + Fraction(1, 2**_BITS)
    low, high = _down(low, _BITS), -_down(-high, _BITS)
    for _ in range(halvings):
        low, high = _down(low * low, _BITS), -_down(-high * high, _BITS)
    return low, high


def _down(value: Fraction, bits: int) -> Fraction:
    return Fraction(math.floor(value * 2**bits), 2**bits)


def log_upper_bound(ratio: Fraction) -> Fraction:
    """Return a rational at least ln(ratio) and within a relative 10⁻¹² of it, checked by `exp_lower_bound`; ratio ≥ 1.

    Examples
    --------
    >>> float(log_upper_bound(exp_lower_bound(Fraction(2))))
    2.0
    """
    if ratio < 2:
        guess = Fraction(math.log1p(float(ratio - 1)))
    else:
        guess = Fraction(math.log(ratio.numerator) - math.log(ratio.denominator))
    # The float guess may err either way, so it is stepped up until it provably suffices.
    bound, step = guess, guess / 2**44
    while exp_lower_bound(bound) < ratio:
        bound += step
        step *= 2
    return bound

"""How many words of the stream stand for the rarer answer: rounded toward privacy, at most e^ε apart by proof."""

import math
from fractions import Fraction

import numpy as np

from sudare.guarantees.exact import exp_lower_bound


def word_bits(epsilon: Fraction, categories: int = 2) -> int:
    """Return 32 where 32-bit words resolve ε to half a percent or better, else 64.

    Examples
    --------
    >>> word_bits(Fraction(1)), word_bits(Fraction(1, 1000)), word_bits(Fraction(30))
    (32, 64, 64)
    """
    if not Fraction(1, 100) <= epsilon <= 20:
        return 64
    # Rounding one weight up by a word moves ln(keep / other) by at most this much.
    times = math.exp(epsilon)
    slack = (times + categories - 1) ** 2 / (times * 2**32)
    return 32 if slack <= float(epsilon) / 150 else 64


def word_type(bits: int) -> type[np.unsignedinteger]:
    """Return the unsigned NumPy type of a word."""
    return np.uint32 if bits == 32 else np.uint64


def rarer_weight(epsilon: Fraction, categories: int, bits: int) -> int:
    """Return how many of 2^bits words each other category gets; the true one keeps the rest.

    Examples
    --------
    >>> other = rarer_weight(Fraction(1), 2, 32)
    >>> (2**32 - other) / other <= 2.718281828459045
    True
    """
    # Rounded up: more words for the others can only lower the ratio.
    return math.ceil(Fraction(2**bits) / (exp_lower_bound(epsilon) + categories - 1))

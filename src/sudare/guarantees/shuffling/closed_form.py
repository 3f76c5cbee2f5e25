"""The closed form of amplification by shuffling: quick, valid for any local mechanism, and far from tight."""

import math
from collections.abc import Iterable
from fractions import Fraction

from sudare.guarantees.shuffling.smallest import log_of

_ROUND_UP = 1 + 2.0**-44  # covers the few roundings of the formula


def closed_form_holds(epsilon: Fraction, rows: int, delta: Fraction) -> bool:
    """Return whether the condition ε ≤ ln(n / (16 ln(2/δ))) of the closed form holds.

    Examples
    --------
    >>> closed_form_holds(Fraction(2), 10_000, Fraction(1, 10**10))
    True
    >>> closed_form_holds(Fraction(4), 10_000, Fraction(1, 10**10))
    False
    """
    limit = math.log(rows) - math.log(16 * (math.log(2) - log_of(delta)))
    return float(epsilon) <= limit - 1e-12  # the margin covers the rounding of the logarithms


def closed_form_epsilon(epsilon: Fraction, rows: int, delta: Fraction) -> float:
    """Return ε of the shuffled reports for any ε₀-local mechanism, rounded up, where `closed_form_holds`.

    Theorem 3 of Kii, Ichikawa, Miura, Yamamoto and Chida, "Privacy-Preserving Data Synthesization from Vertical
    Partitioned Data with Local Differential Privacy in the Shuffled Model", with δ₀ = 0 (Feldman, McMillan and Talwar,
    "Hiding among the clones", 2021).

    Examples
    --------
    >>> round(closed_form_epsilon(Fraction(1), 10_000, Fraction(1, 10**10)), 3)
    0.264
    """
    local, n = float(epsilon), float(rows)
    crowd = 8 * math.sqrt(math.exp(local) * (math.log(4) - log_of(delta)) / n) + 8 * math.exp(local) / n
    return math.log1p(math.tanh(local / 2) * crowd) * _ROUND_UP


def closed_form_of_record(epsilons: Iterable[Fraction], rows: int, delta: Fraction) -> float:
    """Return ε of shuffled records of several reports: the closed form at ε' = Σ ε_j.

    Theorem 4 of Kii, Ichikawa, Miura, Yamamoto and Chida, "Privacy-Preserving Data Synthesization from Vertical
    Partitioned Data with Local Differential Privacy in the Shuffled Model". Where two tables are joined, `rows` is the
    smaller one's.

    Examples
    --------
    >>> round(closed_form_of_record([Fraction(1, 3)] * 6, 10_000, Fraction(1, 10**10)), 3)
    0.6
    """
    return closed_form_epsilon(sum(epsilons, Fraction(0)), rows, delta)

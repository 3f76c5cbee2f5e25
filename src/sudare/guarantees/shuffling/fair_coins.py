"""How likely a number of heads is among fair coins, to nearly all digits also for billions of tosses."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def log_fair_coins(tosses: Floats, heads: Floats) -> Floats:
    """Return ln P(Bin(tosses, 1/2) = heads), by Stirling's formula with its error kept apart.

    A difference of logarithms of factorials would lose the digits that a tail's small difference needs.

    Examples
    --------
    >>> np.exp(log_fair_coins(np.full(3, 2.0), np.arange(3.0))).round(12).tolist()
    [0.25, 0.5, 0.25]
    """
    inner = (heads > 0) & (heads < tosses)
    n, k = np.where(inner, tosses, 2.0), np.where(inner, heads, 1.0)
    lean = (2 * k - n) / n
    exponent = -n / 2 * (2 * lean * np.arctanh(lean) + np.log1p(-lean * lean))
    exponent += _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    inside = exponent + np.log(n / (2 * math.pi * k * (n - k))) / 2
    return np.asarray(np.where(inner, inside, -tosses * math.log(2)), dtype=np.float64)


def _stirling_error(n: Floats) -> Any:
    """Return ln(n!) less the logarithm of Stirling's √(2πn) (n/e)^n."""
    from scipy import special

    small = np.minimum(n, 30)
    exact = special.gammaln(small + 1) - (small + 0.5) * np.log(small) + small - math.log(2 * math.pi) / 2
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n * n)) / (n * n)) / (n * n)) / n
    return np.where(n <= 30, exact, series)

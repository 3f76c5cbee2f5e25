"""Shares that are no longer unbiased, but are shares: none negative, together 1. A step of its own."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.randomness import is_private, kept_mark


def project_to_simplex(shares: Any) -> NDArray[np.float64]:
    """Return the nearest shares (in squared distance) that are not negative and add up to 1.

    Examples
    --------
    >>> project_to_simplex([0.7, 0.5, -0.1])
    array([0.6, 0.4, 0. ])
    """
    values = np.asarray(shares, np.float64)
    if values.ndim != 1 or values.size == 0 or not np.isfinite(values).all():
        raise InvalidParameter(
            "these are no shares", where="shares", remedy="hand in the value of an estimate of frequencies"
        )
    descending = np.sort(values)[::-1]
    excess = np.cumsum(descending) - 1
    kept = int(np.flatnonzero(descending * np.arange(1, values.size + 1) > excess)[-1]) + 1
    shifted: NDArray[np.float64] = values - excess[kept - 1] / kept
    return kept_mark(np.maximum(shifted, 0.0), private=is_private(shares))

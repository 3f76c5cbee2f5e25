"""Many draws of one input, in batches: what the statistical laws of a mechanism look at."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.mechanisms import Mechanism, NumericMechanism

SIGMAS = 4.5
_POWER_SIGMAS = 3.1  # an error of the size looked for is missed once in 1,000
_FEWEST_DRAWS, _MOST_DRAWS = 10**6, 4 * 10**7
_BATCH_ROWS = 1 << 20


def enough_draws(variance: float, *, shift: float) -> int:
    """Return how many draws find a mean that is off by `shift`, or a million where forty would not be enough.

    Examples
    --------
    >>> enough_draws(1.0, shift=0.01), enough_draws(1e9, shift=0.01), enough_draws(1.0, shift=0.002)
    (1000000, 1000000, 14440000)
    """
    needed = round((SIGMAS + _POWER_SIGMAS) ** 2 * variance / shift**2)
    return needed if _FEWEST_DRAWS < needed <= _MOST_DRAWS else _FEWEST_DRAWS


def allowance(variance: float, reach: float, draws: int) -> float:
    """Return how far a mean of draws may stray by chance at 4.5 σ, by Bernstein: also where the draws are rarely apart.

    Examples
    --------
    >>> round(allowance(1.0, 1.0, 10**6), 5)
    0.00451
    """
    return SIGMAS * math.sqrt(variance / draws) + reach * SIGMAS**2 / (3 * draws)


def moments(scores: NDArray[np.float64], weights: Sequence[int]) -> tuple[float, float]:
    """Return mean and variance of a score under integer weights.

    Examples
    --------
    >>> moments(np.array([0.0, 1.0]), [3, 1])
    (0.25, 0.1875)
    """
    shares = np.array([float(weight) for weight in weights]) / float(sum(weights))
    mean = float(shares @ scores)
    return mean, float(shares @ (scores - mean) ** 2)


def drawn_cells(mechanism: Mechanism, row: int, draws: int) -> Iterator[NDArray[np.intp]]:
    """Yield the columns of the table into which fresh reports of one input fall."""
    for reports in _constant_reports(mechanism, row, draws):
        yield np.searchsorted(mechanism.outputs.astype(reports.dtype), _one_draw_each(reports))


def constant_estimate(mechanism: Mechanism, row: int, draws: int) -> tuple[float, float]:
    """Return what fresh reports of one input estimate, and what they should."""
    batches = list(_batch_rows(draws))
    reports = _constant_reports(mechanism, row, draws)
    values = [estimated(mechanism, batch) * rows for batch, rows in zip(reports, batches, strict=True)]
    total = np.sum(values, axis=0) / draws
    if isinstance(mechanism, NumericMechanism):
        return float(total), float(mechanism.inputs[row])
    return float(total[_constant_code(mechanism, row)]), 1.0


def estimated(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mechanism's own estimate: a mean, or a share for each category."""
    estimate = mechanism.mean(reports) if isinstance(mechanism, NumericMechanism) else mechanism.frequencies(reports)
    return np.asarray(estimate.value)


def _constant_reports(mechanism: Mechanism, row: int, draws: int) -> Iterator[NDArray[Any]]:
    for rows in _batch_rows(draws):
        if isinstance(mechanism, NumericMechanism):
            values = np.full(rows, mechanism.inputs[row])
        else:
            values = np.full(rows, _constant_code(mechanism, row))
        yield np.asarray(mechanism.randomize(values))


def _batch_rows(draws: int) -> Iterator[int]:
    for start in range(0, draws, _BATCH_ROWS):
        yield min(_BATCH_ROWS, draws - start)


def _constant_code(mechanism: Mechanism, row: int) -> int:
    return int(mechanism.inputs[row])


def _one_draw_each(reports: NDArray[Any]) -> NDArray[Any]:
    """Return one draw from the table for each report; of a row of bits, bit 1.

    A table of bits has the inputs 0 and 1, so all reports are of code 0, whose bit 1 is somebody else's, or of code 1,
    whose bit 1 is its own: what the table's row stands for.
    """
    return reports if reports.ndim == 1 else reports[:, 1]

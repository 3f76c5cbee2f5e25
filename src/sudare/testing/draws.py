"""Many draws of one input, in batches: what the statistical laws of a mechanism look at."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import NotIdentifiable
from sudare.mechanisms import Mechanism, NumericMechanism

SIGMAS = 4.5
_POWER_SIGMAS = 3.1  # an error of the size looked for is missed once in 1,000
FEWEST_DRAWS, _MOST_DRAWS = 10**6, 4 * 10**7
FEW_DRAWS = 50_000  # for each of many inputs
RUNS, RUN_ROWS = 300, 500
WIDE_SIGMAS = 6.5
_BATCH_ROWS = 1 << 20


def enough_draws(variance: float, *, shift: float) -> int:
    """Return how many draws find a mean that is off by `shift`, or a million where forty would not be enough.

    Examples
    --------
    >>> enough_draws(1.0, shift=0.01), enough_draws(1e9, shift=0.01), enough_draws(1.0, shift=0.002)
    (1000000, 1000000, 14440000)
    """
    needed = round((SIGMAS + _POWER_SIGMAS) ** 2 * variance / shift**2)
    return needed if FEWEST_DRAWS < needed <= _MOST_DRAWS else FEWEST_DRAWS


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
    yield from drawn_cells_of(mechanism, mechanism.inputs[row], draws)


def drawn_cells_of(mechanism: Mechanism, value: Any, draws: int) -> Iterator[NDArray[np.intp]]:
    """Yield the columns of the table into which fresh reports of one value fall."""
    for reports in _constant_reports(mechanism, value, draws):
        yield np.searchsorted(mechanism.outputs.astype(reports.dtype), _one_draw_each(reports))


def constant_estimate(mechanism: Mechanism, value: Any, draws: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what fresh reports of one value estimate, and what they should: a mean, or all shares."""
    reports = _constant_reports(mechanism, value, draws)
    weighted = [estimated(mechanism, batch) * len(batch) for batch in reports]
    found = np.sum(weighted, axis=0) / draws
    return found, _truth(mechanism, value, found)


def repeated_estimates(mechanism: Any, value: Any) -> tuple[int, float]:
    """Return how many of the intervals of many short columns hold the truth, and how far their estimates stray."""
    covered, errors = 0, []
    for _ in range(RUNS):
        reports = next(_constant_reports(mechanism, value, RUN_ROWS))
        numeric = isinstance(mechanism, NumericMechanism)
        estimate = mechanism.mean(reports) if numeric else mechanism.frequencies(reports)
        own = () if numeric else (int(value),)  # of the shares, the one that is 1
        truth = _truth(mechanism, value, np.asarray(estimate.value))[own]
        low, high = np.asarray(estimate.low)[own], np.asarray(estimate.high)[own]
        covered += bool(low <= truth <= high)
        errors.append(float(np.asarray(estimate.value)[own] - truth))
    return covered, float(np.sqrt(np.mean(np.square(errors))))


def squared_terms(mechanism: NumericMechanism, value: float) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield estimates of x², each of one short column: by products of two reports, and by second moments."""

    def reports() -> NDArray[Any]:
        return next(_constant_reports(mechanism, value, RUN_ROWS))

    yield "products", np.array([mechanism.products(reports(), reports()).value for _ in range(RUNS)], np.float64)
    try:
        mechanism.second_moment(reports())
    except NotIdentifiable:
        return
    yield "second_moment", np.array([mechanism.second_moment(reports()).value for _ in range(RUNS)], np.float64)


def estimated(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mechanism's own estimate: a mean, or a share for each category."""
    estimate = mechanism.mean(reports) if isinstance(mechanism, NumericMechanism) else mechanism.frequencies(reports)
    return np.asarray(estimate.value)


def _truth(mechanism: Mechanism, value: Any, like: NDArray[Any]) -> NDArray[Any]:
    if isinstance(mechanism, NumericMechanism):
        return np.asarray(float(value))
    shares: NDArray[np.float64] = np.eye(len(like))[int(value)]
    return shares


def _constant_reports(mechanism: Mechanism, value: Any, draws: int) -> Iterator[NDArray[Any]]:
    for start in range(0, draws, _BATCH_ROWS):
        rows = min(_BATCH_ROWS, draws - start)
        constant = value if isinstance(mechanism, NumericMechanism) else int(value)
        yield np.asarray(mechanism.randomize(np.full(rows, constant)))


def _one_draw_each(reports: NDArray[Any]) -> NDArray[Any]:
    """Return one draw from the table for each report; of a row of bits, bit 1.

    A table of bits has the inputs 0 and 1, so all reports are of code 0, whose bit 1 is somebody else's, or of code 1,
    whose bit 1 is its own: what the table's row stands for.
    """
    return reports if reports.ndim == 1 else reports[:, 1]

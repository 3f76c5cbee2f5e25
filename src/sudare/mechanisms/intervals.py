"""From reports to estimates: means and shares, each with an interval that counts rare reports too."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, NotIdentifiable
from sudare.estimate import Estimate
from sudare.randomness import kept_mark

FEW_ROWS = 30  # below, the spread of the reports is too uncertain an estimate of their variance


def normal_quantile(confidence: float) -> float:
    """Return z such that a normal value lies within ±z with this probability.

    Examples
    --------
    >>> round(normal_quantile(0.95), 2)
    1.96
    """
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)) or not 0 < confidence < 1:
        raise InvalidParameter(
            "confidence is not a probability", where="confidence", remedy="choose one between 0 and 1, such as 0.95"
        )
    return NormalDist().inv_cdf(min((1 + confidence) / 2, 1 - 2**-53))  # what is nearer to 1 rounds to it


@dataclass(frozen=True)
class Spread:
    """What is known of the terms of a mean before they are seen: from public facts, so that luck cannot hide it.

    Reports under a large ε are rarely far off, and none of those may be among the rows. Their own variance then says
    that nothing is uncertain; `least`, which follows from the mechanism alone, says otherwise.
    """

    least: Callable[[float], float]
    """From the mean, the least variance that terms with this mean can have."""

    worst: float
    """The largest variance that a term can have; it serves where rows are few."""

    width: float
    """The distance between the smallest and the largest term."""


def mean_estimate(terms: NDArray[Any], spread: Spread, *, confidence: float, private: bool) -> Estimate:
    """Return the mean of independent terms; its interval adds to the normal one what single rare terms can do.

    It covers the mean behind these terms. Of those whom the people stand for it knows what their reports show: a group
    so rare that nobody of it took part is in no interval.

    Examples
    --------
    >>> import numpy as np
    >>> coins = Spread(least=lambda mean: 1 - mean**2, worst=1.0, width=2.0)
    >>> mean_estimate(np.array([1.0, -1.0]), coins, confidence=0.95, private=True)
    Estimate(value=0, low=-3.84516, high=3.84516, confidence=0.95)
    """
    rows = some(terms)
    value = float(np.mean(terms, dtype=np.float64))
    if rows < FEW_ROWS:
        variance = spread.worst
    else:
        variance = max(float(np.var(terms, dtype=np.float64, ddof=1)), spread.least(value))
    reach = normal_quantile(confidence) * float(np.sqrt(variance / rows))
    reach += spread.width * 2 * math.log(2 / (1 - confidence)) / (3 * rows)
    return Estimate(value, value - reach, value + reach, confidence, private)


def sign_estimate(terms: NDArray[Any], size: float, *, confidence: float, private: bool) -> Estimate:
    """Return the mean of terms that are all +size or −size, with the exact binomial interval.

    Examples
    --------
    >>> import numpy as np
    >>> sign_estimate(np.array([2.0, 2.0, -2.0, 2.0]), 2.0, confidence=0.95, private=True)
    Estimate(value=1, low=-1.22352, high=1.97476, confidence=0.95)
    """
    rows = some(terms)
    positive = np.count_nonzero(terms > 0)
    low, high = share_interval(np.array([positive]), rows, confidence)
    value, least, most = (float(size * (2 * share - 1)) for share in (positive / rows, low[0], high[0]))
    return Estimate(value, least, most, confidence, private)


def share_interval(
    counts: NDArray[Any], rows: int, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the exact binomial interval for each share (Clopper and Pearson): it holds for the rarest answer too.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = share_interval(np.array([0]), 10, 0.95)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.0, 0.308)
    """
    from scipy.special import betaincinv

    normal_quantile(confidence)  # refuses what is no probability
    tail = (1 - confidence) / 2
    hits = np.asarray(counts, np.float64)
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), rows - hits + 1, tail), 0.0)
    high = np.where(hits < rows, betaincinv(hits + 1, np.maximum(rows - hits, 1), 1 - tail), 1.0)
    return low, high


def share_estimate(
    counts: NDArray[Any], rows: int, *, often: float, rarely: float, confidence: float, private: bool
) -> Estimate:
    """Return the share of each category behind reports that name it `often` where it is true, and `rarely` where not.

    Examples
    --------
    >>> import numpy as np
    >>> share_estimate(np.array([75, 25]), 100, often=0.75, rarely=0.25, confidence=0.95, private=True).value
    array([1., 0.])
    """
    shares = (counts / rows, *share_interval(counts, rows, confidence))
    value, low, high = (kept_mark((share - rarely) / (often - rarely), private=private) for share in shares)
    return Estimate(value, low, high, confidence, private)


def some(reports: NDArray[Any]) -> int:
    """Return the number of reports; none carry no information."""
    if len(reports) == 0:
        raise NotIdentifiable(
            "there are no reports, so nothing can be estimated", where="outputs", remedy="collect at least one report"
        )
    return len(reports)

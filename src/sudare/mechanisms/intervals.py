"""From reports to estimates: means and shares with intervals that hold for these people and those they stand for."""

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, NotIdentifiable
from sudare.estimate import Estimate

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
    return NormalDist().inv_cdf((1 + confidence) / 2)


def mean_estimate(terms: NDArray[Any], *, worst_variance: float, confidence: float, private: bool) -> Estimate:
    """Return the mean of independent terms; `worst_variance` bounds the variance of one, and serves where rows are few.

    Examples
    --------
    >>> import numpy as np
    >>> mean_estimate(np.array([1.0, -1.0]), worst_variance=1.0, confidence=0.95, private=True)
    Estimate(value=0, low=-1.3859, high=1.3859, confidence=0.95)
    """
    rows = some(terms)
    value = float(np.mean(terms, dtype=np.float64))
    variance = worst_variance if rows < FEW_ROWS else float(np.var(terms, dtype=np.float64, ddof=1))
    reach = normal_quantile(confidence) * float(np.sqrt(variance / rows))
    return Estimate(value, value - reach, value + reach, confidence, private)


def share_interval(
    counts: NDArray[Any], rows: int, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's interval for each share: it holds for rare categories, where the plain one does not.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = share_interval(np.array([0.0]), 10, 0.95)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.0, 0.278)
    """
    z = normal_quantile(confidence)
    shares = np.asarray(counts, np.float64) / rows
    center = shares + z * z / (2 * rows)
    reach = z * np.sqrt(shares * (1 - shares) / rows + z * z / (4 * rows * rows))
    scale = 1 + z * z / rows
    return np.maximum(center - reach, 0) / scale, np.minimum(center + reach, scale) / scale


def some(reports: NDArray[Any]) -> int:
    """Return the number of reports; none carry no information."""
    if len(reports) == 0:
        raise NotIdentifiable(
            "there are no reports, so nothing can be estimated", where="outputs", remedy="collect at least one report"
        )
    return len(reports)

"""An estimate never travels without its interval."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = float | NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that covers the truth at the stated confidence; arrays hold one interval per entry.

    `private` is False where the reports behind it came from a seeded or simulated source; it then says so.

    Examples
    --------
    >>> from sudare.estimate import Estimate
    >>> Estimate(value=47.25, low=45.5, high=49.0, confidence=0.95)
    Estimate(value=47.25, low=45.5, high=49, confidence=0.95)
    """

    value: Values
    low: Values
    high: Values
    confidence: float
    private: bool = True

    def mapped(self, change: Callable[[Any], Any]) -> "Estimate":
        """Return the estimate in another unit; `change` is increasing and works entry by entry.

        Examples
        --------
        >>> from sudare.estimate import Estimate
        >>> Estimate(0.25, 0.2, 0.3, confidence=0.95).mapped(lambda share: 100 * share)
        Estimate(value=25, low=20, high=30, confidence=0.95)
        """
        return Estimate(change(self.value), change(self.low), change(self.high), self.confidence, self.private)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists.

        Examples
        --------
        >>> from sudare.estimate import Estimate
        >>> Estimate(0.25, 0.2, 0.3, confidence=0.95).to_dict()["value"]
        0.25
        """
        plain = {name: np.asarray(getattr(self, name)).tolist() for name in ("value", "low", "high")}
        return {**plain, "confidence": self.confidence, "private": self.private}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={_shown(getattr(self, name))}" for name in ("value", "low", "high"))
        return f"Estimate({shown}, confidence={self.confidence:g}{'' if self.private else ', not private'})"


def _shown(values: Values) -> str:
    array = np.asarray(values)
    return f"{float(array):.6g}" if array.ndim == 0 else np.array2string(array, precision=6, threshold=20)

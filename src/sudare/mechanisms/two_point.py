"""Two-point mechanism: a value on [-1, 1] becomes +C or −C, by a coin that leans the way of the value."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudare.guarantees import LocalDP
from sudare.guarantees.exact import exact_epsilon
from sudare.mechanisms.mechanism import Table
from sudare.mechanisms.numeric import NumericMechanism
from sudare.mechanisms.reading import unit_value, unit_values, writable
from sudare.mechanisms.thresholds import rarer_weight, word_bits, word_type
from sudare.randomness import Source, opened


@dataclass(frozen=True)
class TwoPoint(NumericMechanism):
    """Binary report of a number on [-1, 1], ε-LDP; its mean and products of two attributes are unbiased.

    Algorithm 3 of Kii et al. and Algorithm 1 there (Nguyễn et al.; Duchi et al. in one dimension): only b/a of the
    former matters, so ε is the one parameter. A report says nothing about x², since its law depends on x linearly.

    Parameters
    ----------
    epsilon
        What one report is charged, 0.000001 to 40.

    Examples
    --------
    >>> import numpy as np
    >>> coin = TwoPoint("1")
    >>> reports = coin.randomize(np.full(1000, 0.5))
    >>> set(reports) <= set(coin.outputs)
    True
    """

    epsilon: Fraction

    def __init__(self, epsilon: Any) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))

    @property
    def guarantee(self) -> LocalDP:
        """The promise for one report, which is one of two values."""
        return LocalDP(self.epsilon, outputs=2)

    @cached_property
    def _bits(self) -> int:
        return word_bits(self.epsilon)

    @cached_property
    def _rare(self) -> int:
        return rarer_weight(self.epsilon, 2, self._bits)

    @cached_property
    def reach(self) -> float:
        """C, the size of a report: (e^ε + 1) / (e^ε − 1) for the proved ε."""
        total = 1 << self._bits
        return total / (total - 2 * self._rare)

    @property
    def inputs(self) -> NDArray[np.float64]:
        """The two extremes; every other input mixes their rows linearly."""
        return np.array([-1.0, 1.0])

    @property
    def outputs(self) -> NDArray[np.float64]:
        """−C and +C."""
        return np.array([-self.reach, self.reach])

    def weights(self) -> Table:
        """Return the exact table of words of the two extremes."""
        often = (1 << self._bits) - self._rare
        return [[often, self._rare], [self._rare, often]]

    def randomize(self, values: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Return +C or −C for each value, in the same float type.

        Examples
        --------
        >>> reports = TwoPoint("1").randomize(np.array([0.5, -1.0], np.float32))
        >>> reports.dtype, len(reports)
        (dtype('float32'), 2)
        """
        numbers = unit_values(values)
        words = opened(source, self, numbers)
        reports = np.empty_like(numbers)
        kind = word_type(self._bits)
        least, span = kind(self._rare), kind((1 << self._bits) - 2 * self._rare)
        reach = numbers.dtype.type(self.reach)
        for rows, block in words.blocks(len(numbers), kind):
            _toss(writable(numbers[rows]), block, least, span, reach, reports[rows])
        return words.mark(reports)

    def variance(self, value: float = 0.0) -> float:
        """Return the variance of one report of this value; 0 has the largest.

        Examples
        --------
        >>> round(TwoPoint("1").variance(0.0), 3)
        4.683
        """
        return self.reach**2 - unit_value(value) ** 2

    def identity(self) -> dict[str, str]:
        """Return name and parameters as text."""
        return {"mechanism": "TwoPoint", "epsilon": str(self.epsilon)}


@njit(cache=True, nogil=True)
def _toss(values, words, least, span, reach, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    # The value in fixed point, 0 to 2³¹, moves the threshold from `least` to `least + span`; split so that nothing
    # overflows in 64 bits.
    high, low = np.uint64(span) >> np.uint64(31), np.uint64(span) & np.uint64(0x7FFFFFFF)
    half = np.uint64(1 << 30)
    for row in range(len(values)):
        point = np.uint64(np.int64((np.float64(values[row]) + 1.0) * 1073741824.0 + 0.5))
        threshold = np.uint64(least) + point * high + ((point * low + half) >> np.uint64(31))
        reports[row] = reach if np.uint64(words[row]) < threshold else -reach

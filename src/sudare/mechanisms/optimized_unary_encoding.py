"""Optimized unary encoding: one bit a category; rare categories are told from noise better than by one response."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.estimate import Estimate
from sudare.guarantees.exact import exact_epsilon, exact_whole
from sudare.mechanisms.intervals import share_estimate, some
from sudare.mechanisms.mechanism import Mechanism, Table
from sudare.mechanisms.proof import epsilon_of
from sudare.mechanisms.reading import category_count, code_values, writable
from sudare.mechanisms.thresholds import rarer_weight, word_bits, word_type
from sudare.randomness import Source, is_private, opened


@dataclass(frozen=True)
class OptimizedUnaryEncoding(Mechanism):
    """k bits for one of k categories (Wang et al.), ε-LDP: the true bit by a fair coin, each other bit 1 rarely.

    The table is that of one bit. Two categories differ in two bits, so the proof is the product of the ratios of both.

    Parameters
    ----------
    categories
        How many categories there are, 2 to 65,536; a report has as many bits.
    epsilon
        What one report is charged, 0.000001 to 40.

    Examples
    --------
    >>> import numpy as np
    >>> city = OptimizedUnaryEncoding(categories=50, epsilon="1")
    >>> city.randomize(np.array([3, 7])).shape
    (2, 50)
    """

    categories: int
    epsilon: Fraction

    def __init__(self, categories: int, epsilon: Any) -> None:
        object.__setattr__(self, "categories", category_count(categories))
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))

    @cached_property
    def _bits(self) -> int:
        return word_bits(self.epsilon)

    @cached_property
    def _rare(self) -> int:
        return rarer_weight(self.epsilon, 2, self._bits)

    @property
    def inputs(self) -> NDArray[np.uint8]:
        """A bit: 0 for every category that is not the person's, 1 for hers."""
        return np.array([0, 1], np.uint8)

    @property
    def outputs(self) -> NDArray[np.uint8]:
        """A bit."""
        return np.array([0, 1], np.uint8)

    def weights(self) -> Table:
        """Return the exact table of words of one bit."""
        half = 1 << (self._bits - 1)
        return [[2 * half - self._rare, self._rare], [half, half]]

    @property
    def proved_epsilon(self) -> Fraction:
        """What rational arithmetic proves over the two bits in which neighbors differ."""
        (zero_off, one_off), (zero_on, one_on) = self.weights()
        ratio = Fraction(one_on, one_off) * Fraction(zero_off, zero_on)
        return epsilon_of(ratio, self.epsilon)

    def randomize(self, values: NDArray[Any], source: Source | None = None) -> NDArray[np.uint8]:
        """Return one row of bits for each code.

        Examples
        --------
        >>> OptimizedUnaryEncoding(4, "1").randomize(np.array([0, 2, 3])).shape
        (3, 4)
        """
        codes = code_values(values, self.categories)
        words = opened(source, self, codes)
        reports = np.empty((len(codes), self.categories), np.uint8)
        kind = word_type(self._bits)
        fair, rare = kind(1 << (self._bits - 1)), kind(self._rare)
        for rows, block in words.blocks(len(codes), kind, per_row=self.categories):
            _flip(writable(codes[rows]), block, fair, rare, reports[rows])
        return words.mark(reports)

    def frequencies(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:
        """Estimate the share of each category, unbiased: shares may be negative and need not add up to 1.

        Examples
        --------
        >>> city = OptimizedUnaryEncoding(50, "4")
        >>> estimate = city.frequencies(city.randomize(np.full(10_000, 7)))
        >>> bool(abs(estimate.value[7] - 1) < 0.1), len(estimate.low)
        (True, 50)
        """
        reports = self._checked(outputs)
        rows = some(reports)
        counts = reports.sum(axis=0, dtype=np.int64)
        rare = self._rare / (1 << self._bits)
        private = is_private(outputs)
        return share_estimate(counts, rows, often=0.5, rarely=rare, confidence=confidence, private=private)

    def expected_error(self, rows: int) -> float:
        """Return the worst-case standard error of one category's share.

        Examples
        --------
        >>> round(OptimizedUnaryEncoding(50, "1").expected_error(4000), 4)
        0.0342
        """
        rare = self._rare / (1 << self._bits)
        return float(np.sqrt(0.25 / exact_whole(rows, name="rows")) / (0.5 - rare))

    def identity(self) -> dict[str, str]:
        """Return name and parameters as text."""
        return {"mechanism": "OptimizedUnaryEncoding", "categories": str(self.categories), "epsilon": str(self.epsilon)}

    def _checked(self, outputs: Any) -> NDArray[np.uint8]:
        reports = np.asarray(outputs)
        fits = reports.ndim == 2 and reports.shape[1] == self.categories and reports.dtype == np.uint8
        if not fits or (reports.size and reports.max() > 1):
            raise InvalidParameter(
                "these are no reports of this mechanism",
                where="outputs",
                remedy=f"hand in the rows of {self.categories} bits that randomize returned",
            )
        return reports


@njit(cache=True, nogil=True)
def _flip(codes, words, fair, rare, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    rows, categories = reports.shape
    for row in range(rows):
        start = row * categories
        for bit in range(categories):
            reports[row, bit] = words[start + bit] < rare
        true = codes[row]
        reports[row, true] = words[start + true] < fair

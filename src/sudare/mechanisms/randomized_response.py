"""Randomized response: keep the category with high probability, else name one of the others, all alike."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.estimate import Estimate
from sudare.guarantees import LocalDP
from sudare.guarantees.exact import exact_epsilon, exact_whole
from sudare.mechanisms.intervals import share_estimate, some
from sudare.mechanisms.mechanism import Mechanism, Table
from sudare.mechanisms.proof import proved_epsilon
from sudare.mechanisms.reading import category_count, code_values, writable
from sudare.mechanisms.thresholds import rarer_weight, word_bits, word_type
from sudare.randomness import Source, is_private, opened

_LARGEST_TABLE = 1 << 24


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """k-ary randomized response on codes 0 … k − 1, ε-LDP against whoever reads the report.

    The response of Kairouz, Oh and Viswanath, as in Algorithm 2 of Miyaji et al. (the paper on WALDP), with the "other"
    answers drawn evenly from the k − 1 others.

    Parameters
    ----------
    categories
        How many categories there are, 2 to 65,536.
    epsilon
        What one report is charged, 0.000001 to 40.

    Examples
    --------
    >>> import numpy as np
    >>> smoker = RandomizedResponse(categories=3, epsilon="2")
    >>> reports = smoker.randomize(np.array([0, 1, 2, 2]))
    >>> set(reports) <= {0, 1, 2}
    True
    """

    categories: int
    epsilon: Fraction

    def __init__(self, categories: int, epsilon: Any) -> None:
        object.__setattr__(self, "categories", category_count(categories))
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))

    @property
    def guarantee(self) -> LocalDP:
        """The promise for one report; with two categories it also says that the report is binary."""
        return LocalDP(self.epsilon, outputs=self.categories)

    @cached_property
    def _bits(self) -> int:
        return word_bits(self.epsilon, self.categories)

    @cached_property
    def _other(self) -> int:
        return rarer_weight(self.epsilon, self.categories, self._bits)

    @property
    def _keep(self) -> int:
        return (1 << self._bits) - (self.categories - 1) * self._other

    @property
    def inputs(self) -> NDArray[np.int64]:
        """The codes."""
        return np.arange(self.categories)

    @property
    def outputs(self) -> NDArray[np.int64]:
        """The codes."""
        return np.arange(self.categories)

    def weights(self) -> Table:
        """Return the exact table of words, one row a true category."""
        if self.categories**2 > _LARGEST_TABLE:
            raise InvalidParameter(
                "the table would have more than 16 million entries",
                where="weights",
                remedy="read proved_epsilon, which needs no table: all rows are alike",
            )
        rows = [[self._other] * self.categories for _ in range(self.categories)]
        for code, row in enumerate(rows):
            row[code] = self._keep
        return rows

    @property
    def proved_epsilon(self) -> Fraction:
        """What rational arithmetic proves; two categories stand for all, since rows differ only in the order."""
        return proved_epsilon([[self._keep, self._other], [self._other, self._keep]], self.epsilon)

    def randomize(self, values: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Return one code for each code, in the same integer type.

        Examples
        --------
        >>> RandomizedResponse(3, "1").randomize(np.array([0, 2], np.int8)).dtype
        dtype('int8')
        """
        codes = code_values(values, self.categories)
        words = opened(source, self, codes)
        reports = np.empty_like(codes)
        kind = word_type(self._bits)
        respond = _respond if self._bits == 32 else _respond_finely
        weights = kind(self._keep), kind(self._other), np.int32(self.categories)
        for rows, block in words.blocks(len(codes), kind):
            respond(writable(codes[rows]), block, *weights, reports[rows])
        return words.mark(reports)

    def frequencies(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:
        """Estimate the share of each category, unbiased: shares may be negative and need not add up to 1.

        Examples
        --------
        >>> smoker = RandomizedResponse(3, "4")
        >>> estimate = smoker.frequencies(smoker.randomize(np.full(100_000, 2)))
        >>> bool(abs(estimate.value[2] - 1) < 0.02), len(estimate.low)
        (True, 3)
        """
        reports = code_values(outputs, self.categories)
        rows = some(reports)
        counts = np.bincount(reports, minlength=self.categories)
        keep, other = self._keep / (1 << self._bits), self._other / (1 << self._bits)
        private = is_private(outputs)
        return share_estimate(counts, rows, often=keep, rarely=other, confidence=confidence, private=private)

    def expected_error(self, rows: int) -> float:
        """Return the worst-case standard error of one category's share.

        Examples
        --------
        >>> round(RandomizedResponse(3, "1").expected_error(4000), 4)
        0.0215
        """
        keep, other = self._keep / (1 << self._bits), self._other / (1 << self._bits)
        variance = max(keep * (1 - keep), other * (1 - other)) / (keep - other) ** 2
        return float(np.sqrt(variance / exact_whole(rows, name="rows")))

    def identity(self) -> dict[str, str]:
        """Return name and parameters as text."""
        return {"mechanism": "RandomizedResponse", "categories": str(self.categories), "epsilon": str(self.epsilon)}


# Words below `keep` keep the code; the rest falls into k - 1 groups of `other` words, one for each other code.


@njit(cache=True, nogil=True)
def _respond(codes, words, keep, other, categories, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    # Division by a float reciprocal, which runs in vector registers. It is exact: half a word away from the next
    # quotient is at least 2⁻³², relative to a product whose error is under 2⁻³⁶ for up to 2¹⁶ categories.
    reciprocal = 1.0 / np.float64(other)
    for row in range(len(codes)):
        group = np.int32((np.float64(np.uint32(words[row] - keep)) + 0.5) * reciprocal)
        code = np.int32(codes[row]) + (np.int32(0) if words[row] < keep else group + np.int32(1))
        reports[row] = code - categories if code >= categories else code


@njit(cache=True, nogil=True)
def _respond_finely(codes, words, keep, other, categories, reports):  # type: ignore[no-untyped-def]  # pragma: no cover
    for row in range(len(codes)):
        group = np.int64((words[row] - keep) // other)  # wraps below `keep`, where it is not used
        code = np.int64(codes[row]) + (np.int64(0) if words[row] < keep else group + np.int64(1))
        reports[row] = code - categories if code >= categories else code

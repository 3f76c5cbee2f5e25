"""What the mechanisms for numbers share: unbiased means and products, and a clear no where x² left no trace."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, NotIdentifiable
from sudare.estimate import Estimate
from sudare.guarantees.exact import exact_whole
from sudare.mechanisms.intervals import mean_estimate, some
from sudare.mechanisms.mechanism import Mechanism
from sudare.randomness import is_private


class NumericMechanism(Mechanism):
    """A mechanism on [-1, 1] whose report of x has the mean x.

    Examples
    --------
    >>> from sudare.mechanisms import TwoPoint
    >>> isinstance(TwoPoint("1"), NumericMechanism)
    True
    """

    @property
    def reach(self) -> float:
        """The largest report."""
        return float(self.outputs[-1])

    @abstractmethod
    def variance(self, value: float = 0.0) -> float:
        """Return the variance of one report of this value."""

    @property
    def worst_variance(self) -> float:
        """The largest variance that the noise of one report can have, whatever the value."""
        return self.variance(0.0)

    def expected_error(self, rows: int) -> float:
        """Return the worst-case standard error of the mean of `rows` reports.

        Examples
        --------
        >>> from sudare.mechanisms import TwoPoint
        >>> round(TwoPoint("1").expected_error(10_000), 4)
        0.0216
        """
        return float(np.sqrt(self.worst_variance / exact_whole(rows, name="rows")))

    def mean(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:
        """Estimate the mean of the values behind the reports, unbiased.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import TwoPoint
        >>> coin = TwoPoint("4")
        >>> estimate = coin.mean(coin.randomize(np.full(100_000, 0.25)))
        >>> abs(estimate.value - 0.25) < 0.02
        True
        """
        reports = checked_reports(self, outputs)
        return mean_estimate(
            reports, worst_variance=self.worst_variance + 1, confidence=confidence, private=is_private(outputs)
        )

    def products(
        self,
        left: NDArray[Any],
        right: NDArray[Any],
        other: "NumericMechanism | None" = None,
        confidence: float = 0.95,
    ) -> Estimate:
        """Estimate the mean of x·y from independent reports of two attributes, row by row; unbiased.

        Theorem 2 of Kii et al., which holds for any two unbiased mechanisms; `other` made the right-hand reports.
        """
        second = self if other is None else other
        reports = checked_reports(self, left), checked_reports(second, right)
        if len(reports[0]) != len(reports[1]):
            raise InvalidParameter(
                f"{len(reports[0])} reports on the left and {len(reports[1])} on the right",
                where="products",
                remedy="hand in the reports of the same people, in the same order",
            )
        worst = (self.worst_variance + 1) * (second.worst_variance + 1)
        product = reports[0].astype(np.float64) * reports[1]
        return mean_estimate(product, worst_variance=worst, confidence=confidence, private=is_private(left, right))

    def second_moment(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:  # noqa: ARG002
        """Estimate the mean of x², where the reports carry it."""
        raise NotIdentifiable(
            f"a {type(self).__name__} report says nothing about x²",
            where="second_moment",
            remedy="collect a Piecewise report of the column as well, at its own charge",
        )


def checked_reports(mechanism: Mechanism, outputs: Any) -> NDArray[Any]:
    """Return the reports as a float array, refused where one of them is none of the mechanism's outputs."""
    reports = np.asarray(outputs)
    if reports.ndim != 1 or not np.issubdtype(reports.dtype, np.floating):
        raise InvalidParameter(
            "these are no reports of this mechanism",
            where="outputs",
            remedy="hand in the one-dimensional float array that randomize returned",
        )
    some(reports)
    known = mechanism.outputs.astype(reports.dtype)
    place = np.clip(np.searchsorted(known, reports), 0, len(known) - 1)
    wrong = known[place] != reports
    if wrong.any():
        raise InvalidParameter(
            "a report is none of this mechanism's outputs",
            where=f"outputs, row {int(np.argmax(wrong)) + 1}",
            remedy="estimate with the mechanism, and the epsilon, that made the reports",
        )
    return reports

"""What the mechanisms for numbers share: unbiased means and products, and a clear no where x² left no trace."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, NotIdentifiable
from sudare.estimate import Estimate
from sudare.guarantees.exact import exact_whole
from sudare.mechanisms.intervals import Spread, mean_estimate, sign_estimate, some
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
        """Return the variance of one report of this value.

        Examples
        --------
        >>> from sudare.mechanisms import TwoPoint
        >>> round(TwoPoint("1").variance(0.0), 3), round(TwoPoint("1").variance(1.0), 3)
        (4.683, 3.683)
        """

    @property
    def worst_variance(self) -> float:
        """The largest variance that the noise of one report can have, whatever the value."""
        return self.variance(0.0)

    @property
    def _is_sign(self) -> bool:
        """Whether a report is one of two numbers that differ in their sign alone."""
        return len(self.outputs) == 2

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
        private = is_private(outputs)
        if self._is_sign:
            return sign_estimate(reports, self.reach, confidence=confidence, private=private)
        spread = Spread(
            least=lambda mean: self.variance(min(max(mean, -1.0), 1.0)),
            worst=self.worst_variance + 1,
            width=2 * self.reach,
        )
        return mean_estimate(reports, spread, confidence=confidence, private=private)

    def products(
        self,
        left: NDArray[Any],
        right: NDArray[Any],
        other: "NumericMechanism | None" = None,
        confidence: float = 0.95,
    ) -> Estimate:
        """Estimate the mean of x·y from independent reports of two attributes, row by row; unbiased.

        Theorem 2 of Kii et al., which holds for any two unbiased mechanisms; `other` made the right-hand reports.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import TwoPoint
        >>> coin, values = TwoPoint("4"), np.full(100_000, 0.5)
        >>> estimate = coin.products(coin.randomize(values), coin.randomize(values))
        >>> abs(estimate.value - 0.25) < 0.05
        True
        """
        second = self if other is None else other
        if not isinstance(second, NumericMechanism):
            raise InvalidParameter(
                "products are estimated from reports of numbers",
                where="other",
                remedy="hand in the mechanism that made the right-hand reports: TwoPoint, Piecewise, Hybrid or Laplace",
            )
        reports = checked_reports(self, left), checked_reports(second, right)
        if len(reports[0]) != len(reports[1]):
            raise InvalidParameter(
                f"{len(reports[0])} reports on the left and {len(reports[1])} on the right",
                where="products",
                remedy="hand in the reports of the same people, in the same order",
            )
        product = reports[0].astype(np.float64) * reports[1]
        private, size = is_private(left, right), self.reach * second.reach
        if self._is_sign and second._is_sign:
            return sign_estimate(product, size, confidence=confidence, private=private)
        spread = Spread(
            least=lambda mean: _least_variance_of_products(self, second, mean),
            worst=(self.worst_variance + 1) * (second.worst_variance + 1),
            width=2 * size,
        )
        return mean_estimate(product, spread, confidence=confidence, private=private)

    def second_moment(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:  # noqa: ARG002
        """Estimate the mean of x², where the reports carry it.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import TwoPoint
        >>> coin = TwoPoint("1")
        >>> coin.second_moment(coin.randomize(np.zeros(100)))
        Traceback (most recent call last):
            ...
        sudare.errors.NotIdentifiable: a TwoPoint report says nothing about x²
          where:  second_moment
          remedy: collect a Piecewise report of the column as well, at its own charge
        """
        raise NotIdentifiable(
            f"a {type(self).__name__} report says nothing about x²",
            where="second_moment",
            remedy="collect a Piecewise report of the column as well, at its own charge",
        )


def _least_variance_of_products(left: NumericMechanism, right: NumericMechanism, mean: float) -> float:
    """Return the least variance that products of reports can have where x·y has this mean, after Cauchy and Schwarz."""
    # The second moment of a report is a + b·x²: a at 0, and a + b at 1.
    (a, b), (c, d) = ((own.variance(0.0), own.variance(1.0) + 1 - own.variance(0.0)) for own in (left, right))
    size = min(abs(mean), 1.0)
    return float((np.sqrt(a * c) + np.sqrt(max(b, 0.0) * max(d, 0.0)) * size) ** 2 - size**2)


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

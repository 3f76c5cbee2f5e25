"""Mechanisms on a public grid: an exact table of integers, read row by row at random points around the value.

A value is read once as fixed point (2⁻³⁰) and rounded at random to one of the two grid points around it, the nearer the
likelier: the mean of the report is then the value itself, between the points too.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.estimate import Estimate
from sudare.guarantees.exact import exact_epsilon
from sudare.mechanisms.drawing import draw_by_search
from sudare.mechanisms.intervals import Spread, mean_estimate
from sudare.mechanisms.mechanism import Table
from sudare.mechanisms.numeric import NumericMechanism, checked_reports
from sudare.mechanisms.proof import proved_epsilon
from sudare.mechanisms.reading import unit_value, unit_values, writable
from sudare.randomness import Source, is_private, opened

LARGEST_TABLE = 1 << 20
CLOSENESS = 1e-3  # of the variance to the textbook's, relative, wherever the largest table allows it
_TOTAL = 2.0**64


@dataclass(frozen=True, eq=False)
class Grid:
    """A table of words: a row for each of K equally spaced inputs on [-1, 1], a column for each output.

    Outputs are `positions` times `scale`; positions are ascending multiples of a power of two, exact as floats.
    `squares` holds what each output contributes to the mean of x², where it says something about it.
    """

    table: NDArray[np.uint64]
    positions: NDArray[np.float64]
    scale: Fraction
    squares: NDArray[np.float64] | None = None

    @property
    def last(self) -> int:
        """The index of the last input, K − 1."""
        return len(self.table) - 1

    @cached_property
    def inputs(self) -> NDArray[np.float64]:
        """The K grid points, ascending."""
        return np.arange(-self.last, self.last + 1, 2) / self.last

    @cached_property
    def outputs(self) -> NDArray[np.float64]:
        """The outputs, ascending, each within an ulp of its rational."""
        scale = float(self.scale)
        return self.positions * scale + self.positions * float(self.scale - Fraction(scale))

    @cached_property
    def extremes(self) -> Table:
        """The largest and the smallest weight of the columns in which they are furthest apart: what ε hangs on."""
        most, least = self.table.max(axis=0), self.table.min(axis=0)
        # Two columns whose float ratios differ by more than rounding need no exact comparison.
        rough = most / least
        worst = rough >= rough.max() * (1 - 1e-15)
        return [most[worst].tolist(), least[worst].tolist()]

    @cached_property
    def noise(self) -> NDArray[np.float64]:
        """The variance of the report of each grid point."""
        return np.array(
            [row @ (self.outputs - point) ** 2 for row, point in zip(self.table / _TOTAL, self.inputs, strict=True)]
        )

    @cached_property
    def _upto(self) -> NDArray[np.uint64]:
        return self.table.cumsum(axis=1).ravel()  # the whole row's 2⁶⁴ wraps to 0, and is never read

    @property
    def drawn(self) -> NDArray[np.float64]:
        """The outputs as `draw` numbers them."""
        return self.outputs

    def draw(self, values: NDArray[Any], words: NDArray[np.uint64], drawn: NDArray[Any], reports: NDArray[Any]) -> None:
        """Fill in one report for each value, from two words each."""
        draw_by_search(values, words, np.uint64(self.last), self._upto, drawn, reports)

    def variance(self, value: float) -> float:
        """Return the variance of the report of a value: that of the two rows around it, and of the rounding."""
        below = min(int((value + 1) / 2 * self.last), self.last - 1)
        low, high = self.inputs[below], self.inputs[below + 1]
        shares = (high - value), (value - low)
        rows = (shares[0] * self.noise[below] + shares[1] * self.noise[below + 1]) / (high - low)
        return float(rows + shares[0] * shares[1])

    @cached_property
    def worst_variance(self) -> float:
        """The largest variance of a report, between the points too, where it is a parabola."""
        spacing, rise = 2 / self.last, np.diff(self.noise)
        top = np.clip(0.5 + rise / (2 * spacing**2), 0, 1)
        return float(np.max(self.noise[:-1] + top * rise + spacing**2 * top * (1 - top)))


@dataclass(frozen=True, init=False)
class GridMechanism(NumericMechanism):
    """A mechanism whose every probability is an entry of a `Grid`; a subclass says which grid, for its ε."""

    epsilon: Fraction

    def __init__(self, epsilon: Any) -> None:
        object.__setattr__(self, "epsilon", exact_epsilon(epsilon))

    @property
    @abstractmethod
    def _grid(self) -> Grid:
        """The grid of this ε."""

    @property
    def inputs(self) -> NDArray[np.float64]:
        """The grid points to which values are rounded at random."""
        return self._grid.inputs.copy()

    @property
    def outputs(self) -> NDArray[np.float64]:
        """The reports, ascending."""
        return self._grid.outputs.copy()

    def weights(self) -> Table:
        """Return the exact table of words, one row a grid point; every row adds up to 2⁶⁴."""
        table: list[list[int]] = self._grid.table.tolist()
        return table

    @property
    def proved_epsilon(self) -> Fraction:
        """What rational arithmetic over the table proves; at most `epsilon`."""
        return proved_epsilon(self._grid.extremes, self.epsilon)

    def randomize(self, values: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Return one report for each value, in the same float type.

        Examples
        --------
        >>> from sudare.mechanisms import Laplace
        >>> age = Laplace("1")
        >>> reports = age.randomize(np.array([0.5, -1.0], np.float32))
        >>> reports.dtype, len(reports)
        (dtype('float32'), 2)
        """
        numbers = unit_values(values)
        words = opened(source, self, numbers)
        reports = np.empty(numbers.shape, numbers.dtype)
        grid, drawn = self._grid, self._grid.drawn.astype(numbers.dtype)
        for rows, block in words.blocks(len(numbers), np.uint64, per_row=2):
            grid.draw(writable(numbers[rows]), block, drawn, reports[rows])
        return words.mark(reports)

    def variance(self, value: float = 0.0) -> float:
        """Return the actual variance of one report of this value, the random rounding included.

        Examples
        --------
        >>> from sudare.mechanisms import Hybrid
        >>> round(Hybrid("1").variance(0.0), 2), round(Hybrid("1").variance(1.0), 2)
        (4.29, 4.29)
        """
        return self._grid.variance(unit_value(value))

    @property
    def worst_variance(self) -> float:
        """The largest variance that one report can have, whatever the value."""
        return self._grid.worst_variance

    def second_moment(self, outputs: NDArray[Any], confidence: float = 0.95) -> Estimate:
        """Estimate the mean of x²: unbiased for values on the grid points, too high by h²/4 at most between them.

        h is the spacing of `inputs`. The lower end of the interval is moved down by that much, so that it covers both.

        Examples
        --------
        >>> from sudare.mechanisms import Piecewise
        >>> glucose = Piecewise("4")
        >>> estimate = glucose.second_moment(glucose.randomize(np.full(100_000, 0.5)))
        >>> abs(estimate.value - 0.25) < 0.05
        True
        """
        grid = self._grid
        if grid.squares is None:
            return super().second_moment(outputs, confidence)
        reports = checked_reports(self, outputs)
        terms = grid.squares[np.searchsorted(grid.outputs.astype(reports.dtype), reports)]
        squared = grid.table @ grid.squares**2 / _TOTAL
        least = float(np.min(squared - grid.inputs**4))
        spread = Spread(least=lambda _: least, worst=float(squared.max()), width=float(np.ptp(grid.squares)))
        plain = mean_estimate(terms, spread, confidence=confidence, private=is_private(outputs))
        return Estimate(plain.value, plain.low - 1 / grid.last**2, plain.high, confidence, plain.private)

    def identity(self) -> dict[str, str]:
        """Return name and parameters as text."""
        return {"mechanism": type(self).__name__, "epsilon": str(self.epsilon)}

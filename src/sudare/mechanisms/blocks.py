"""The block grid of Piecewise and Hybrid: likely cells near the value, the same for every value but for their place.

Row i has `inside` words on the cells i … i + width − 1 and `outside` words on each of the others; Hybrid adds two
columns −C and +C, whose words are linear in i. One rational scale makes every row's mean its input, exactly.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms.drawing import draw_by_blocks
from sudare.mechanisms.grid import CLOSENESS, LARGEST_TABLE, Grid

_TOTAL = 1 << 64
_APART = 1 / 64  # in cells: what the columns keep from the nearest cell, so that float32 reports tell them apart


@dataclass(frozen=True)
class Textbook:
    """The mechanism on the continuum: a share of blocks, and the variance at 0 and what it grows by with x²."""

    epsilon: Fraction
    share: float
    variance: float
    growth: float


@dataclass(frozen=True, eq=False, kw_only=True)
class BlockGrid(Grid):
    """A grid that is drawn from by one division instead of a search.

    `shape` holds the numbers that `draw_by_blocks` unpacks, `order` the columns in the order in which it numbers them.
    """

    shape: tuple[np.uint64, ...]
    order: NDArray[np.int64]

    @property
    def drawn(self) -> NDArray[np.float64]:
        """The outputs as `draw` numbers them: the cells, then −C and +C."""
        return self.outputs[self.order]

    def draw(self, values: NDArray[Any], words: NDArray[np.uint64], drawn: NDArray[Any], reports: NDArray[Any]) -> None:
        """Fill in one report for each value, from two words each."""
        draw_by_blocks(values, words, self.shape, drawn, reports)


@dataclass(frozen=True)
class Blocks:
    """The whole numbers behind a block grid; `column` is the position of +C, where there are columns."""

    points: int
    width: int
    inside: int
    outside: int
    least: int
    step: int
    column: float

    @property
    def cells(self) -> int:
        """How many cells there are, the two columns not counted."""
        return self.points + self.width - 1

    @property
    def spread(self) -> int:
        """By how many words the block exceeds what lies outside, all its cells together."""
        return self.width * (self.inside - self.outside)

    @property
    def columns_words(self) -> int:
        """The words of both columns, the same in every row."""
        return 2 * self.least + (self.points - 1) * self.step

    @property
    def remainder(self) -> int:
        """The words that are left, for the central cell or evenly for the central two: in every row the same.

        With an even number of cells it is even, since K is odd and the width is then even.
        """
        return _TOTAL - self.columns_words - self.width * self.inside - (self.points - 1) * self.outside

    @property
    def scale(self) -> Fraction:
        """The width of a cell: the mean of row i is then (2i − (K − 1)) / (K − 1), exactly."""
        return Fraction(_TOTAL, self.points - 1) / (Fraction(self.column) * self.step + Fraction(self.spread, 2))

    def grid(self) -> BlockGrid:
        """Write out the table."""
        cells = np.arange(self.cells, dtype=np.float64) - (self.cells - 1) / 2
        drawn = np.append(cells, [-self.column, self.column]) if self.step else cells
        order = np.argsort(drawn)
        parameters = (self.points - 1, self.width, self.inside, self.outside, self._half, self.remainder)
        return BlockGrid(
            table=self._table()[:, order],
            positions=drawn[order],
            scale=self.scale,
            squares=self._squares(cells)[order],
            shape=tuple(np.uint64(number) for number in (*parameters, self.least, self.step)),
            order=np.argsort(order),
        )

    @property
    def _half(self) -> int:
        return self.remainder if self.cells % 2 else self.remainder // 2

    def _table(self) -> NDArray[np.uint64]:
        row, cell = np.arange(self.points)[:, None], np.arange(self.cells)
        table = np.where((cell >= row) & (cell < row + self.width), np.uint64(self.inside), np.uint64(self.outside))
        middle = (self.cells - 1) // 2
        table[:, middle] += np.uint64(self._half)
        table[:, self.cells // 2] += np.uint64(self.remainder - self._half)
        if not self.step:
            return table
        rising = np.uint64(self.least) + row.astype(np.uint64) * np.uint64(self.step)
        return np.hstack([table, rising[::-1], rising])

    def _squares(self, cells: NDArray[np.float64]) -> NDArray[np.float64]:
        # The cells' part of E[y²] is q·x² + r with the rationals below, in units of the scale.
        quadratic = self.spread * Fraction((self.points - 1) ** 2, 4)
        constant = Fraction(self.spread * (self.width**2 - 1) + self.outside * self.cells * (self.cells**2 - 1), 12)
        constant += Fraction(0 if self.cells % 2 else self.remainder, 4)
        if not self.step:
            return np.asarray(cells**2 * float(_TOTAL / quadratic) - float(constant / quadratic))
        # A column says nothing about x²: it counts as 1/2, the middle of what x² can be, and the cells make up for it.
        share = Fraction(self.columns_words, _TOTAL)
        shift = (constant / quadratic + share / 2) / (1 - share)
        return np.append(cells**2 * float(_TOTAL / quadratic) - float(shift), [0.5, 0.5])


def closest_blocks(textbook: Textbook) -> Blocks:
    """Return the fewest points whose variance is the textbook's within 1e-3; where no table can, the closest."""
    points, width = _candidates(textbook)
    column = _column(textbook, points, width)
    expected = textbook.variance + textbook.growth * _places(points)
    excess = np.abs(_variances(textbook, points, width, column) / expected - 1).max(axis=0)
    close = np.flatnonzero(excess <= CLOSENESS)
    best = int(close[0]) if len(close) else int(np.argmin(excess))
    return _rounded(textbook, int(points[best]), int(width[best]), float(column[best]))


def _candidates(textbook: Textbook) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points = np.arange(3.0, math.isqrt(LARGEST_TABLE) + 1, 2)
    width = np.maximum(1, np.rint((points - 1) * math.exp(-textbook.epsilon / 2)))
    fits = points * (points + width + 1) <= LARGEST_TABLE
    return points[fits], width[fits]


def _column(textbook: Textbook, points: NDArray[np.float64], width: NDArray[np.float64]) -> NDArray[np.float64]:
    # The position that keeps cells and columns unbiased each on its own, but for steps of 2⁻¹⁶ and a gap to the cells.
    if textbook.share == 1:
        return np.zeros_like(points)
    epsilon = float(textbook.epsilon)
    spread = width * math.expm1(epsilon) / (width * math.exp(epsilon) + points - 1)
    column = np.rint((points - 1) * spread / 2 / math.tanh(epsilon / 2) * 65536) / 65536
    center = (points + width) / 2 - 1
    nearest = np.minimum(np.rint(column - center), 0) + center
    return np.where(np.abs(column - nearest) < _APART, nearest + _APART, column)


def _variances(
    textbook: Textbook, points: NDArray[np.float64], width: NDArray[np.float64], column: NDArray[np.float64]
) -> NDArray[np.float64]:
    # In shares instead of words, and before anything is rounded: at 0 and 1, and at the midpoints next to them.
    epsilon, last, cells = float(textbook.epsilon), points - 1, points + width - 1
    outside = textbook.share / (width * math.exp(epsilon) + last)
    spread = width * outside * math.expm1(epsilon)
    columns = 1 - textbook.share
    step = columns * math.tanh(epsilon / 2) / last
    scale = 1 / (last * (column * step + spread / 2))
    growth = scale**2 * spread * last**2 / 4
    at_zero = scale**2 * ((spread * (width**2 - 1) + outside * cells * (cells**2 - 1)) / 12 + columns * column**2)
    rounding = np.outer([0, 0, 1, 1], 1 / last**2)
    return np.asarray(at_zero + growth * (_places(points) + rounding) - _places(points))


def _places(points: NDArray[np.float64]) -> NDArray[np.float64]:
    half = 1 / (points - 1)
    return np.array([0 * half, 0 * half + 1, half, 1 - half]) ** 2


def _rounded(textbook: Textbook, points: int, width: int, column: float) -> Blocks:
    times = exp_lower_bound(textbook.epsilon)
    words = _TOTAL if textbook.share == 1 else round(textbook.share * _TOTAL)
    # Rarer weights are rounded up and the likelier ones get what is left: both can only lower the ratio.
    least = math.ceil((_TOTAL - words) / (times + 1))
    step = (_TOTAL - words - 2 * least) // (points - 1)
    words = _TOTAL - 2 * least - (points - 1) * step
    outside = math.ceil(words / (width * times + points - 1))
    inside = (words - (points - 1) * outside) // width
    return Blocks(points, width, inside, outside, least, step, column)

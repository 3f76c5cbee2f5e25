"""Laplace mechanism: two-sided geometric noise on a public grid, the tails beyond its ends drawn together."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms.grid import CLOSENESS, LARGEST_TABLE, Grid, GridMechanism
from sudare.mechanisms.proof import worst_ratio

_TOTAL = 1 << 64


@dataclass(frozen=True, init=False)
class Laplace(GridMechanism):
    """Report of a number on [-1, 1] with two-sided geometric noise on a grid, ε-LDP; the known yardstick.

    The tails are folded into the two end cells, which are valued at the mean of what lies beyond: since the geometric
    law forgets how far it has come, that is one value for every input. The grid has the fewest points, and then the
    fewest cells, for which the variance is within 1e-3 of 8/ε²; below an ε of 0.000024 the largest table folds so much
    that the variance is smaller.

    Parameters
    ----------
    epsilon
        What one report is charged, 0.000001 to 40.

    Examples
    --------
    >>> import numpy as np
    >>> age = Laplace("1")
    >>> reports = age.randomize(np.full(1000, 0.5))
    >>> set(reports) <= set(age.outputs)
    True
    """

    @property
    def _grid(self) -> Grid:
        return _laplace_grid(self.epsilon)


@dataclass(frozen=True)
class _Geometric:
    """The whole numbers behind the grid: the mean overshoot of a tail is `overshoot / unit` cells.

    One step away a weight falls to overshoot / (overshoot + unit) of itself. The words of the end cells are multiples
    of the unit, so that every row's mean is a whole number of words times cells.
    """

    points: int
    margin: int  # cells between the outermost input and the end cell on its side, the latter counted
    overshoot: int
    unit: int

    @property
    def cells(self) -> int:
        return self.points + 2 * self.margin

    def grid(self) -> Grid:
        end = (self.cells - 1) / 2 + self.overshoot / self.unit
        positions = np.arange(self.cells, dtype=np.float64) - (self.cells - 1) / 2
        positions[0], positions[-1] = -end, end
        scale = Fraction(2, self.points - 1)
        return Grid(self._table(), positions, scale, self._squares(positions * float(scale), float(scale)))

    def _table(self) -> NDArray[np.uint64]:
        steps, tails = self._weights()
        places = self.margin + np.arange(self.points)
        table: NDArray[np.uint64] = np.array(steps, np.uint64)[np.abs(np.arange(self.cells) - places[:, None])]
        table[:, 0] = [tails[place] for place in places]
        table[:, -1] = table[::-1, 0]
        for row, place, residue in zip(table, places, self._residues(steps, tails), strict=True):
            self._shift(row, int(place), residue)
            row[place] = 0
            row[place] = _TOTAL - int(row.sum())
        return table

    def _weights(self) -> tuple[list[int], list[int]]:
        # Rounded up, so that the rarest report stays possible; the middle of each row pays for it.
        whole = self.overshoot + self.unit
        near = (_TOTAL * _TOTAL * self.unit) // (whole + self.overshoot)
        fading = list(accumulate(range(self.cells), lambda weight, _: weight * self.overshoot // whole, initial=near))
        steps = [-(-weight >> 64) for weight in fading]
        tails = [-(-weight * whole // (self.unit**2 << 64)) * self.unit for weight in fading]
        return steps, tails

    def _residues(self, steps: list[int], tails: list[int]) -> list[int]:
        # How far each row's mean is off, in words times cells; what lies equally far on both sides cancels.
        upto = list(accumulate(distance * weight for distance, weight in enumerate(steps)))
        residues = []
        for left in range(self.margin, self.margin + self.points):
            right = self.cells - 1 - left
            ends = tails[right] * right - tails[left] * left
            beyond = (tails[right] - tails[left]) // self.unit * self.overshoot
            residues.append(upto[right - 1] - upto[left - 1] + ends + beyond)
        return residues

    def _shift(self, row: NDArray[np.uint64], place: int, residue: int) -> None:
        # Moves words between cells on either side of the middle until the mean is exact.
        reach = min(self.margin - 1, 1 + self.overshoot // self.unit)
        words, rest = divmod(-residue, 2 * reach)
        for cell, change in (
            (place + reach, words),
            (place - reach, -words),
            (place + rest - rest // 2, bool(rest)),
            (place - rest // 2, -bool(rest)),
        ):
            row[cell] = int(row[cell]) + change

    def _squares(self, outputs: NDArray[np.float64], spacing: float) -> NDArray[np.float64] | None:
        if self.points == 2:
            return None  # the law of a report is then linear in x, and x² leaves no trace
        mean = self.overshoot / self.unit
        squares = outputs**2 - 2 * spacing**2 * mean * (mean + 1)
        squares[[0, -1]] += spacing**2 * mean * (mean + 1)
        return squares


@lru_cache(maxsize=16)
def _laplace_grid(epsilon: Fraction) -> Grid:
    points, margin = _closest(float(epsilon))
    mean = 1 / math.expm1(epsilon / (points - 1))
    unit = 1 << max(0, 22 - math.floor(math.log2(mean)))
    overshoot, bound = math.ceil(mean * unit), exp_lower_bound(epsilon)
    while True:
        grid = _Geometric(points, margin, overshoot, unit).grid()
        if worst_ratio(grid.extremes) <= bound:
            return grid
        overshoot += 1  # the noise grows by less than a millionth


def _closest(epsilon: float) -> tuple[int, int]:
    # The fewest points, and then the smallest margin, whose variance is the textbook's within 1e-3.
    for points in range(2, 1 + math.isqrt(LARGEST_TABLE)):
        margin = _margin(epsilon, points)
        if margin and points * (points + 2 * margin) <= LARGEST_TABLE:
            return points, margin
    return 2, LARGEST_TABLE // 4 - 1  # so small an ε that two points are more than enough, and no margin is


def _margin(epsilon: float, points: int) -> int:
    # Variances relative to the textbook's, which is 2/step² in cells; 0 where no margin makes them close enough.
    step = epsilon / (points - 1)
    kept, mean = math.exp(-step), 1 / math.expm1(step)
    unfolded, rounding = step**2 * mean * (mean + 1), step**2 / 8
    spare = 1 - (1 - CLOSENESS) / unfolded
    if spare <= 0 or unfolded + rounding > 1 + CLOSENESS:
        return 0
    # A folded tail takes half its probability from the outermost input's variance.
    both_tails = (1 + math.exp(-epsilon)) / (1 + kept)
    return max(2, math.ceil(math.log(2 * spare / both_tails) / -step))

"""Hybrid mechanism: a piecewise report with some probability, else a two-point one; never worse than either."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sudare.guarantees import LocalDP
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms.blocks import Textbook, closest_blocks
from sudare.mechanisms.grid import Grid, GridMechanism
from sudare.mechanisms.piecewise import piecewise_variance

_TWO_POINTS_UP_TO = Fraction(61, 100)


@dataclass(frozen=True, init=False)
class Hybrid(GridMechanism):
    """Report of a number on [-1, 1] by Wang et al., ε-LDP, with the same variance for every value.

    Piecewise with probability 1 − e^(−ε/2) where ε > 0.61, else the two points ±C alone, which then say nothing about
    x². The grid is chosen as Piecewise's is, with the same limit at a large ε.

    Parameters
    ----------
    epsilon
        What one report is charged, 0.000001 to 40.

    Examples
    --------
    >>> import numpy as np
    >>> glucose = Hybrid("1")
    >>> reports = glucose.randomize(np.full(1000, 0.5))
    >>> set(reports) <= set(glucose.outputs)
    True
    """

    @property
    def guarantee(self) -> LocalDP:
        """The promise for one report, which is one of two values where ε ≤ 0.61."""
        return LocalDP(self.epsilon, outputs=2 if self.epsilon <= _TWO_POINTS_UP_TO else None)

    @property
    def _grid(self) -> Grid:
        return _two_points(self.epsilon) if self.epsilon <= _TWO_POINTS_UP_TO else _hybrid_grid(self.epsilon)


@lru_cache(maxsize=16)
def _hybrid_grid(epsilon: Fraction) -> Grid:
    pieces = -math.expm1(-epsilon / 2)
    variance, _ = piecewise_variance(epsilon)
    # The growth with x² of one part is the fall of the other.
    mixed = pieces * variance + (1 - pieces) / math.tanh(epsilon / 2) ** 2
    return closest_blocks(Textbook(epsilon, pieces, mixed, 0.0)).grid()


@lru_cache(maxsize=16)
def _two_points(epsilon: Fraction) -> Grid:
    rare = math.ceil(2**64 / (exp_lower_bound(epsilon) + 1))
    table = np.array([[2**64 - rare, rare], [rare, 2**64 - rare]], np.uint64)
    return Grid(table, np.array([-1.0, 1.0]), Fraction(2**64, 2**64 - 2 * rare))

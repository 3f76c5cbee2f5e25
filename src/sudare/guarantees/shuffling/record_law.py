"""How a record of binary reports looks inside the privacy blanket: one number says all that a likelihood ratio needs.

A binary ε_j-local report is a fair coin with probability b_j = 2/(1 + e^ε_j), whatever its input; so a record of m
independent ones is m fair coins with probability γ = Π b_j. On these coins the law of a record has density
F = Π f_j, with f_j = b_j or a_j = 2 − b_j = b_j e^ε_j, and that of the record which differs in every attribute has
G = Π g_j with a and b exchanged. Since f_j g_j is constant, F = c e^t and G = c e^(−t), where t = Σ ±ε_j/2.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sudare.guarantees.shuffling.fair_coins import Floats, log_fair_coins

_MOST_ATOMS = 2000
_LATTICE_CELLS = 2**15
_ULP = 2.0**-52
_SMALLEST = 1e-290  # kept in every cell of a lattice, so that an underflow never loses mass


@dataclass(frozen=True)
class RecordLaw:
    """The points t with the logarithms of their weights (rounded up), the blanket's mass γ (rounded down) and ln c.

    Examples
    --------
    >>> law = RecordLaw.of([Fraction(1), Fraction(1)])
    >>> law.points.round(12).tolist(), np.exp(law.log_weights).round(12).tolist()
    ([-1.0, 0.0, 1.0], [0.25, 0.5, 0.25])
    """

    points: Floats
    log_weights: Floats
    mass: float
    log_scale: float

    @classmethod
    def of(cls, epsilons: Iterable[Fraction], most_atoms: int = _MOST_ATOMS) -> "RecordLaw":
        """Return the exact law where it has few points, else one on a grid whose bound on δ is never smaller."""
        groups = {math.nextafter(float(epsilon), math.inf): count for epsilon, count in Counter(epsilons).items()}
        halves = [(epsilon / 2, count) for epsilon, count in sorted(groups.items())]
        log_scale = -math.fsum(count * _log_cosh(half) for half, count in halves)
        log_mass = log_scale - math.fsum(count * half for half, count in halves)
        if math.prod(count + 1 for _, count in halves) <= most_atoms:
            points, log_weights = _exact(halves)
        else:
            points, log_weights = _on_grid(halves, most_atoms)
        return cls(points, log_weights, math.exp(log_mass) * (1 - 2.0**-40), log_scale)


def _log_cosh(x: float) -> float:
    return x + math.log1p(math.exp(-2 * x)) - math.log(2) if x > 1 else math.log1p(math.sinh(x) ** 2) / 2


def _coins(half: float, count: int) -> tuple[Floats, Floats]:
    """Return the sums of `count` signed halves with the logarithms of their probabilities."""
    heads = np.arange(count + 1, dtype=np.float64)
    return half * (2 * heads - count), log_fair_coins(np.full(count + 1, float(count)), heads)


def _exact(halves: list[tuple[float, int]]) -> tuple[Floats, Floats]:
    points: Floats = np.zeros(1)
    log_weights: Floats = np.zeros(1)
    for half, count in halves:
        more, logs = _coins(half, count)
        points, log_weights = np.add.outer(points, more).ravel(), np.add.outer(log_weights, logs).ravel()
    return points, log_weights


def _on_grid(halves: list[tuple[float, int]], most_atoms: int) -> tuple[Floats, Floats]:
    """Convolve on a fine lattice, then gather its cells onto a coarse one.

    Whatever lies between two lattice points is split onto them so that E[G] stays; F is a hyperbola in G and lies
    under its chords, so E[F] can only grow. L = F − e^ε G then grows in the increasing convex order, which sums of
    independent draws keep: the bound on δ can only grow.
    """
    width = 2 * sum(half * count for half, count in halves) / _LATTICE_CELLS
    weights: Floats = np.ones(1)
    lowest = 0
    for half, count in halves:
        shares, start = _coins_on_lattice(half, count, width)
        longer = np.full(weights.size + shares.size - 1, _SMALLEST)
        for cell in np.flatnonzero(shares):
            longer[cell : cell + weights.size] += shares[cell] * weights
        weights, lowest = longer * (1 + 8 * (count + 64) * _ULP), lowest + start
    stride = -(-weights.size // max(most_atoms - 2, 2))
    coarse = _gathered(weights, stride, width)
    return width * (lowest + stride * np.arange(coarse.size, dtype=np.float64)), np.log(coarse)


def _coins_on_lattice(half: float, count: int, width: float) -> tuple[Floats, int]:
    """Return the weights that fall on the lattice cells from `start` on, and `start`."""
    points, logs = _coins(half, count)
    below = np.floor(points / width)
    upper = np.expm1(-(points - below * width)) / np.expm1(-width)
    # Weight moved up moves L up, so the rounding of a point's place within its cell is paid in that direction.
    upper = np.clip(upper + 4 * _ULP * (np.abs(points) / width + 4), 0, 1)
    start = int(below[0])
    cells = np.concatenate([below, below + 1]).astype(np.int64) - start
    shares = np.concatenate([np.exp(logs) * (1 - upper), np.exp(logs) * upper])
    return np.asarray(np.bincount(cells, weights=shares), dtype=np.float64), start


def _gathered(weights: Floats, stride: int, width: float) -> Floats:
    """Split each cell onto the two coarse points around it, E[G] kept."""
    padded: Floats = np.concatenate([weights, np.zeros(-weights.size % stride)]).reshape(-1, stride)
    upper = np.expm1(-width * np.arange(stride)) / np.expm1(-width * stride) * (1 + 8 * _ULP)
    coarse = np.zeros(padded.shape[0] + 1)
    coarse[:-1] += padded @ (1 - upper)
    coarse[1:] += padded @ upper
    return np.maximum(coarse * (1 + 8 * stride * _ULP), _SMALLEST)

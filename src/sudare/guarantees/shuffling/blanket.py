"""The privacy blanket of a record of binary reports: the tight bound, far below what holds for any local mechanism.

Balle, Bell, Gascón and Nissim, "The privacy blanket of the shuffle model" (2019). Each of the others sends, with
probability γ, a report that says nothing (`record_law`); with M ~ Bin(n, γ) and Y_i drawn from the blanket,

    δ(ε) ≤ E[(L(Y_1) + … + L(Y_M))⁺] / (γ n),    L = F − e^ε G,

F and G being the densities, relative to the blanket, of the two records that are to be told apart.

Every binary ε-local report is randomized response on two values, its input randomized beforehand and its output
renamed afterwards, so the law of `record_law` covers all of them, and inputs between the extremes are mixtures of
extreme ones, under which the divergence cannot grow (joint convexity).

Records that differ everywhere are the worst pair. Given the other attributes, attribute j makes L one of
F a − e^ε G b, F b − e^ε G a (fair coin) where it differs, and one of (F − e^ε G) a, (F − e^ε G) b where it agrees:
two points around one mean in both cases, a − b apart times F + e^ε G, or times |F − e^ε G|. The wider spread is larger
in the convex order; sums of independent draws, a random number of them, and E[(·)⁺] keep that order.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sudare.guarantees.shuffling.fair_coins import Floats
from sudare.guarantees.shuffling.positive_part import Draw, log_positive_part
from sudare.guarantees.shuffling.record_law import RecordLaw
from sudare.guarantees.shuffling.smallest import smallest_epsilon

_LARGEST_EPSILON = 300.0
_MOST_ROWS = 10**12  # more rows only help, so counting fewer is safe
_SPARED = 1e-6  # the share of δ that very rare reports may take
_ULP = 2.0**-52
_LOWEST = -1e120  # smaller values are raised to it, which can only enlarge the bound and keeps squares finite


def blanket_epsilon(epsilons: Sequence[Fraction], rows: int, delta: Fraction) -> float:
    """Return ε of shuffled records of binary reports, one ε_j each, rounded up.

    Examples
    --------
    >>> round(blanket_epsilon([Fraction(1, 6)] * 6, 10_000, Fraction(1, 10**10)), 4)
    0.0274
    """
    informative = [epsilon for epsilon in epsilons if epsilon > 0]
    local = math.nextafter(float(sum(informative, Fraction(0))), math.inf)
    if not informative or local > _LARGEST_EPSILON:
        return local
    law = RecordLaw.of(informative)
    spared = float(delta) * _SPARED

    def log_delta_at(candidate: float) -> float:
        return log_blanket_delta(law, rows, candidate, spared)

    return smallest_epsilon(log_delta_at, delta, local)


def log_blanket_delta(law: RecordLaw, rows: int, epsilon: float, spared: float = 0.0) -> float:
    """Return an upper bound on ln δ(ε) of `rows` shuffled records, each with this law.

    Values of L that are large and rare make every exponential moment useless, so L is capped where its excess adds at
    most `spared` to δ: (a + b)⁺ ≤ a⁺ + b⁺, hence δ(ε) ≤ δ of the capped sum + E[(L − cap)⁺].

    Examples
    --------
    >>> law = RecordLaw.of([Fraction(1)])
    >>> exact = (math.e - math.exp(0.5)) / (math.e + 1)
    >>> exact <= math.exp(log_blanket_delta(law, 1, 0.5)) < 1.001 * exact
    True
    """
    counted = min(rows, _MOST_ROWS)
    gains = _gains(law, epsilon)
    cap, excess = _cap(gains, np.exp(law.log_weights), spared)
    draw = Draw(np.minimum(gains, cap), law.log_weights, law.mass)
    log_delta = log_positive_part(draw, counted) - math.log(law.mass) - math.log(counted)
    return float(np.logaddexp(log_delta, math.log(excess))) if excess > 0 else log_delta


def _cap(gains: Floats, weights: Floats, spared: float) -> tuple[float, float]:
    """Return the lowest of the values that may cap them all, and the mean of what lies above it, rounded up."""
    order = np.argsort(gains)[::-1]
    values, shares = gains[order], weights[order]
    above = np.cumsum(shares * values) - values * np.cumsum(shares)
    above += 8 * _ULP * (values.size + 64) * np.cumsum(shares * np.abs(values))
    allowed = np.flatnonzero((above <= spared) & (values > 0))
    if allowed.size == 0:
        return math.inf, 0.0
    return float(values[allowed[-1]]), float(above[allowed[-1]])


def _gains(law: RecordLaw, epsilon: float) -> Floats:
    """Return L = F − e^ε G at every point, rounded up: 2 c e^(ε/2) sinh(t − ε/2) loses no digit where L is small."""
    middle = epsilon / 2
    scale = 2 * math.exp(law.log_scale + middle)
    lean = law.points - middle
    gains = scale * np.sinh(lean)
    slack = np.abs(gains) * (16 + abs(law.log_scale) + middle) + scale * np.cosh(lean) * (np.abs(law.points) + middle)
    return np.maximum(gains + 8 * _ULP * slack, _LOWEST)

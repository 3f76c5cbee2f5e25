"""The stronger-clone bound: valid for any local mechanism, whatever else is known of it.

Feldman, McMillan and Talwar, "Stronger privacy amplification by shuffling for Rényi and approximate differential
privacy" (2023): shuffling n reports of an ε₀-local mechanism is no worse than the pair of laws
(A + Δ, C − A + 1 − Δ) and (A + 1 − Δ, C − A + Δ) with C ~ Bin(n − 1, 2/(e^ε₀ + 1)), A ~ Bin(C, 1/2) and
Δ ~ Bernoulli(e^ε₀ / (e^ε₀ + 1)).

The authors have since narrowed their proof to a class of mechanisms. That the bound holds for all of them, as long as
all reports come from the same one, can be seen so. Let p = e^ε₀, P and Q the laws of the first report under the two
neighbors, α their total variation distance over p − 1, and s = (p + 1)·α ≤ 1. With Q₁ and Q₀ the normalized positive
parts of P − Q and Q − P,

    P = pα·Q₁ + α·Q₀ + (1 − s)·Q₂    and    Q = α·Q₁ + pα·Q₀ + (1 − s)·Q₂

for one common law Q₂, and the law of any other report is at least P/p and Q/p everywhere, hence at least
α·Q₁ + α·Q₀ + ((1 − s)/p)·Q₂. Who is told how many reports came from Q₁, Q₀, Q₂ and from elsewhere can make the
shuffled reports. With t = e^ε between 1 and p, this pair of counts has the divergence E[(Σᵢ Lᵢ)⁺] / n over n
independent Lᵢ: p − t and 1 − tp with probability α each, p(1 − t) with probability (1 − s)/p, and else 0. Their law is
the mixture of that at s = 1, with weight s, and of that at s = 0. The latter has the same mean and, for every k, no
larger E[(L − k)⁺]: it is smaller in convex order. So is then the mixture, and any sum of independent copies: s = 1,
which is the pair above, is the worst.
"""

import math
from fractions import Fraction

import numpy as np

from sudare.guarantees.shuffling.fair_coins import Floats, log_fair_coins
from sudare.guarantees.shuffling.smallest import smallest_epsilon

# SciPy's incomplete beta function was compared with 40-digit arithmetic: its relative error stays under 3e-11 up to
# 10^9 coins. Tails are moved by thirty times that in the unfavorable direction.
_MARGIN = 1e-9
_BLOCKS = 1500
_SMALLEST = 1e-290  # below it floats lose digits; added, so that an underflow never helps
_LARGEST_EPSILON = 300.0
_MOST_ROWS = 10**9  # more rows only help, so counting fewer is safe


def stronger_clone_epsilon(epsilon: Fraction, rows: int, delta: Fraction) -> float:
    """Return ε of the shuffled reports for any ε₀-local mechanism, rounded up.

    Examples
    --------
    >>> round(stronger_clone_epsilon(Fraction(1), 10_000, Fraction(1, 10**10)), 4)
    0.0675
    """
    local = math.nextafter(float(epsilon), math.inf)
    if local > _LARGEST_EPSILON:
        return local

    def log_delta_at(candidate: float) -> float:
        return math.log(stronger_clone_delta(local, rows, candidate))

    return smallest_epsilon(log_delta_at, delta, local)


def stronger_clone_delta(local: float, rows: int, epsilon: float) -> float:
    """Return an upper bound on δ(ε) of `rows` shuffled reports, each `local`-private.

    Given C = c the divergence falls in c (one more clone can be added by anyone who looks), so a block of neighboring
    counts is charged at its smallest, the counts below the window at c = 0, and those above it at its end.

    Examples
    --------
    >>> round(stronger_clone_delta(1.0, 1, 0.5), 4) == round((math.e - math.exp(0.5)) / (math.e + 1), 4)
    True
    """
    if epsilon >= local:
        return _SMALLEST
    others = min(rows, _MOST_ROWS) - 1
    starts = _block_starts(others, local)
    at_most = _count_below(np.append(starts, others + 1), others, local)
    weights = np.diff(at_most)
    missed = at_most[0] * _given_clones(np.zeros(1), local, epsilon)[0]
    total = math.fsum(weights * _given_clones(starts, local, epsilon)) + missed
    return float(total) * (1 + _MARGIN) + _SMALLEST


def _block_starts(others: int, local: float) -> Floats:
    """Cut the likely counts of clones into blocks; what lies outside weighs under e⁻⁶⁰ (below) and e⁻²⁵ (above)."""
    mean = others * 2 / (math.exp(local) + 1)
    first = max(0, math.floor(mean - math.sqrt(120 * mean)))
    last = min(others, math.ceil(mean + math.sqrt(50 * mean) + 25))
    return np.unique(np.linspace(first, last, min(_BLOCKS, last - first + 1)).round())


def _count_below(counts: Floats, others: int, local: float) -> Floats:
    """Return P(C < count), C the number of clones among the others."""
    from scipy import special

    inside = np.clip(counts, 1, max(others, 1))
    below = special.betaincc(inside, others - inside + 1, 2 / (math.exp(local) + 1))
    below = np.where(counts <= 0, 0.0, np.where(counts > others, 1.0, below))
    return np.asarray(below, dtype=np.float64)


def _given_clones(clones: Floats, local: float, epsilon: float) -> Floats:
    """Return the divergence given the number of clones, from the one threshold in A that is best for each."""
    from scipy import special

    kept = math.exp(epsilon) * math.expm1(local - epsilon) / (math.exp(local) + 1)
    share = math.expm1(epsilon + local) / (math.expm1(local) * (math.exp(epsilon) + 1))
    threshold = np.minimum(np.floor((clones + 1) * share) + 1, clones + 1)
    beyond = np.where(threshold > clones, 0.0, special.betainc(threshold, np.maximum(clones - threshold, 0) + 1, 0.5))
    at = np.exp(log_fair_coins(clones, threshold - 1))
    return np.maximum(kept * at * (1 + _MARGIN) - math.expm1(epsilon) * beyond * (1 - _MARGIN), 0.0)

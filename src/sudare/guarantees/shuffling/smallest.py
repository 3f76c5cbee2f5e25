"""The smallest ε at which a falling bound on δ is met."""

import math
from collections.abc import Callable
from fractions import Fraction

_PRECISION = 1e-7
_MOST_STEPS = 100


def log_of(number: Fraction) -> float:
    """Return ln(number) also where the number is too small for a float.

    Examples
    --------
    >>> round(log_of(Fraction(1, 10**400)), 6)
    -921.034037
    """
    return math.log(number.numerator) - math.log(number.denominator)


def smallest_epsilon(log_delta_at: Callable[[float], float], delta: Fraction, local: float) -> float:
    """Return an ε in [0, local] with δ(ε) ≤ δ, at most a relative 10⁻⁷ above the smallest; `local` where there is none.

    δ falls about as a Gaussian tail, so √(ln δ(0) − ln δ(ε)) is nearly a line through the origin: the search follows
    that line and keeps a bracket, whose upper end alone is returned, never an interpolated value.

    Examples
    --------
    >>> round(smallest_epsilon(lambda epsilon: -(epsilon**2), Fraction(1, 1000), local=10.0) ** 2, 5)
    6.90776
    """
    log_delta = log_of(delta) - 1e-12  # the rounding of both logarithms
    start = min(log_delta_at(0.0), 0.0)  # δ is a probability, also where no bound could be computed
    if start <= log_delta:
        return 0.0
    wanted = math.sqrt(start - log_delta)
    last, low, high, guess = (0.0, 0.0), 0.0, local, local / 16
    for _ in range(_MOST_STEPS):
        reached = log_delta_at(guess)
        low, high = (low, guess) if reached <= log_delta else (guess, high)
        if high - low <= _PRECISION * high:
            break
        point = (guess, math.sqrt(max(start - reached, 0.0)))
        guess, last = _next(last, point, wanted, low, high), point
    return high


def _next(before: tuple[float, float], last: tuple[float, float], wanted: float, low: float, high: float) -> float:
    """Follow the line through the last two points, a little past the root toward the farther end of the bracket."""
    middle = (low + high) / 2
    rise = last[1] - before[1]
    if not (math.isfinite(rise) and rise * (last[0] - before[0]) > 0):
        return middle
    root = last[0] + (wanted - last[1]) * (last[0] - before[0]) / rise
    step = _PRECISION * high / 3
    guess = root - step if root - low > high - root else root + step
    # Far beyond the known points the line is not to be trusted.
    return guess if low < guess < high and guess <= 8 * last[0] else middle

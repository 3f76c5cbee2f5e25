"""A rigorous upper bound on E[S⁺] for a sum S of very many equal draws, in milliseconds and far into the tail.

S = Z_1 + … + Z_n, where Z = 0 with probability 1 − mass and one of a few values otherwise. Four steps, each of which
can only enlarge the result:

1. *Blur.* S⁺ is convex, so independent noise of mean zero added to S raises E[S⁺] (Jensen). Gaussian noise of a small
   fraction of S's spread makes the Fourier series below end after a few thousand terms, whatever n is. Where no draw
   was other than 0 none is needed, and what it brought there is taken off again.
2. *Tilt.* E[S⁺] = M(θ) E_θ[S⁺ e^(−θS)], exact for every θ; the θ that centers S makes small tails large.
3. *Wrap.* On a circle of circumference W the blurred, tilted sum has the density (1/W) Σ ψ_k e^(−2πikx/W), which is
   at least the true one everywhere: integrating x e^(−θx) over (0, top) against it covers all of (0, top). Above top
   Chernoff's bound is added: E[S; S > top] ≤ top e^(−λ top) M(λ) for every λ ≥ 1/top.
4. *Pay for rounding.* Weights are rounded up (E[S⁺] grows with each weight of a positive measure); errors of the
   characteristic function, of its n-th power, of the integrals and of their sum are bounded term by term and added.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudare.guarantees.shuffling.fair_coins import Floats

_ULP = 2.0**-52
_ROOT = 64  # the series has _ROOT² terms, computed as products of two tables of _ROOT rows
_TERMS = _ROOT**2
_CUT = 9.0  # the blur's characteristic function at the end of the series is e^(−_CUT²/2)
_LOG_NEGLIGIBLE = math.log(1e-8)  # of the mass allowed outside the window; it decides tightness, not validity
_LAST_ROUNDING = 2.0**-40
_WIDEST = 1e120  # wider windows would leave the range of floats

Complexes = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class Draw:
    """One draw: 0 with probability 1 − mass, else a value with the weight whose logarithm is given.

    Examples
    --------
    >>> coin = Draw(np.array([-1.0, 1.0]), np.log([0.5, 0.5]), 0.5)
    >>> round(math.exp(log_positive_part(coin, 1)), 3)
    0.25
    """

    values: Floats
    log_weights: Floats
    mass: float

    def tilted(self, tilt: float | Floats) -> Floats:
        """Return weight · e^(tilt · value), rounded up; one row for each of several tilts."""
        exponent = np.multiply.outer(np.asarray(tilt, dtype=np.float64), self.values)
        slack = 4 * _ULP * (self.values.size + 128 + np.abs(self.log_weights) + np.abs(exponent))
        return np.asarray(np.exp(self.log_weights + exponent + slack), dtype=np.float64)

    def log_moment(self, tilt: float | Floats, rows: int) -> Floats:
        """Return ln E[e^(tilt · S)] of the sum, rounded up."""
        total = self.tilted(tilt).sum(axis=-1)
        return np.asarray(rows * (np.log1p(self.mass * (total - 1)) + 16 * _ULP * self.mass * (total + 1)))


def log_positive_part(draw: Draw, rows: int) -> float:
    """Return an upper bound on ln E[S⁺] of `rows` draws; the better one of the series and of n · E[Z⁺].

    (a + b)⁺ ≤ a⁺ + b⁺ makes the second one valid; it is tight where hardly any draw is other than 0.
    """
    apart = draw.mass * float(draw.tilted(0.0) @ np.maximum(draw.values, 0.0))
    if apart == 0:
        return -math.inf
    with np.errstate(over="ignore", under="ignore"):  # a moment past the floats is infinite, and never the smallest
        return min(_log_by_series(draw, rows), math.log(rows) + math.log(apart) + _LAST_ROUNDING)


def _log_by_series(draw: Draw, rows: int) -> float:
    """Return the bound by the four steps above; infinite where rounding leaves none."""
    frame = _frame(draw, rows)
    if frame is not None and draw.values.min() < -2 * frame.top:
        # Nothing comes back from that far below: values raised to it can only enlarge E[S⁺], and hardly do.
        draw = Draw(np.maximum(draw.values, -2 * frame.top), draw.log_weights, draw.mass)
        frame = _frame(draw, rows)
    if frame is None:
        return math.inf
    value = _inside(draw, rows, frame) + _beyond(draw, rows, frame) - _blur_of_nothing(draw, rows, frame)
    if not (math.isfinite(value) and value > 0):
        return math.inf
    return (
        math.log(value) + float(draw.log_moment(frame.tilt, rows)) + (frame.tilt * frame.blur) ** 2 / 2 + _LAST_ROUNDING
    )


@dataclass(frozen=True)
class _Frame:
    """Under which tilt, and between which values, the sum is looked at. It decides tightness, never validity."""

    tilt: float
    top: float
    circle: float

    @property
    def blur(self) -> float:
        """The standard deviation of the added noise."""
        return _CUT * self.circle / (2 * math.pi * (_TERMS - 1))


def _frame(draw: Draw, rows: int) -> _Frame | None:
    tilt = _centering_tilt(draw)
    spread = _spread(draw, tilt, rows)
    if not (math.isfinite(spread) and spread > 0):
        return None
    turns = np.geomspace(0.004, 64, 33) / spread
    center = draw.log_moment(tilt, rows)
    below = float(np.min((draw.log_moment(tilt - turns, rows) - center - _LOG_NEGLIGIBLE) / turns))
    # Above, the factor e^(−θx) damps what is left.
    top = float(np.min((draw.log_moment(tilt + turns, rows) - center - _LOG_NEGLIGIBLE) / (tilt + turns)))
    below, top = max(below, spread / 4), max(top, spread / 4)
    return _Frame(tilt, top, below + top) if below + top < _WIDEST else None


def _centering_tilt(draw: Draw) -> float:
    """Return a θ ≥ 0 within 2 % of the minimum of E[e^(θZ)]; any θ gives a valid bound, this one a tight one."""
    weights = np.exp(draw.log_weights)
    mean = float(weights @ draw.values)
    if mean >= 0:
        return 0.0
    low = high = -mean / float(weights @ draw.values**2)
    while _slope(draw, low) > 0:
        low /= 4
    while _slope(draw, high) < 0:
        low, high = high, 4 * high
    while high > 1.02 * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if _slope(draw, middle) > 0 else (middle, high)
    return math.sqrt(low * high)


def _slope(draw: Draw, tilt: float) -> float:
    """Return the derivative of E[e^(θZ)] up to a positive factor that keeps it in range."""
    exponent = draw.log_weights + tilt * draw.values
    return float(np.exp(exponent - exponent.max()) @ draw.values)


def _spread(draw: Draw, tilt: float, rows: int) -> float:
    """Return the standard deviation of the tilted sum."""
    weights = draw.tilted(tilt)
    share = draw.mass / (1 + draw.mass * (weights.sum() - 1))
    mean = share * float(weights @ draw.values)
    return math.sqrt(rows * max(share * float(weights @ draw.values**2) - mean**2, 0.0))


def _inside(draw: Draw, rows: int, frame: _Frame) -> float:
    """Return a bound on E_θ[x e^(−θx); 0 < x < top] of the blurred sum on the circle."""
    tilt, top, circle, blur = frame.tilt, frame.top, frame.circle, frame.blur
    powers, errors = _powers(draw, tilt, rows, circle)
    frequencies: Floats = 2 * math.pi / circle * np.arange(_TERMS, dtype=np.float64)
    damping = np.exp(-((frequencies * blur) ** 2) / 2)
    powers, errors = powers * damping * np.exp(1j * frequencies * tilt * blur**2), (errors + 64 * _ULP) * damping
    integrals = _integrals(tilt, top, frequencies)
    sizes = np.abs(integrals) + 64 * _ULP * top**2
    terms = (powers * integrals).real  # frequencies ±k are conjugates: their sum is twice the real part
    terms[0] /= 2
    paid = errors * sizes + np.abs(powers) * (64 * _ULP * top**2 + _TERMS * _ULP * sizes)
    cut = _TERMS * math.exp(-(_CUT**2) / 2) * sizes[0]  # a geometric bound on all frequencies left out
    return 2 / circle * (float(terms.sum()) + float(paid.sum()) + float(cut))


def _integrals(tilt: float, top: float, frequencies: Floats) -> Complexes:
    """Return ∫ x e^(−(θ + iω)x) dx over (0, top)."""
    turned = (tilt + 1j * frequencies) * top
    small = np.abs(turned) < 1
    safe = np.where(small, 1.0, turned)
    closed = (1 - np.exp(-safe) * (1 + safe)) / safe**2
    series = np.zeros_like(turned)
    for order in reversed(range(22)):
        series = series * np.where(small, -turned, 0.0) + 1 / (math.factorial(order) * (order + 2))
    return np.asarray(top**2 * np.where(small, series, closed), dtype=np.complex128)


def _powers(draw: Draw, tilt: float, rows: int, circle: float) -> tuple[Complexes, Floats]:
    """Return the tilted sum's characteristic function at all frequencies, with a bound on the error of each."""
    weights = draw.tilted(tilt)
    total = float(weights.sum())
    share = draw.mass / (1 + draw.mass * (total - 1))
    turns = draw.values / circle
    single = _characteristic(weights, turns)
    phase = float(weights @ np.abs(turns)) * np.arange(_TERMS)
    error = share * _ULP * ((draw.values.size + 64) * total * 2 + 32 * phase)
    # Relative to the whole draw, whose other outcome is 0: log φ = log1p(share · (single − total)).
    log_size, angle = _log1p(share * (single - total))
    size = np.exp(rows * log_size)
    rounding = 8 * _ULP * (1 + rows * (np.abs(log_size) + np.abs(angle))) * size
    slipped = rows * error * np.exp((rows - 1) * (log_size + np.log1p(error * np.exp(-log_size))))
    return size * np.exp(1j * rows * angle), slipped + rounding


def _characteristic(weights: Floats, turns: Floats) -> Complexes:
    """Return Σ weight · e^(2πi k turn) for k = 0 … _TERMS − 1, each k split as _ROOT · q + r."""
    return np.asarray((_turned(_ROOT * turns) * weights) @ _turned(turns).T).ravel()


def _turned(turns: Floats) -> Complexes:
    """Return e^(2πi k turn), one row for each k below _ROOT, as products of few exponentials, which are dear."""
    steps = np.arange(8, dtype=np.float64)
    near, far = (np.exp(2j * math.pi * (np.multiply.outer(stride * steps, turns) % 1.0)) for stride in (1, 8))
    return np.asarray((far[:, None, :] * near[None, :, :]).reshape(_ROOT, turns.size))


def _log1p(z: Complexes) -> tuple[Floats, Floats]:
    """Return ln|1 + z| and the angle of 1 + z, both to nearly all digits where z is small."""
    x, y = z.real, z.imag
    near = np.maximum(x * (2 + x) + y * y, -0.9)
    far = np.log(np.maximum(np.hypot(1 + x, y), 1e-150))
    return np.where(np.abs(z) < 0.5, np.log1p(near) / 2, far), np.arctan2(y, 1 + x)


def _beyond(draw: Draw, rows: int, frame: _Frame) -> float:
    """Return Chernoff's bound on what lies above the window, in units of M(θ)."""
    tilt, top, blur = frame.tilt, frame.top, frame.blur
    tilts = np.maximum(tilt + np.geomspace(0.25, 64, 25) / top, 1 / top)
    logs = math.log(top) - tilts * top + draw.log_moment(tilts, rows) + (tilts * blur) ** 2 / 2
    log_share = float(np.min(logs)) - float(draw.log_moment(tilt, rows)) - (tilt * blur) ** 2 / 2
    return math.exp(log_share) * (1 + 1e-9) if log_share < 700 else math.inf


def _blur_of_nothing(draw: Draw, rows: int, frame: _Frame) -> float:
    """Return P(all draws are 0) · E[blur⁺], rounded down, in units of M(θ)."""
    log_none = rows * math.log1p(-draw.mass) * (1 + 1e-13) - float(draw.log_moment(frame.tilt, rows))
    return math.exp(log_none - (frame.tilt * frame.blur) ** 2 / 2) * frame.blur / math.sqrt(2 * math.pi) * (1 - 1e-13)

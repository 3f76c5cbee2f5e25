"""A lower bound on the true divergence: everybody else holds the second neighbor's record.

Under the second neighbor all n reports are drawn from one law R′, under the first one of them from R. Each report gets
a whole score, nearly proportional to R/R′; an event "the scores sum up to more than τ" is one among all events that
somebody could look at, so P(event) − e^ε Q(event) is never above the true δ(ε), whichever τ is the largest.
"""

import math

import numpy as np
from scipy import special

CELLS = 2**20
SPREADS = 40  # on either side of the mean
FAR, LEAST = 6, 5  # in spreads: where the tilted sum is centered, and from where on events are looked at
ROUNDING = 1e-6  # relative, far above that of the tilted transforms


class AllButOneAlike:
    def __init__(self, epsilon: float, reports: int, rows: int) -> None:
        share = epsilon / reports
        heads = np.arange(reports + 1)
        log_ratios = (2 * heads - reports) * share
        log_ways = special.gammaln(reports + 1) - special.gammaln(heads + 1) - special.gammaln(reports - heads + 1)
        second = np.exp(log_ways - heads * np.log1p(math.exp(share)) - (reports - heads) * np.log1p(math.exp(-share)))
        ratios = np.exp(log_ratios)
        step = 2 * SPREADS * math.sqrt(rows * float(second @ (ratios - 1) ** 2)) / CELLS
        scores = np.rint(ratios / step).astype(np.int64)
        mean = float(second @ scores)
        spread = math.sqrt(rows * float(second @ (scores - mean) ** 2))
        # Tilted by e^(tilt · score), the far events are common and keep their digits through the transforms.
        tilt = FAR / spread
        tilted = second * np.exp(tilt * (scores - mean))
        scale = tilted.sum()
        crowd, one = (
            np.fft.rfft(np.bincount(scores % CELLS, weights=law / scale, minlength=CELLS))
            for law in (tilted, tilted * ratios)
        )
        beyond = np.arange(int(LEAST * spread), CELLS // 2)[::-1]
        cells = (beyond + round(rows * mean)) % CELLS
        weights = np.exp(rows * math.log(scale) - tilt * (beyond + round(rows * mean) - rows * mean))
        self.first, self.second = (
            np.cumsum(weights * np.fft.irfft(crowd ** (rows - 1) * extra, CELLS)[cells]) for extra in (one, crowd)
        )

    def delta(self, epsilon: float) -> float:
        return float((self.first * (1 - ROUNDING) - math.exp(epsilon) * self.second * (1 + ROUNDING)).max())

    def epsilon(self, delta: float) -> float:
        low, high = 0.0, 40.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return low

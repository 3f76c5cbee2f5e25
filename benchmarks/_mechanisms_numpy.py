"""The textbook mechanisms for numbers in plain vectorized NumPy, with its insecure default generator: what we race.

Their floats are not private: single reports tell inputs apart. They are here for their speed and their variance alone.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reports = NDArray[Any]


def two_point(values: Reports, epsilon: float, generator: np.random.Generator) -> Reports:
    """Return +C or −C for each value (Duchi et al. in one dimension)."""
    lean = math.tanh(epsilon / 2)
    reach = values.dtype.type(1 / lean)
    return np.where(generator.random(len(values)) < (1 + values * lean) / 2, reach, -reach)


def piecewise(values: Reports, epsilon: float, generator: np.random.Generator) -> Reports:
    """Return a report from the likely piece around each value, or from what lies on either side (Wang et al.)."""
    root = math.exp(epsilon / 2)
    reach = (root + 1) / (root - 1)
    left = (reach + 1) / 2 * values - (reach - 1) / 2
    near = generator.random(len(values)) < root / (root + 1)
    place = generator.random(len(values))
    far = place * (reach + 1) - reach
    far = np.where(far < left, far, far + (reach - 1))
    return np.where(near, left + place * (reach - 1), far).astype(values.dtype)


def hybrid(values: Reports, epsilon: float, generator: np.random.Generator) -> Reports:
    """Return a piecewise report with probability 1 − e^(−ε/2), else a two-point one (Wang et al.)."""
    if epsilon <= 0.61:
        return two_point(values, epsilon, generator)
    pieces = generator.random(len(values)) < -math.expm1(-epsilon / 2)
    reports = np.empty_like(values)
    reports[pieces] = piecewise(values[pieces], epsilon, generator)
    reports[~pieces] = two_point(values[~pieces], epsilon, generator)
    return reports

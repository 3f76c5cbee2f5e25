"""The stronger clone holds for mechanisms of any kind, not only for those of binary reports."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from sudare.guarantees.shuffling.stronger_clone import stronger_clone_delta


def histograms(laws):
    """The law of the histogram of one report from each of these laws."""
    known = Counter({(0,) * len(laws[0]): 1.0})
    for law in laws:
        grown = Counter()
        for histogram, mass in known.items():
            for place, probability in enumerate(law):
                grown[(*histogram[:place], histogram[place] + 1, *histogram[place + 1 :])] += mass * probability
        known = grown
    return known


def worst_delta(mechanism, people, epsilon):
    """The exact divergence of the shuffled reports, over all neighbors and all records of the others."""
    worst = 0.0
    for others in itertools.combinations_with_replacement(mechanism, people - 1):
        laws = [histograms([first, *others]) for first in mechanism]
        for left, right in itertools.permutations(laws, 2):
            worst = max(worst, sum(max(mass - math.exp(epsilon) * right[place], 0) for place, mass in left.items()))
    return worst


def random_mechanism(generator, local, outputs, inputs):
    """Laws whose weights lie between 1 and e^(ε/2) times common ones: no ratio passes e^ε; many touch both ends."""
    common = generator.dirichlet(np.ones(outputs) * 0.7) + 1e-3
    tilts = np.exp(local / 2 * generator.choice([0, 0, 1, 1, generator.random()], (inputs, outputs)))
    laws = common * tilts
    return [tuple(law / law.sum()) for law in laws]


@pytest.mark.parametrize("local", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("people", [2, 3, 5])
def test_random_mechanisms_stay_below_it(local, people):
    generator = np.random.default_rng([int(local * 10), people])
    for _ in range(25):
        mechanism = random_mechanism(generator, local, outputs=3, inputs=3)
        true_local = math.log(max(max(column) / min(column) for column in zip(*mechanism, strict=True)))
        assert true_local <= local + 1e-12
        for epsilon in (0.1 * true_local, 0.5 * true_local, 0.9 * true_local):
            assert worst_delta(mechanism, people, epsilon) <= stronger_clone_delta(true_local, people, epsilon) + 1e-12


@pytest.mark.parametrize("local", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_smaller_distance_is_smaller_in_convex_order(local, share):
    """The step of the proof: at the corners of both laws, where the difference of their integrals is extreme."""
    p = math.exp(local)
    for t in np.exp(np.linspace(0.01, 0.99, 15) * local):

        def law(s, t=t):
            alpha = s / (p + 1)
            points = {p - t: alpha, 1 - t * p: alpha, p * (1 - t): (1 - s) / p}
            return points | {0.0: 1 - sum(points.values())}

        less, most = law(share), law(1.0)
        assert sum(x * w for x, w in less.items()) == pytest.approx(sum(x * w for x, w in most.items()))
        for corner in {*less, *most}:
            above = [sum(max(x - corner, 0) * w for x, w in one.items()) for one in (less, most)]
            assert above[0] <= above[1] + 1e-12

"""The exact divergence of shuffled binary reports for a handful of people: every pair, every input of the others."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np


class Shuffle:
    """All output laws of `rows` shuffled records, each of m binary reports with these epsilons."""

    def __init__(self, epsilons: Sequence[float], rows: int) -> None:
        self.records = list(itertools.product((0, 1), repeat=len(epsilons)))
        kept = [1 / (1 + math.exp(-epsilon)) for epsilon in epsilons]
        self.report_laws = {
            record: [
                math.prod(p if bit == sent else 1 - p for bit, sent, p in zip(record, output, kept, strict=True))
                for output in self.records
            ]
            for record in self.records
        }
        self.rows = rows

    def deltas(self, epsilon: float) -> Iterator[tuple[int, float]]:
        """Yield (in how many attributes the neighbors differ, their exact δ) for every neighboring pair of inputs."""
        for laws in self._laws:
            for left, right in itertools.permutations(range(len(self.records)), 2):
                excess = np.maximum(laws[left] - math.exp(epsilon) * laws[right], 0).sum()
                differing = sum(a != b for a, b in zip(self.records[left], self.records[right], strict=True))
                yield differing, float(excess)

    @property
    def _laws(self) -> list[np.ndarray]:
        if not hasattr(self, "_kept"):
            others = itertools.combinations_with_replacement(self.records, self.rows - 1)
            self._kept = [self._with_each_first(inputs) for inputs in others]
        return self._kept

    def _with_each_first(self, inputs: Sequence[tuple[int, ...]]) -> np.ndarray:
        """Return, for each record in first place, the law of the histogram of all outputs."""
        crowd: Counter[tuple[int, ...]] = Counter({(0,) * len(self.records): 1.0})
        for record in inputs:
            crowd = self._added(crowd, record)
        laws = [self._added(crowd, record) for record in self.records]
        return np.array([[law[histogram] for histogram in laws[0]] for law in laws])

    def _added(self, crowd: Counter, record: tuple[int, ...]) -> Counter:
        grown: Counter = Counter()
        for histogram, mass in crowd.items():
            for place, probability in enumerate(self.report_laws[record]):
                grown[(*histogram[:place], histogram[place] + 1, *histogram[place + 1 :])] += mass * probability
        return grown

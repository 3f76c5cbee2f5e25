import time
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def benchmark_seconds() -> Callable[[Callable[[], Any]], float]:
    """The best of three runs, so that a busy machine does not fail a test."""

    def seconds(action: Callable[[], Any]) -> float:
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            action()
            spent.append(time.perf_counter() - start)
        return min(spent)

    return seconds

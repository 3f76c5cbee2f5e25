"""Randomizing, against a copy of the array, plain NumPy and the packages for the same job: one process, one core.

The rounds are interleaved, so that a busy moment falls on all alike; every figure is a median. The packages randomize
one value a call, as their users do; NumPy draws from its fast generator, which is not for secrets.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from _mechanisms_numpy import hybrid, piecewise
from sudare.ledger import Ledger
from sudare.mechanisms import Hybrid, Laplace, OptimizedUnaryEncoding, Piecewise, RandomizedResponse, TwoPoint

ROWS = 10**7
ROUNDS = 9
EPSILON = 1.0
KINDS = {
    "RandomizedResponse(16)": "RandomizedResponse(16, '1').randomize(np.zeros(10, np.uint8))",
    "OptimizedUnaryEncoding(16)": "OptimizedUnaryEncoding(16, '1').randomize(np.zeros(10, np.uint8))",
    "TwoPoint, float32": "TwoPoint('1').randomize(np.zeros(10, np.float32))",
    "Piecewise": "Piecewise('1').randomize(np.zeros(10))",
    "Hybrid": "Hybrid('1').randomize(np.zeros(10))",
    "Laplace": "Laplace('1').randomize(np.zeros(10))",
}
Contender = tuple[Callable[[], object], int]


def peers() -> dict[str, Contender]:
    """Return the packages for randomized response, one call a value, each on as many values as a round allows."""
    import opendp.prelude as dp
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    dp.enable_features("contrib")
    client = DEClient(EPSILON, 16)
    measurement = dp.m.make_randomized_response(list(range(16)), prob=np.exp(1) / (np.exp(1) + 15))
    return {
        "multi-freq-ldpy": (lambda: [GRR_Client(i & 15, 16, EPSILON) for i in range(200_000)], 200_000),
        "pure-ldp": (lambda: [client.privatise((i & 15) + 1) for i in range(200_000)], 200_000),
        "OpenDP": (lambda: [measurement(i & 15) for i in range(4_000)], 4_000),
    }


def ours() -> dict[str, Contender]:
    """Return our mechanisms, plain NumPy and the copies, each over all rows."""
    generator = np.random.default_rng(1)
    doubles = generator.uniform(-1, 1, ROWS)
    floats, codes = doubles.astype(np.float32), generator.integers(0, 16, ROWS, np.uint8)
    work: dict[str, Callable[[], object]] = {
        "copy float64": doubles.copy,
        "copy float32": floats.copy,
        "response 16": lambda: RandomizedResponse(16, "1").randomize(codes),
        "unary 16": lambda: OptimizedUnaryEncoding(16, "1").randomize(codes[: ROWS // 10]),
        "two-point": lambda: TwoPoint("1").randomize(floats),
        "two-point, charged": lambda: charged(floats),
        "laplace": lambda: Laplace("1").randomize(doubles),
    }
    for epsilon in ("1", "4"):
        work[f"piecewise {epsilon}"] = lambda e=epsilon: Piecewise(e).randomize(doubles)
        work[f"hybrid {epsilon}"] = lambda e=epsilon: Hybrid(e).randomize(doubles)
        work[f"numpy piecewise {epsilon}"] = lambda e=epsilon: piecewise(doubles, float(e), generator)
        work[f"numpy hybrid {epsilon}"] = lambda e=epsilon: hybrid(doubles, float(e), generator)
    return {name: (call, ROWS // 10 if name == "unary 16" else ROWS) for name, call in work.items()}


def charged(values: np.ndarray) -> None:
    """Randomize under a receipt: the charge, the binding of the column and its fingerprint are made durable first."""
    mechanism = TwoPoint("1")
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.open(Path(folder) / "bench.ledger", ceilings={"people": ("1", 0)})
        with ledger.charge(mechanism.guarantee, subjects="people", purpose="benchmark") as receipt:
            mechanism.randomize(values, receipt.source("x"))


def rates(contenders: dict[str, Contender]) -> dict[str, float]:
    """Return values a second for each contender, in millions."""
    for call, _ in contenders.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (call, _rows) in contenders.items():
            started = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - started)
    return {name: rows / statistics.median(seconds[name]) / 1e6 for name, (_, rows) in contenders.items()}


def compile_seconds() -> list[tuple[str, float, float]]:
    """Return what the first call of each mechanism costs in a fresh process, with an empty and with a filled cache."""
    found = []
    for name, call in KINDS.items():
        script = (
            "import time, numpy as np\nfrom sudare.mechanisms import *\nimport sudare.mechanisms\n"
            f"start = time.perf_counter(); {call}; print(time.perf_counter() - start)"
        )
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            run = partial(subprocess.run, [sys.executable, "-c", script], env=environment, check=True, text=True)
            first = float(run(stdout=subprocess.PIPE).stdout)
            compiled = {path: path.stat().st_mtime_ns for path in Path(cache).rglob("*.nb*")}
            second = float(run(stdout=subprocess.PIPE).stdout)
            assert compiled == {path: path.stat().st_mtime_ns for path in Path(cache).rglob("*.nb*")}
        found.append((name, first, second))
    return found


def print_rates(rate: dict[str, float]) -> None:
    """Print one row for each comparison; a row without a bar is for information."""
    print("| what | M values/s | against | M values/s | ratio | asked |\n|---|--:|---|--:|--:|--:|")
    rows = [
        ("randomized response, 16 categories, ε = 1", "response 16", "multi-freq-ldpy", "60×"),
        ("", "response 16", "pure-ldp", "100×"),
        ("", "response 16", "OpenDP", "5,000×"),
        ("two-point, float32 → float32, ε = 1", "two-point", "copy float32", "0.25×"),
        ("the same under a receipt, ledger on disk", "two-point, charged", "copy float32", ""),
    ]
    for kind in ("piecewise", "hybrid"):
        for epsilon in ("1", "4"):
            rows.append((f"{kind}, float64, ε = {epsilon}", f"{kind} {epsilon}", f"numpy {kind} {epsilon}", "1×"))
            rows.append(("", f"{kind} {epsilon}", "copy float64", ""))
    rows.append(("Laplace, float64, ε = 1", "laplace", "copy float64", ""))
    for what, mine, other, asked in rows:
        ratio = rate[mine] / rate[other]
        print(f"| {what} | {rate[mine]:,.0f} | {other} | {rate[other]:,.3g} | {ratio:,.3g}× | {asked} |")
    print(f"| unary encoding, 16 categories, reports | {rate['unary 16']:,.3g} | | | | |")


def main() -> None:
    """Print the tables."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{ROWS:,} values, one core, medians of {ROUNDS} interleaved rounds.\n")
    print_rates(rates({**ours(), **peers()}))
    print(
        "\nFirst call in a fresh process, with an empty cache, and with a filled one: then nothing is compiled, as the"
    )
    print("files of the cache show, and what is left is Numba starting up and loading.\n")
    print("| mechanism | first ever | every later process | asked |\n|---|--:|--:|--:|")
    for name, first, second in compile_seconds():
        print(f"| {name} | {first:.2f} s | {second:.2f} s | ≤ 2 s, then no compiling |")


if __name__ == "__main__":
    main()

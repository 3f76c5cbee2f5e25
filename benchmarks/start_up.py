"""Start-up time: importing the package against importing NumPy, and asking for help, each in fresh processes."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
COMMANDS = {
    "python": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import sudare": [sys.executable, "-c", "import sudare"],
    "sudare --help": [str(Path(sys.executable).with_name("sudare")), "--help"],
}


def seconds(command: list[str]) -> float:
    """Return how long one run takes."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    """Print the table; rounds are interleaved so that a busy moment falls on all alike."""
    for command in COMMANDS.values():
        seconds(command)
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in COMMANDS}
    bare = middle["python"]
    ratio = (middle["import sudare"] - bare) / (middle["import numpy"] - bare)
    print(f"Median of {ROUNDS} interleaved rounds, each in a fresh process.\n")
    print("| what | measured | allowed |\n|---|--:|--:|")
    print(f"| `import sudare` against `import numpy` (Python's own start taken off both) | {ratio:.2f}× | 1.5× |")
    print(f"| `sudare --help` | {middle['sudare --help']:.2f} s | 0.30 s |")
    print(f"| of that, Python's own start | {bare:.2f} s | |")


if __name__ == "__main__":
    main()

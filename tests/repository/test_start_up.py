"""Importing the package and asking for help load nothing heavy; how long they take is in `benchmarks/start_up.py`."""

import json
import subprocess
import sys

import pytest

HEAVY = ("llvmlite", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn")
LOADED = (
    "import json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)"
)


def loaded_by(action: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", f"{action}\n{LOADED}"], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


HELP = """
import sys
from sudare.cli import main
sys.argv = ["sudare", "--help"]
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""


@pytest.mark.parametrize("action", ["import sudare", HELP], ids=["import", "help"])
def test_nothing_heavy_is_loaded(action: str) -> None:
    loaded = loaded_by(action)
    assert "sudare" in loaded
    assert loaded & set(HEAVY) == set()

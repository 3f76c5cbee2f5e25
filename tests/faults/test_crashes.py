"""0 forgotten charges: kills at random and at every write, full and broken disks, power cuts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults
KILLS = os.environ.get("SUDARE_KILLS", "200")


def campaign(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a campaign in a process of its own, which forks without threads around."""
    command = [sys.executable, "-m", "tests.faults.campaign", *arguments]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def survived(*arguments: str) -> dict[str, int]:
    ran = campaign(*arguments)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, int] = json.loads(ran.stdout)
    print(found)
    return found


def test_no_kill_at_a_random_moment_makes_the_ledger_forget() -> None:
    found = survived("kills", "--runs", KILLS)
    assert found["runs"] == int(KILLS)
    assert found["releases"] > found["runs"]


def test_no_kill_at_or_within_any_write_makes_the_ledger_forget() -> None:
    found = survived("boundaries")
    assert found["operations"] > 200


def test_no_full_or_broken_disk_makes_the_ledger_forget_or_say_something_else_than_what_to_do() -> None:
    found = survived("failures")
    assert found["refusals"] >= found["runs"] / 2


@pytest.mark.parametrize("seed", ["1", "2"])
def test_no_power_cut_makes_the_ledger_forget(seed: str) -> None:
    found = survived("power", "--seed", seed)
    assert found["operations"] > 200


def test_the_power_cuts_catch_a_ledger_that_does_not_wait_for_the_disk() -> None:
    ran = campaign("careless")
    assert ran.returncode != 0
    assert "a charge was forgotten" in ran.stderr or "LedgerRolledBack" in ran.stderr

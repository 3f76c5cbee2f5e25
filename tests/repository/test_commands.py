"""The commands that README names are those that run before a change lands."""

import re
import subprocess

from tests.repository.tree import ROOT


def test_every_make_command_of_the_readme_is_run_by_ci() -> None:
    named = re.findall(r"^\$? ?(make \w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    run = (ROOT / ".ci" / "run").read_text().splitlines()
    assert {"make tour", "make test"} <= set(named) <= set(run)


def test_make_says_what_it_can_do() -> None:
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"tour", "test", "check", "bench", "statistical", "faults", "lock", "help", "clean"} <= set(shown.split())

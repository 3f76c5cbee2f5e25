"""What runs the examples of README and docs runs all of a page, and fails where one fails."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.repository.tree import ROOT

RUNNER = ROOT / "docs" / "run_examples.py"


def run(page: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "page.md").write_text(page.replace("~~~", "```"), encoding="utf-8")
    return subprocess.run([sys.executable, RUNNER, folder / "page.md"], cwd=folder, capture_output=True, text=True)


def test_blocks_share_names_and_folder(tmp_path: Path) -> None:
    page = """
~~~python
word = "reed"
~~~
~~~console
$ echo screen \\
  > file.txt
what it printed is not a command
$ test -s file.txt
~~~
~~~bash
grep --quiet screen file.txt
~~~
~~~python
print(word, open("file.txt").read())
~~~
"""
    done = run(page, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "reed screen" in done.stdout


@pytest.mark.parametrize(
    "block",
    [
        "python\n1 / 0",
        "console\n$ false",
        "console\n$ true\n$ false | true",
        "bash\nfalse\ntrue",
        "console\n$ make nothing",
    ],
    ids=["python", "command", "pipe", "script", "make"],
)
def test_a_failing_block_fails_the_page(block: str, tmp_path: Path) -> None:
    assert run(f"~~~{block}\n~~~\n", tmp_path).returncode != 0


def test_a_make_command_of_the_project_is_known(tmp_path: Path) -> None:
    assert run("~~~console\n$ make help\n~~~\n", tmp_path).returncode == 0

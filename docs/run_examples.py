"""Run what README and docs show: every ```python, ```console and ```bash block, page by page, in an empty folder.

The blocks of a page run in order and share their Python names and their folder. `make` commands are about the checkout
and long, so here they are only looked up in the Makefile; `.ci/run` runs those of the README.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|console|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
WRITTEN_BY_MACHINE = {"_build", "generated", "results"}


def pages() -> list[Path]:
    """Return README, its siblings and every page of the docs."""
    docs = [path for path in sorted(ROOT.glob("docs/**/*.md")) if not WRITTEN_BY_MACHINE & set(path.parts)]
    return [*sorted(ROOT.glob("*.md")), *docs]


def blocks(page: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line number, kind and text of every block that runs."""
    text = page.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[1], found[2]


def run_page(page: Path) -> None:
    """Run the blocks of one page here and now."""
    names: dict[str, object] = {"__name__": "__main__"}
    for line, kind, text in blocks(page):
        print(f"{os.path.relpath(page, ROOT)}:{line}: {kind}", flush=True)
        if kind == "python":
            padded = "\n" * line + text  # so that a traceback names the line of the page
            exec(compile(padded, str(page), "exec"), names)
        else:
            for command in COMMAND.findall(text) if kind == "console" else [text]:
                run_command(command)


def run_command(command: str) -> None:
    """Run one command as a reader would, or look it up where it is the Makefile's."""
    if command.startswith("make"):
        command = f"cd {ROOT} && {command.replace('make', 'make --dry-run', 1)} > {os.devnull}"
    subprocess.run(["bash", "-euo", "pipefail", "-c", command], check=True)


def run_elsewhere(page: Path) -> bool:
    """Run one page in an empty folder that has the checkout's environment, and say whether all went well."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SUDARE_", "MAKE"))}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / ".venv").symlink_to(sys.prefix)
        return subprocess.run([sys.executable, __file__, page], cwd=folder, env=environment).returncode == 0


def main() -> None:
    """Run the page that is named, else all of them; fail where one failed."""
    if len(sys.argv) > 1:
        run_page(Path(sys.argv[1]))
        return
    shown = [page for page in pages() if any(blocks(page))]
    failed = [str(page.relative_to(ROOT)) for page in shown if not run_elsewhere(page)]
    print(f"{len(shown)} pages with examples, {len(failed)} failed {' '.join(failed)}".rstrip())
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()

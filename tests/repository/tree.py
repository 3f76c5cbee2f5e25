"""The project's own files: all that the ignore file does not leave out."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

from pathspec import PathSpec

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "sudare"


def project_files() -> list[Path]:
    """Return what a clone would hold; git itself is not asked, so that an unpacked archive will do."""
    ignored = PathSpec.from_lines("gitignore", (ROOT / ".gitignore").read_text().splitlines())
    found = []
    for folder, below, names in os.walk(ROOT):
        place = Path(folder).relative_to(ROOT)
        below[:] = sorted(name for name in below if name != ".git" and not ignored.match_file(f"{place / name}/"))
        found += [ROOT / place / name for name in sorted(names) if not ignored.match_file(str(place / name))]
    return found


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of the package with its syntax tree."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE), ast.parse(path.read_text(encoding="utf-8"))

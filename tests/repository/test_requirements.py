"""The core stays small and every locked file is complete: hashes for all, no registry named."""

import re
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.repository.tree import ROOT

LOCKED = sorted((ROOT / "requirements").glob("*.txt"))
PACKAGES_ALLOWED, BYTES_ALLOWED = 25, 700_000_000


def requirements(path: Path) -> dict[str, tuple[Requirement, int]]:
    """Return each locked requirement by its line, with the number of its hashes."""
    entries = re.findall(r"^(\S.*?) \\\n((?:    --hash=.*\n?)+)", path.read_text(), re.MULTILINE)
    return {line: (Requirement(line), hashes.count("--hash=sha256:")) for line, hashes in entries}


def core() -> list[Requirement]:
    """Return what the core installs on this machine."""
    locked = [one for one, _ in requirements(ROOT / "requirements" / "core.txt").values()]
    return [one for one in locked if one.marker is None or one.marker.evaluate()]


@pytest.mark.parametrize("path", LOCKED, ids=lambda path: path.name)
def test_every_line_of_a_locked_file_is_a_hashed_requirement_or_says_where_it_comes_from(path: Path) -> None:
    known = requirements(path)
    lines = path.read_text().splitlines()
    other = [one for one in lines if one.removesuffix(" \\") not in known and not re.match(r" {4}(--hash=|# )", one)]
    assert known
    assert other == []
    assert all(hashes for _, hashes in known.values())


def test_all_locked_files_agree_on_the_core() -> None:
    lines = requirements(ROOT / "requirements" / "core.txt").keys()
    assert [path.name for path in LOCKED if not lines <= requirements(path).keys()] == []


def test_what_is_locked_is_what_runs() -> None:
    assert [str(one) for one in core() if not one.specifier.contains(distribution(one.name).version)] == []


def test_the_core_has_at_most_25_packages() -> None:
    assert len(core()) + 1 <= PACKAGES_ALLOWED


def test_the_core_has_at_most_700_megabytes() -> None:
    files = [file.locate() for one in core() for file in distribution(one.name).files or ()]
    weight = sum(Path(file).stat().st_size for file in files if Path(file).exists())
    assert 100_000_000 < weight <= BYTES_ALLOWED

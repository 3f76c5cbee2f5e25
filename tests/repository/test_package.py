"""What is handed out: a wheel and a source archive, built without network by the locked backend."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.repository.tree import PACKAGE, ROOT, SOURCE, project_files

KINDS = {".py", ".toml", ".css", ".js", ".svg"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def in_wheel(built: Path) -> set[str]:
    (wheel,) = built.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def test_the_wheel_holds_the_package_and_nothing_else(in_wheel: set[str]) -> None:
    package = {path.relative_to(SOURCE).as_posix() for path in project_files() if PACKAGE in path.parents}
    assert {name for name in in_wheel if ".dist-info/" not in name} == package


def test_the_wheel_is_typed_and_speaks_both_languages(in_wheel: set[str]) -> None:
    assert {"sudare/py.typed", "sudare/texts/en.toml", "sudare/texts/ja.toml"} <= in_wheel


def test_the_wheel_holds_no_unknown_kind_of_file(in_wheel: set[str]) -> None:
    package = {Path(name) for name in in_wheel if ".dist-info/" not in name and not name.endswith("py.typed")}
    assert {path.suffix for path in package} <= KINDS


def test_the_wheel_carries_its_license_and_its_command(in_wheel: set[str]) -> None:
    about = {name.partition(".dist-info/")[2] for name in in_wheel}
    assert {"METADATA", "entry_points.txt", "licenses/LICENSE"} <= about


def test_the_wheel_of_the_source_archive_is_the_same(built: Path, in_wheel: set[str], tmp_path: Path) -> None:
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], cwd=unpacked, check=True)
    (wheel,) = (unpacked / "dist").glob("*.whl")
    assert set(zipfile.ZipFile(wheel).namelist()) == in_wheel

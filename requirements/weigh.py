"""Install the core into a fresh environment and print what each package weighs, as the docs show it.

Run as `make size`.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
MEGABYTE = 1e6
LIST_INSTALLED = """
import json
from importlib.metadata import distributions

def size(file):
    return file.stat().st_size if file.exists() else 0

print(json.dumps({
    one.metadata["Name"]: [one.version, sum(size(one.locate_file(file)) for file in one.files or ())]
    for one in distributions() if one.metadata["Name"] != "pip"
}))
"""


def installed(folder: Path) -> dict[str, tuple[str, int]]:
    """Return version and bytes on disk, compiled Python included, of every package that the core brings."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--only-binary", ":all:", "--require-hashes", "-r", str(HERE / "core.txt")], check=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=HERE.parent, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True)
    shown = subprocess.run([python, "-c", LIST_INSTALLED], check=True, capture_output=True, text=True).stdout
    return {name: (version, size) for name, (version, size) in json.loads(shown).items() if name != "setuptools"}


def main() -> None:
    """Print the table; `tests/repository/test_requirements.py` holds it to 25 packages and 700 MB."""
    with tempfile.TemporaryDirectory() as folder:
        packages = installed(Path(folder))
    total = sum(size for _, size in packages.values())
    print("| package | version | MB |\n|---|---|--:|")
    for name, (version, size) in sorted(packages.items(), key=lambda one: -one[1][1]):
        print(f"| {name} | {version} | {size / MEGABYTE:.1f} |")
    print(f"| **{len(packages)} packages** | | **{total / MEGABYTE:.0f}** |")


if __name__ == "__main__":
    main()

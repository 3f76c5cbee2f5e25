"""The project stands on its own: it names no machine, no package registry and no tool of the place it was made in."""

import re
from pathlib import Path

import pytest
from tests.repository.tree import ROOT, project_files

# Written with one-letter classes so that this file does not name what it forbids.
MACHINE_PATHS = r"/(?:w[o]rk|r[o]ot|h[o]me|U[s]ers|f[a]rm|opt/p[y]pi)(?:/|\b(?![-\w]))"
REGISTRIES = r"p[y]pi\.org|python[h]osted\.org|n[p]mjs|ana[c]onda\.(?:org|com)|conda-f[o]rge"
REGISTRY_OPTIONS = r"--(?:extra-)?ind[e]x-url|find-l[i]nks|regist[r]y[ =]+https?:"
TOOLS = r"\.libr[a]ry/|before-s[t]op|\bh[o]use\.py|D[E]SIGN\.md|S[T]YLE\.md|\banch[o]rs/"
FORBIDDEN = {
    "a machine path": rf"""(?:^|[\s"'`(=:,]){MACHINE_PATHS}""",
    "a package registry": f"{REGISTRIES}|{REGISTRY_OPTIONS}",
    "a tool of a workplace": TOOLS,
}


def hits(text: str) -> set[str]:
    return {what for what, pattern in FORBIDDEN.items() if re.search(pattern, text, re.MULTILINE)}


@pytest.mark.parametrize("path", project_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_names_no_place_outside_the_project(path: Path) -> None:
    assert hits(path.read_bytes().decode("utf-8", errors="replace")) == set()


@pytest.mark.parametrize(
    "planted",
    [
        "open('/wo" + "rk/data.csv')",
        "cd /ro" + "ot",
        "https://py" + "pi.org/simple",
        "--index" + "-url=here",
        "see DESIGN" + ".md",
    ],
)
def test_a_planted_place_is_found(planted: str) -> None:
    assert hits(planted)


@pytest.mark.parametrize(
    "harmless", ["the network/workbench", "/workers", "src/rooted/home", "--no-index", "--no-emit-ind" + "ex-url"]
)
def test_an_ordinary_word_is_let_through(harmless: str) -> None:
    assert not hits(harmless)

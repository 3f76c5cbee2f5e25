"""How the pages are built: offline, from Markdown and the docstrings, with every warning an error."""

import contextlib
import importlib
import io
import pkgutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, NumpyDocstring

import sudare
from sudare.cli.running import run

project = "Sudare"
author = "The Sudare developers"
copyright = "The Sudare developers"
version = release = sudare.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "results"]
html_theme = "furo"
html_title = f"Sudare {version}"
html_copy_source = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
myst_heading_anchors = 3

PAGE = """# {name}

```{{eval-rst}}
.. automodule:: {name}
   :members:{inherited}
   :show-inheritance:
```
"""
# A mechanism is used through what it inherits; elsewhere that would list what Python and NumPy offer.
INHERITING = {"sudare.mechanisms": "\n   :inherited-members:"}
COMMANDS = ("", "tour", "verify", "ledger open", "ledger show", "ledger verify", "ledger export")
SINGLE_FILES = ("sudare.errors", "sudare.estimate", "sudare.release")


def public_modules() -> list[str]:
    """Return every package that names what it offers, and the public single files."""
    found = [one.name for one in pkgutil.walk_packages(sudare.__path__, "sudare.")]
    return [name for name in found if name in SINGLE_FILES or hasattr(importlib.import_module(name), "__all__")]


def write_reference(app: Sphinx) -> None:
    """Write one page a module and the help of each command, so that nobody keeps a list by hand."""
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    for stale in (*folder.glob("*.md"), *folder.glob("*.txt")):
        stale.unlink()
    for command in COMMANDS:
        words = command.split()
        (folder / f"{'-'.join(['sudare', *words])}.txt").write_text(said_by([*words, "--help"]), encoding="utf-8")
    for name in public_modules():
        (folder / f"{name}.md").write_text(PAGE.format(name=name, inherited=INHERITING.get(name, "")), encoding="utf-8")


def said_by(arguments: list[str]) -> str:
    """Return what a command prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        run(arguments)
    return said.getvalue()


def read_docstring(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Turn the NumPy style into markup."""
    # As a property it would be taken for a type and its description at the first colon, and its example for prose.
    kind = "method" if what == "property" else what
    lines[:] = NumpyDocstring(lines, Config(), app, kind, name, thing, options).lines()


def setup(app: Sphinx) -> None:
    """Write the reference before the pages are read, and read docstrings as they are written."""
    app.connect("builder-inited", write_reference)
    app.connect("autodoc-process-docstring", read_docstring)

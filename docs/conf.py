"""How the pages are built: offline, from Markdown and the docstrings, with every warning an error."""

import importlib
import pkgutil
from pathlib import Path

from sphinx.application import Sphinx

import sudare

project = "Sudare"
author = "The Sudare developers"
copyright = "The Sudare developers"
version = release = sudare.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "results"]
html_theme = "furo"
html_title = f"Sudare {version}"
html_copy_source = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
myst_heading_anchors = 3
napoleon_google_docstring = False

PAGE = """# {name}

```{{eval-rst}}
.. automodule:: {name}
   :members:
   :show-inheritance:
```
"""
SINGLE_FILES = ("sudare.errors", "sudare.estimate", "sudare.release")


def public_modules() -> list[str]:
    """Return every package that names what it offers, and the public single files."""
    found = [one.name for one in pkgutil.walk_packages(sudare.__path__, "sudare.")]
    return [name for name in found if name in SINGLE_FILES or hasattr(importlib.import_module(name), "__all__")]


def write_reference(app: Sphinx) -> None:
    """Write one page a module, so that nobody keeps a list by hand."""
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(exist_ok=True)
    for stale in folder.glob("*.md"):
        stale.unlink()
    for name in public_modules():
        (folder / f"{name}.md").write_text(PAGE.format(name=name), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Write the reference before the pages are read."""
    app.connect("builder-inited", write_reference)

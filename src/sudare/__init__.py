"""Sudare: you see out, nobody sees in. A privacy workbench.

The few names that most work starts with stand here; they are loaded when first used, so that importing costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sudare.version import __version__ as __version__

if TYPE_CHECKING:
    from sudare.guarantees import compose
    from sudare.ledger import Ledger
    from sudare.release import Release, verify
    from sudare.schema import Categorical, Numeric, Schema

__all__ = ["Categorical", "Ledger", "Numeric", "Release", "Schema", "compose", "verify"]

_HOMES = {
    "Categorical": "schema",
    "Ledger": "ledger",
    "Numeric": "schema",
    "Release": "release",
    "Schema": "schema",
    "compose": "guarantees",
    "verify": "release",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sudare' has no attribute {name!r}")
    return getattr(import_module(f"sudare.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

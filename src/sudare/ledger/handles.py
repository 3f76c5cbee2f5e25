"""Pickles of a ledger find the ledger again: the handle that this process has, or a new one on the same file."""

import weakref
from typing import TYPE_CHECKING

from sudare.guarantees import Budget
from sudare.ledger.simulation import warn_of_another_process
from sudare.ledger.witness import rolled_back

if TYPE_CHECKING:
    from sudare.ledger.ledger import Ledger

_handles: "weakref.WeakValueDictionary[str, Ledger]" = weakref.WeakValueDictionary()


def remember(name: str, ledger: "Ledger") -> None:
    """Keep the newest handle under its path or its name, for as long as somebody else holds it."""
    _handles[name] = ledger


def opened_again(path: str, name: str) -> "Ledger":
    """Return the ledger of a pickle, wherever it is read."""
    from sudare.ledger.ledger import Ledger

    ledger = _handles.get(path) or Ledger.open(path)
    if ledger.id != name:
        raise rolled_back(path)
    return ledger


def simulation_again(name: str, seed: int | None, ceilings: dict[str, Budget]) -> "Ledger":
    """Return the simulation of a pickle in the process that made it, else an empty one that says so."""
    from sudare.ledger.ledger import Ledger

    known = _handles.get(name)
    if known is None:
        warn_of_another_process()
        known = Ledger.simulation(seed, ceilings)
        remember(name, known)
    return known

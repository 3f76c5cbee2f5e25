"""Releases remember how far the ledger had come when they were made: an older ledger is recognized by them."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sudare.errors import InvalidParameter
from sudare.ledger.history import History
from sudare.ledger.witness import rolled_back

_LARGEST_BYTES = 64 << 20


def refuse_older_than(facts: Any, history: History, public_key: str, where: str) -> None:
    """Refuse a history that lacks an entry or a range of rows that a release of this ledger was made after."""
    ledger = facts.get("ledger") if isinstance(facts, Mapping) else None
    if not isinstance(ledger, Mapping):
        return
    if ledger.get("id") == history.ledger != "":
        known = history.entries.holds(ledger.get("sequence"), ledger.get("head")) and _holds_ranges(history, ledger)
    else:
        # Each ledger has a key of its own: another ledger under our key is one that stood here before.
        known = ledger.get("public_key") != public_key
    if not known:
        raise rolled_back(where)


def _holds_ranges(history: History, ledger: Mapping[str, Any]) -> bool:
    number = ledger.get("ranges")
    # None stands in releases of earlier versions, and -1 where no row had been drawn.
    return number is None or number == -1 or history.ranges.holds(number, ledger.get("ranges_head"))


def release_facts(release: Any) -> Mapping[str, Any]:
    """Return what a release says of its ledger: from its folder, or from the content of its release.json."""
    if isinstance(release, (str, os.PathLike)):
        path = Path(release) / "release.json"
        facts = _read(path) if path.is_file() else None
        where = str(path)
    else:
        facts, where = release, "release"
    if not isinstance(facts, Mapping) or not isinstance(facts.get("ledger"), Mapping):
        raise InvalidParameter(
            "this is no release", where=where, remedy="name the folder of a release, the one that holds release.json"
        )
    return facts


def refuse_older_than_folders(folder: Path, history: History, public_key: str) -> None:
    """Look at the releases that lie beside the ledger."""
    for path in _releases(folder):
        refuse_older_than(_read(path), history, public_key, str(path))


def _releases(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as children:
        for child in children:
            path = Path(child.path) / "release.json"
            if child.is_dir() and path.is_file():
                yield path


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > _LARGEST_BYTES:
            return None
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # `sudare verify` says what is wrong with a damaged release; it cannot accuse the ledger

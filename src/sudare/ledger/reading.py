"""A ledger's file, looked at without its key: for who may see what was spent, but may not charge."""

import os
from dataclasses import dataclass
from typing import Any

from sudare.ledger import files, views
from sudare.ledger.entries import Entry, Range
from sudare.ledger.history import Charge, History
from sudare.ledger.place import Place
from sudare.ledger.refusals import damaged
from sudare.ledger.releases import refuse_older_than_folders
from sudare.ledger.signing import fingerprint
from sudare.ledger.sqlite import read_only
from sudare.ledger.witness import Witness


@dataclass(frozen=True)
class LedgerFile:
    """What a ledger's file held when it was read: prints as the ledger does, charges nothing, signs nothing.

    Examples
    --------
    >>> from sudare.ledger import Ledger
    >>> Ledger.open("study.ledger", ceilings={"patients": ("3", 0)}).close()
    >>> seen = read_file("study.ledger")
    >>> seen.charges, seen.export()["subjects"]["patients"]["left"]
    ((), {'epsilon': '3', 'delta': '0'})
    """

    path: str
    _history: History
    _entries: tuple[Entry, ...]
    _ranges: tuple[Range, ...]

    @property
    def charges(self) -> tuple[Charge, ...]:
        """All charges, in order."""
        return tuple(self._history.charges.values())

    @property
    def simulated(self) -> bool:
        """Whether it protects nobody."""
        return self._history.simulated

    @property
    def fingerprint(self) -> str:
        """The public key, short enough to compare by eye."""
        return fingerprint(self._history.public_key)

    def export(self) -> dict[str, Any]:
        """Return all of it as plain text and numbers.

        Examples
        --------
        >>> from sudare.ledger import Ledger
        >>> ledger = Ledger.open("study.ledger")
        >>> read_file("study.ledger").export() == ledger.export()
        True
        >>> ledger.close()
        """
        return views.export(self._history, self._entries, self._ranges)

    def __str__(self) -> str:
        return views.text(self._history, self.path)

    def _repr_html_(self) -> str:
        return views.html(self._history, self.path)

    def __repr__(self) -> str:
        return f"<LedgerFile {self.path}>"


def read_file(path: str | os.PathLike[str]) -> LedgerFile:
    """Read a ledger's file without changing it and without its key; refuse one that is damaged or an older copy.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sudare.ledger import Ledger
    >>> Ledger.open("study.ledger").close()
    >>> Path("study.ledger.key").unlink()
    >>> read_file("study.ledger").charges
    ()
    """
    place, history = Place.of(path), History()
    with files.refusing(place.path):
        mark = Witness(place.head).read()  # first, as for a charge: what it names is in the file by then
        entries, ranges = read_only(place)
        for entry in entries:
            history.append(entry)
            history.refuse_unsigned(entry)
        for drawn in ranges:
            history.append_range(drawn)
        if not entries:
            raise damaged(place.path)
        if mark is not None:
            mark.refuse_older(history, str(place.head))
        refuse_older_than_folders(place.path.parent, history, history.public_key)
    return LedgerFile(str(place.path), history, tuple(entries), tuple(ranges))

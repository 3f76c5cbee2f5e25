"""Everything about a ledger that its file alone can show."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sudare.errors import LedgerDamaged, SudareError
from sudare.ledger.entries import Entry, Range
from sudare.ledger.history import Charge, History
from sudare.ledger.place import Place
from sudare.ledger.promised import agrees, part_texts, said_neighbors
from sudare.ledger.signing import entry_bytes, fingerprint, signature_holds
from sudare.ledger.sqlite import read_only
from sudare.ledger.witness import Witness


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; `passed` is None where it could not be.

    Examples
    --------
    >>> Check("witness", None, "there is none beside the file").passed is None
    True
    """

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Verification:
    """What was checked, and whether it holds.

    Examples
    --------
    >>> from sudare.ledger import Ledger
    >>> print(Ledger.simulation().verify())
    chain       holds   1 entries, 0 ranges of rows
    sums        holds   0 charges, each within its ceilings when it was made
    signatures  holds   all entries
    ranges      holds   no row was drawn twice
    """

    checks: tuple[Check, ...]
    key: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing that was looked at fails."""
        return all(check.passed is not False for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain text."""
        return {"passed": self.passed, "key": self.key, "checks": [vars(check) for check in self.checks]}

    def __str__(self) -> str:
        words = {True: "holds", False: "FAILS", None: "unknown"}
        return "\n".join(f"{check.name:<11} {words[check.passed]:<7} {check.detail}" for check in self.checks)


def verify_file(path: str | Path) -> Verification:
    """Check a ledger file without changing it; the key and the witness may be absent.

    Examples
    --------
    >>> import tempfile
    >>> from sudare.ledger import Ledger
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.open(f"{folder.name}/study.ledger")
    >>> verify_file(f"{folder.name}/study.ledger").passed
    True
    >>> ledger.close(); folder.cleanup()
    """
    place, history = Place.of(path), History()
    try:
        entries, ranges = read_only(place)
    except LedgerDamaged as error:
        return Verification((Check("file", False, error.what),))
    checks = _checks(history, entries, ranges)
    return Verification((*checks, _witnessed(place, history)), _key(history))


def verified(entries: Sequence[Entry], ranges: Sequence[Range]) -> Verification:
    """Check entries and ranges as a store returned them."""
    history = History()
    return Verification(_checks(history, entries, ranges), _key(history))


def _checks(history: History, entries: Sequence[Entry], ranges: Sequence[Range]) -> tuple[Check, ...]:
    return (
        _check("chain", lambda: _follow(history, entries, ranges)),
        _check("sums", lambda: _sums(history)),
        _check("signatures", lambda: _signatures(history.public_key, entries)),
        _check("ranges", lambda: _ranges(history, ranges)),
    )


def _key(history: History) -> str:
    return fingerprint(history.public_key) if history.public_key else ""


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except (SudareError, ValueError, TypeError) as error:
        detail = f"{error.what} ({error.where})" if isinstance(error, SudareError) else str(error)
        return Check(name, False, detail)


def _follow(history: History, entries: Iterable[Entry], ranges: Iterable[Range]) -> str:
    for entry in entries:
        history.append(entry)
    for drawn in ranges:
        history.append_range(drawn)
    if len(history.entries) == 0:
        raise ValueError("there is no first entry")
    return f"{len(history.entries)} entries, {len(history.ranges)} ranges of rows"


def _sums(history: History) -> str:
    wrong = [str(charge.sequence) for charge in history.charges.values() if not _costs_what_it_says(charge)]
    if wrong:
        raise ValueError(f"the guarantee and the amount differ in entries {', '.join(wrong)}")
    _columns(history)
    return f"{len(history.charges)} charges, each within its ceilings when it was made"


def _columns(history: History) -> None:
    for charge in history.charges.values():
        for column, binding in charge.columns.items():
            paid = [json.loads(charge.parts[part]) for part in binding.parts]
            if _promise_of(binding.mechanism) not in (None, paid):
                raise ValueError(f"column {column!r} of entry {charge.sequence} was drawn by a mechanism of another ε")


def _promise_of(identity: str) -> list[Mapping[str, Any]] | None:
    from sudare.mechanisms import rebuilt

    try:
        return part_texts(rebuilt(json.loads(identity)).guarantee)
    except (SudareError, ValueError, TypeError):
        return None  # a mechanism of somebody else's package: its promise stands as it was written


def _costs_what_it_says(charge: Charge) -> bool:
    parts = [json.loads(part) for part in charge.parts]
    try:
        said = said_neighbors(parts) <= {charge.neighbors}
        return said and agrees(charge.guarantee, parts, charge.budget)
    except (SudareError, KeyError, TypeError, AttributeError):
        return False


def _signatures(public_key: str, entries: Iterable[Entry]) -> str:
    wrong = [
        str(entry.sequence)
        for entry in entries
        if not signature_holds(public_key, entry_bytes(entry.hash), entry.signature)
    ]
    if wrong:
        raise ValueError(f"not signed by the key of this ledger: entries {', '.join(wrong)}")
    return "all entries"


def _ranges(history: History, ranges: Iterable[Range]) -> str:
    last: dict[tuple[str, str], int] = {}
    for drawn in sorted(ranges, key=lambda drawn: drawn.first_row):
        address = (drawn.receipt, drawn.column)
        charge = history.charges.get(drawn.receipt)
        if charge is None or drawn.column not in charge.columns:
            raise ValueError(f"range {drawn.number} belongs to no charged column")
        if drawn.first_row < last.get(address, 0) or drawn.rows < 1:
            raise ValueError(f"range {drawn.number} overlaps another one")
        last[address] = drawn.stop
    return "no row was drawn twice"


def _witnessed(place: Place, history: History) -> Check:
    try:
        mark = Witness(place.head).read()
        if mark is not None:
            mark.refuse_older(history, str(place.head))
    except (SudareError, OSError) as error:
        return Check("witness", False, error.what if isinstance(error, SudareError) else str(error))
    if mark is None:
        return Check("witness", None, "there is none beside the file, so an older copy would not be recognized")
    return Check("witness", True, f"the ledger has come as far as entry {mark.sequence} and beyond")

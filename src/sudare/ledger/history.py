"""What the entries of a ledger add up to: a fold over an append-only chain, without a file in sight.

::

    opened    the ledger's public key, its version, the first ceilings
    ceiling   a ceiling for subjects that had none
    split     subjects divided into disjoint parts
    charge    a guarantee given about subjects, and what it costs
    use       a column bound to a mechanism and to parts of a receipt
    forget    a run key was destroyed
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from sudare.errors import LedgerDamaged, SudareError
from sudare.guarantees import Budget
from sudare.ledger.accounts import Accounts
from sudare.ledger.chain import Links, canonical
from sudare.ledger.entries import Entry, Range
from sudare.ledger.promised import NEIGHBORS
from sudare.ledger.signing import entry_bytes, signature_holds

FORMAT = 1
_AMOUNT = re.compile(r"[0-9]+(/[0-9]+)?")
RECEIPT = re.compile(r"[0-9a-f]{32}")  # it is also the name of a key's file, so it must never be a path


@dataclass(frozen=True)
class Binding:
    """A column of a receipt belongs to one mechanism and to these parts of the receipt's guarantee."""

    mechanism: str
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Charge:
    """One charge as the ledger keeps it; `budget` is None where the guarantee has no ε, `parts` are its parts as JSON.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> ledger = Ledger.simulation()
    >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="a survey"):
    ...     pass
    >>> ledger.charges[0].subjects, ledger.charges[0].sequence
    ('patients', 1)
    """

    receipt: str
    subjects: str
    guarantee: Mapping[str, Any]
    parts: tuple[str, ...]
    budget: Budget | None
    neighbors: str | None
    purpose: str
    request: str | None
    sequence: int
    time: str
    hash: str
    columns: dict[str, Binding] = field(default_factory=dict)


class History:
    """The state of a ledger after some entries."""

    def __init__(self) -> None:
        self.entries = Links("entry")
        self.ranges = Links("range")
        self.accounts = Accounts()
        self.charges: dict[str, Charge] = {}
        self.requests: dict[str, str] = {}
        self.forgotten: set[str] = set()
        self.public_key = ""
        self.simulated = False
        self.last_time: datetime | None = None

    @property
    def ledger(self) -> str:
        """The name of the ledger: the hash of its first entry."""
        return self.entries.hashes[0] if len(self.entries) else ""

    def append(self, entry: Entry) -> None:
        """Fold the next entry in, or refuse one that does not follow from the ones before."""
        self.entries.add(entry.sequence, entry.body, entry.previous, entry.hash)
        try:
            facts = entry.facts
            if (facts["kind"] == "opened") != (entry.sequence == 0):
                raise ValueError("a ledger is opened once")
            _FOLDS[facts["kind"]](self, facts, entry)
            self.last_time = _moment(facts["time"])
        except (KeyError, TypeError, ValueError, ArithmeticError, RecursionError, SudareError) as error:
            raise LedgerDamaged(
                "an entry of the ledger says what no ledger would have written",
                where=f"entry {entry.sequence}",
                remedy="put back a sound copy of the ledger; if it comes from a newer Sudare, install that version",
            ) from error

    def refuse_unsigned(self, entry: Entry) -> None:
        """Refuse an entry that this ledger's key has not signed; `append` comes first."""
        if not signature_holds(self.public_key, entry_bytes(entry.hash), entry.signature):
            raise LedgerDamaged(
                "an entry was not signed by the key of this ledger: somebody else wrote it",
                where=f"entry {entry.sequence}",
                remedy="put back a sound copy of the ledger; nothing can be charged until then",
            )

    def append_range(self, drawn: Range) -> None:
        """Link the next range of rows."""
        self.ranges.add(drawn.number, drawn.body, drawn.previous, drawn.hash)

    def find(self, run: str) -> Charge | None:
        """Return the charge of a request or a receipt id."""
        return self.charges.get(run) or self.charges.get(self.requests.get(run, ""))

    def unused(self, receipt: str) -> set[int]:
        """Return the parts of a receipt that no column is bound to."""
        charge = self.charges[receipt]
        used = {part for binding in charge.columns.values() for part in binding.parts}
        return set(range(len(charge.parts))) - used

    def _opened(self, facts: dict[str, Any], entry: Entry) -> None:  # noqa: ARG002
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        bytes.fromhex(facts["public_key"])
        self.public_key, self.simulated = facts["public_key"], facts["simulated"]
        for name, amounts in facts["ceilings"].items():
            self.accounts.ceilings[name] = _budget(*amounts)

    def _ceiling(self, facts: dict[str, Any], entry: Entry) -> None:  # noqa: ARG002
        if facts["subjects"] in self.accounts.ceilings:
            raise ValueError("a ceiling never changes")
        self.accounts.ceilings[facts["subjects"]] = _budget(facts["epsilon"], facts["delta"])

    def _split(self, facts: dict[str, Any], entry: Entry) -> None:  # noqa: ARG002
        subjects, parts = facts["subjects"], tuple(facts["parts"])
        if self.accounts.has_split(subjects, parts):
            raise ValueError("a split is declared once")
        self.accounts.split(subjects, parts)

    def _charge(self, facts: dict[str, Any], entry: Entry) -> None:
        subjects, request = facts["subjects"], facts["request"]
        if facts["receipt"] in self.charges or (request is not None and request in self.requests):
            raise ValueError("a receipt and a request are charged once")
        charge = charge_of(facts, entry)
        self.accounts.refuse_unknown(subjects)
        if charge.budget is not None:
            self.accounts.refuse_other_neighbors(subjects, charge.neighbors)
            self.accounts.refuse_over(subjects, charge.budget)
        self.accounts.charge(subjects, charge.budget or Budget(), charge.neighbors)
        self.charges[charge.receipt] = charge
        if request is not None:
            self.requests[request] = charge.receipt

    def _use(self, facts: dict[str, Any], entry: Entry) -> None:  # noqa: ARG002
        receipt, column, parts = facts["receipt"], facts["column"], tuple(facts["parts"])
        charge = self.charges[receipt]
        fresh = column not in charge.columns and len(set(parts)) == len(parts) > 0
        if receipt in self.forgotten or not fresh or not set(parts) <= self.unused(receipt):
            raise ValueError("a part is used once")
        if [canonical(part) for part in facts["covers"]] != [charge.parts[part] for part in parts]:
            raise ValueError("a column is drawn by the mechanism that was paid for")
        charge.columns[column] = Binding(facts["mechanism"], parts)

    def _forget(self, facts: dict[str, Any], entry: Entry) -> None:  # noqa: ARG002
        if facts["receipt"] in self.forgotten:
            raise ValueError("a key is forgotten once")
        self.forgotten.add(self.charges[facts["receipt"]].receipt)


_FOLDS = {
    "opened": History._opened,
    "ceiling": History._ceiling,
    "split": History._split,
    "charge": History._charge,
    "use": History._use,
    "forget": History._forget,
}


def charge_of(facts: Mapping[str, Any], entry: Entry) -> Charge:
    """Return the charge that an entry speaks of."""
    if not RECEIPT.fullmatch(facts["receipt"]):
        raise ValueError("no receipt has such an id")
    budget = None if facts["epsilon"] is None else _budget(facts["epsilon"], facts["delta"])
    if facts["neighbors"] not in ((None,) if budget is None else NEIGHBORS):
        raise ValueError("an amount is about some neighbors")
    return Charge(
        receipt=facts["receipt"],
        subjects=facts["subjects"],
        guarantee=facts["guarantee"],
        parts=tuple(canonical(part) for part in facts["parts"]),
        budget=budget,
        neighbors=facts["neighbors"],
        purpose=facts["purpose"],
        request=facts["request"],
        sequence=entry.sequence,
        time=facts["time"],
        hash=entry.hash,
    )


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a time without its zone")
    return moment


def _budget(epsilon: str, delta: str) -> Budget:
    # Read as plain fractions, not as user input: a sum of exact amounts may need more digits than a user may write.
    if not (_AMOUNT.fullmatch(epsilon) and _AMOUNT.fullmatch(delta)):
        raise ValueError("an amount is a fraction, never negative")
    return Budget(Fraction(epsilon), Fraction(delta))

"""What a stranger needs to follow the chain of a ledger without reading it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import InvalidParameter, LedgerDamaged
from sudare.guarantees.exact import exact_whole
from sudare.ledger.chain import START, canonical, digest, linked, text_of
from sudare.ledger.history import History
from sudare.ledger.receipt import Receipt
from sudare.ledger.store import Transaction


@dataclass(frozen=True)
class Evidence:
    """The hashes of all bodies up to the head, and the body of one charge: enough to recompute head and receipt.

    The other bodies stay unread: each holds a random nonce, so that its hash cannot be guessed. `ranges` and
    `ranges_head` are the number and the hash of the last range of rows that was drawn; evidence that an earlier version
    wrote lacks them.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> ledger = Ledger.simulation()
    >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
    ...     evidence = ledger.evidence(receipt)
    >>> evidence.verify(receipt)
    >>> evidence.sequence
    1
    """

    ledger: str
    public_key: str
    head: str
    bodies: tuple[str, ...]
    opening: str
    entry: str
    ranges: int | None = None
    ranges_head: str | None = None

    @classmethod
    def of(cls, history: History, transaction: Transaction, receipt: Receipt) -> "Evidence":
        """Return the evidence for a receipt of this ledger."""
        if receipt.ledger != history.ledger or not history.entries.holds(receipt.sequence, receipt.entry):
            raise InvalidParameter(
                "this receipt is of another ledger", where=f"receipt {receipt.id}", remedy="ask the ledger that gave it"
            )
        entries = transaction.entries(0)
        return cls(
            ledger=history.ledger,
            public_key=history.public_key,
            head=history.entries.head,
            bodies=tuple(history.entries.bodies),
            opening=entries[0].body,
            entry=entries[receipt.sequence].body,
            ranges=len(history.ranges) - 1,
            ranges_head=history.ranges.head,
        )

    @property
    def sequence(self) -> int:
        """The position of the head."""
        return len(self.bodies) - 1

    @property
    def place(self) -> dict[str, Any]:
        """Which ledger it was, and how far it had come: what a release says of its ledger.

        Examples
        --------
        >>> from sudare.guarantees import LocalDP
        >>> from sudare.ledger import Ledger
        >>> ledger = Ledger.simulation()
        >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
        ...     place = ledger.evidence(receipt).place
        >>> list(place), place["sequence"], place["ranges"]
        (['id', 'public_key', 'sequence', 'head', 'ranges', 'ranges_head'], 1, -1)
        """
        return {
            "id": self.ledger,
            "public_key": self.public_key,
            "sequence": self.sequence,
            "head": self.head,
            "ranges": self.ranges,
            "ranges_head": self.ranges_head,
        }

    def verify(self, receipt: Receipt) -> None:
        """Refuse evidence in which the receipt is not a link of the chain, or says something else."""
        links = [START]
        for body in self.bodies:
            links.append(linked(links[-1], body))
        facts = _body(self.entry, self.bodies[receipt.sequence : receipt.sequence + 1])
        opening = _body(self.opening, self.bodies[:1])
        wanted = {
            "the head": (links[-1], self.head),
            "the ledger": (links[min(1, len(self.bodies))], self.ledger, receipt.ledger),
            "the key": (opening.get("public_key"), self.public_key, receipt.public_key),
            "the mark of a simulation": (opening.get("simulated"), receipt.simulated),
            "the link": (links[receipt.sequence + 1 : receipt.sequence + 2], [receipt.entry]),
            "the charge": (_said(facts), _said({**receipt.to_dict(), "receipt": receipt.id, "kind": "charge"})),
        }
        for what, values in wanted.items():
            if any(value != values[0] for value in values):
                raise LedgerDamaged(
                    f"the chain does not bear out the receipt: {what} differs",
                    where=f"receipt {receipt.id}",
                    remedy="ask for the release again; this one was put together from different pieces",
                )
        receipt.verify()

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as plain text and numbers; `place` in it tells a ledger how far it had come."""
        return {
            **self.place,
            "bodies": list(self.bodies),
            "opening": self.opening,
            "entry": self.entry,
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> "Evidence":
        """Read evidence that `.to_dict()` wrote."""
        try:
            texts = {name: text_of(facts[name]) for name in ("public_key", "head", "opening", "entry")}
            bodies = tuple(_hash(body) for body in facts["bodies"])
            known = facts.get("ranges") is not None
            ranges = exact_whole(facts["ranges"], name="ranges", least=-1) if known else None
            ranges_head = text_of(facts["ranges_head"]) if known else None
            return cls(text_of(facts["id"]), bodies=bodies, ranges=ranges, ranges_head=ranges_head, **texts)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidParameter(
                "this is no evidence of a ledger", where="ledger", remedy="hand in what Evidence.to_dict() returned"
            ) from error


def _said(facts: Mapping[str, Any]) -> str:
    names = ("kind", "receipt", "subjects", "guarantee", "purpose", "request", "time")
    return canonical({name: facts.get(name) for name in names})


def _body(body: str, hashes: tuple[str, ...]) -> dict[str, Any]:
    if (digest(body),) != tuple(hashes):
        return {}
    facts = json.loads(body)
    return facts if isinstance(facts, dict) else {}


def _hash(value: Any) -> str:
    if len(bytes.fromhex(text_of(value))) != 32:
        raise ValueError("a hash expected")
    return str(value)

"""Links that cannot be changed unseen: each carries the hash of the one before, and needs only the hash of its body.

A link is `SHA-256(previous ‖ SHA-256(body))`. Whoever is shown the hashes of all bodies can therefore recompute the
head of the chain without reading one of them; a random nonce in each body keeps it from being guessed.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sudare.errors import LedgerDamaged

START = "0" * 64


def canonical(facts: Mapping[str, Any]) -> str:
    """Return the one JSON text of these facts: sorted keys, no spaces, no numbers that JSON does not know."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(body: str) -> str:
    """Return the hash of a body, in hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def linked(previous: str, body_hash: str) -> str:
    """Return the hash of the link that puts a body behind the previous link.

    Examples
    --------
    >>> linked(START, digest("{}"))[:16]
    '961af672d320bfb8'
    """
    return hashlib.sha256(bytes.fromhex(previous) + bytes.fromhex(body_hash)).hexdigest()


def text_of(value: Any) -> str:
    """Return a text that was read from a file, or raise TypeError."""
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


class Links:
    """The hashes of one chain, in order, checked as they are added.

    Examples
    --------
    >>> links = Links("entry")
    >>> links.add(0, "{}", START, linked(START, digest("{}")))
    >>> len(links), links.holds(0, links.head), links.holds(0, START)
    (1, True, False)
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.bodies: list[str] = []
        self.hashes: list[str] = []

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def head(self) -> str:
        """The hash of the last link."""
        return self.hashes[-1] if self.hashes else START

    def add(self, position: int, body: str, previous: str, link: str) -> None:
        """Add the next link, or refuse what does not follow from the ones before."""
        body_hash = digest(body)
        if position != len(self) or previous != self.head or link != linked(self.head, body_hash):
            raise LedgerDamaged(
                f"the chain of the ledger is broken: {self._name} {len(self)} does not follow from the one before",
                where=f"{self._name} {len(self)}",
                remedy="put back a sound copy of the ledger file with its -wal file; nothing can be charged until then",
            )
        self.bodies.append(body_hash)
        self.hashes.append(link)

    def holds(self, position: Any, link: Any) -> bool:
        """Return whether this chain has this link at this position, whatever a file may claim."""
        return isinstance(position, int) and 0 <= position < len(self) and self.hashes[position] == link

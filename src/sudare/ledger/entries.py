"""What a ledger keeps, as it is stored: entries, and the ranges of rows that were drawn."""

import json
from dataclasses import dataclass
from typing import Any

from sudare.ledger.chain import canonical, digest, linked


@dataclass(frozen=True)
class Entry:
    """One link of the chain; `.facts` reads its body.

    Examples
    --------
    >>> Entry(0, '{"kind":"opened"}', "", "", "").facts["kind"]
    'opened'
    """

    sequence: int
    body: str
    previous: str
    hash: str
    signature: str

    @property
    def facts(self) -> dict[str, Any]:
        """What the entry says."""
        facts = json.loads(self.body)
        if not isinstance(facts, dict):
            raise TypeError("the body of an entry is an object")
        return facts


@dataclass(frozen=True)
class Range:
    """Rows of a column that were drawn under a receipt, with the keyed fingerprint of their values.

    Examples
    --------
    >>> drawn = Range.after(0, "0" * 64, receipt="r", column="age", first_row=0, rows=5, fingerprint="ab")
    >>> drawn.stop
    5
    """

    number: int
    receipt: str
    column: str
    first_row: int
    rows: int
    fingerprint: str
    previous: str
    hash: str

    @classmethod
    def after(cls, number: int, previous: str, **facts: Any) -> "Range":
        """Return the range that follows the one with this hash."""
        return cls(number=number, previous=previous, hash=linked(previous, digest(_body(**facts))), **facts)

    @property
    def body(self) -> str:
        """What the link of this range is made of."""
        return _body(self.receipt, self.column, self.first_row, self.rows, self.fingerprint)

    @property
    def stop(self) -> int:
        """The first row after it."""
        return self.first_row + self.rows


def _body(receipt: str, column: str, first_row: int, rows: int, fingerprint: str) -> str:
    facts = {"receipt": receipt, "column": column, "first_row": first_row, "rows": rows, "fingerprint": fingerprint}
    return canonical({name: str(value) for name, value in facts.items()})

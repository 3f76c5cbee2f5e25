"""What a ledger needs of the place that keeps it: all or nothing, in order, and durable when `commit` returns.

A store holds two append-only lists, entries and ranges, and hands out transactions. `begin` with `write=True` waits
until no other transaction writes, in this process or another; what it reads stays true until it ends. `commit` returns
only when everything appended is on the disk; when it raises, nothing may be assumed, and the caller never uses the
store again. A store keeps what it is given: whether an entry follows from the ones before is for `History` to say.
"""

from typing import Protocol

from sudare.ledger.entries import Entry, Range


class Transaction(Protocol):
    """A view of the store that does not change under the reader, and what is to be added to it.

    Examples
    --------
    >>> from sudare.ledger import Entry, MemoryStore
    >>> transaction = MemoryStore().begin(write=True)
    >>> transaction.append(Entry(0, "{}", "", "", ""))
    >>> len(transaction.entries(0))
    1
    >>> transaction.rollback()
    """

    def entries(self, start: int) -> list[Entry]:
        """Return the entries from this sequence on, in order."""

    def ranges(self, start: int) -> list[Range]:
        """Return the ranges from this number on, in order."""

    def range_before(self, receipt: str, column: str, stop: int) -> Range | None:
        """Return the range of this column with the largest first row below `stop`."""

    def append(self, entry: Entry) -> None:
        """Add an entry."""

    def append_range(self, drawn: Range) -> None:
        """Add a range."""

    def commit(self) -> None:
        """Make everything that was added durable, all of it or nothing."""

    def rollback(self) -> None:
        """Add nothing after all."""


class LedgerStore(Protocol):
    """Where a ledger is kept: hand a maker of one to `Ledger.open(path, store=...)`.

    Examples
    --------
    >>> from sudare.ledger import MemoryStore
    >>> store: LedgerStore = MemoryStore()
    >>> store.check()
    """

    def is_new(self) -> bool:
        """Return whether nothing has been kept here yet."""

    def begin(self, *, write: bool) -> Transaction:
        """Start a transaction; refuses with LedgerUnavailable or LedgerDamaged where that cannot be done safely."""

    def let_go(self) -> None:
        """Close whatever no forked child may inherit; the next `begin` opens it again. Never raises."""

    def check(self) -> None:
        """Refuse what the place itself can tell to be damaged."""

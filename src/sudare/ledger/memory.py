"""A store that lives in memory: for simulations, and the shortest description of what a store does."""

from sudare.ledger.entries import Entry, Range


class MemoryStore:
    """Two lists; its owner's lock keeps transactions apart, and each process has its own.

    Examples
    --------
    >>> transaction = MemoryStore().begin(write=False)
    >>> transaction.entries(0), transaction.ranges(0)
    ([], [])
    """

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._ranges: list[Range] = []
        self._columns: dict[tuple[str, str], list[Range]] = {}

    def is_new(self) -> bool:
        """Return whether nothing has been kept here yet."""
        return not self._entries

    def begin(self, *, write: bool) -> "MemoryTransaction":  # noqa: ARG002
        """Start a transaction."""
        return MemoryTransaction(self._entries, self._ranges, self._columns)

    def let_go(self) -> None:
        """Nothing is open."""

    def check(self) -> None:
        """Memory cannot tell."""


class MemoryTransaction:
    """What was added is kept at `commit`."""

    def __init__(self, entries: list[Entry], ranges: list[Range], columns: dict[tuple[str, str], list[Range]]) -> None:
        self._entries, self._ranges, self._columns = entries, ranges, columns
        self._new_entries: list[Entry] = []
        self._new_ranges: list[Range] = []

    def entries(self, start: int) -> list[Entry]:
        """Return the entries from this sequence on, in order."""
        return self._entries[start:] + self._new_entries[max(0, start - len(self._entries)) :]

    def ranges(self, start: int) -> list[Range]:
        """Return the ranges from this number on, in order."""
        return self._ranges[start:] + self._new_ranges[max(0, start - len(self._ranges)) :]

    def range_before(self, receipt: str, column: str, stop: int) -> Range | None:
        """Return the range of this column with the largest first row below `stop`."""
        new = [drawn for drawn in self._new_ranges if (drawn.receipt, drawn.column) == (receipt, column)]
        known = [*self._columns.get((receipt, column), ()), *new]
        return max(
            (drawn for drawn in known if drawn.first_row < stop), key=lambda drawn: drawn.first_row, default=None
        )

    def append(self, entry: Entry) -> None:
        """Add an entry."""
        self._new_entries.append(entry)

    def append_range(self, drawn: Range) -> None:
        """Add a range."""
        self._new_ranges.append(drawn)

    def commit(self) -> None:
        """Keep everything that was added."""
        self._entries += self._new_entries
        self._ranges += self._new_ranges
        for drawn in self._new_ranges:
            self._columns.setdefault((drawn.receipt, drawn.column), []).append(drawn)
        self.rollback()

    def rollback(self) -> None:
        """Add nothing after all."""
        self._new_entries, self._new_ranges = [], []

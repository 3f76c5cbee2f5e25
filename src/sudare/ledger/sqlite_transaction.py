"""One transaction on the ledger's SQLite file: what is read is of the kinds that were written, or refused."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from sudare.ledger.entries import Entry, Range
from sudare.ledger.refusals import ERRORS, damaged, refusal


class Connection(Protocol):
    """What the store needs of a database connection; its errors are `sqlite3.Error`."""

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> Any:
        """Run one statement; the result has `fetchall`."""

    def close(self) -> None:
        """Close it."""


class SQLiteTransaction:
    """One transaction of a connection."""

    def __init__(self, connection: Connection, path: Path, before_commit: Callable[[], None] = lambda: None) -> None:
        self._connection, self._path, self._before_commit = connection, path, before_commit

    def entries(self, start: int) -> list[Entry]:
        """Return the entries from this sequence on, in order."""
        rows = self._rows("SELECT * FROM entries WHERE sequence >= ? ORDER BY sequence", start)
        return [Entry(*self._typed(row, int, str, str, str, str)) for row in rows]

    def ranges(self, start: int) -> list[Range]:
        """Return the ranges from this number on, in order."""
        rows = self._rows("SELECT * FROM ranges WHERE number >= ? ORDER BY number", start)
        return [self._range(row) for row in rows]

    def range_before(self, receipt: str, column: str, stop: int) -> Range | None:
        """Return the range of this column with the largest first row below `stop`."""
        sql = (
            "SELECT * FROM ranges WHERE receipt = ? AND column_name = ? AND first_row < ?"
            " ORDER BY first_row DESC LIMIT 1"
        )
        return next((self._range(row) for row in self._rows(sql, receipt, column, stop)), None)

    def append(self, entry: Entry) -> None:
        """Add an entry."""
        self._rows(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?)",
            *(entry.sequence, entry.body, entry.previous, entry.hash, entry.signature),
        )

    def append_range(self, drawn: Range) -> None:
        """Add a range."""
        self._rows(
            "INSERT INTO ranges VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            *(drawn.number, drawn.receipt, drawn.column, drawn.first_row, drawn.rows),
            *(drawn.fingerprint, drawn.previous, drawn.hash),
        )

    def commit(self) -> None:
        """Return when everything that was added is on the disk."""
        self._before_commit()
        self._rows("COMMIT")

    def rollback(self) -> None:
        """Add nothing after all."""
        try:
            self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # SQLite has rolled back by itself after the error that led here

    def check(self) -> None:
        """Let SQLite look through its own pages."""
        if self._rows("PRAGMA quick_check(1)") != [("ok",)]:
            raise damaged(self._path)

    def _range(self, row: tuple[Any, ...]) -> Range:
        return Range(*self._typed(row, int, str, str, int, int, str, str, str))

    def _typed(self, row: tuple[Any, ...], *kinds: type) -> tuple[Any, ...]:
        if tuple(map(type, row)) != kinds:
            raise damaged(self._path)  # SQLite keeps any type in any column
        return row

    def _rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        try:
            return list(self._connection.execute(sql, parameters).fetchall())
        except ERRORS as error:
            raise refusal(error, self._path) from error

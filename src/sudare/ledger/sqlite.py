"""The ledger's file: SQLite with a write-ahead log, synchronous FULL, and triggers that refuse to change the past."""

import ctypes
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sudare.errors import InvalidParameter, LedgerDamaged, LedgerRolledBack, LedgerUnavailable
from sudare.ledger import files
from sudare.ledger.entries import Entry, Range
from sudare.ledger.forks import ForkSafe
from sudare.ledger.history import FORMAT
from sudare.ledger.place import Place
from sudare.ledger.refusals import ERRORS, damaged, primary, refusal
from sudare.ledger.sqlite_transaction import Connection, SQLiteTransaction

APPLICATION_ID = 0x53554441  # "SUDA"
WAIT_SECONDS = 30.0
_LONGEST_WAIT = 86_400
_RETRY_SECONDS = 0.01

_TABLES = {
    "entries": "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, previous TEXT NOT NULL,"
    " hash TEXT NOT NULL, signature TEXT NOT NULL)",
    "ranges": "CREATE TABLE ranges (number INTEGER PRIMARY KEY, receipt TEXT NOT NULL, column_name TEXT NOT NULL,"
    " first_row INTEGER NOT NULL, row_count INTEGER NOT NULL, fingerprint TEXT NOT NULL, previous TEXT NOT NULL,"
    " hash TEXT NOT NULL)",
    "ranges_by_column": "CREATE UNIQUE INDEX ranges_by_column ON ranges (receipt, column_name, first_row)",
} | {
    f"{table}_{name}": f"CREATE TRIGGER {table}_{name} BEFORE {name.upper()} ON {table}"
    " BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END"
    for table in ("entries", "ranges")
    for name in ("update", "delete")
}


def connected(path: Path, mode: str = "mode=rwc") -> Connection:
    """Open a database with Python's own SQLite."""
    return sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True, isolation_level=None, check_same_thread=False)


class SQLiteStore:
    """A ledger's entries and ranges in one SQLite file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> store = SQLiteStore(Place.of(f"{folder.name}/study.ledger"))
    >>> transaction = store.begin(write=False)
    >>> transaction.entries(0)
    []
    >>> transaction.rollback(); store.let_go(); folder.cleanup()
    """

    def __init__(
        self,
        place: Place,
        *,
        connect: Callable[[Path], Connection] | None = None,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        self._place = place
        self._connect = connect or connected
        self._wait_seconds = _checked_wait(wait_seconds)
        self._connection: Connection | None = None
        self._process = 0
        self._files: dict[Path, tuple[int, int]] = {}

    def is_new(self) -> bool:
        """Return whether nothing has been kept here yet."""
        return not self._place.has_file()

    def begin(self, *, write: bool) -> "SQLiteTransaction":
        """Start a transaction on the very file that was opened first."""
        transaction = None
        try:
            connection = self._open()
            transaction = SQLiteTransaction(connection, self._place.path, self._refuse_replaced)
            connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            transaction.entries(1 << 62)  # a read, so that the log exists and the view is fixed
            self._refuse_replaced()
        except BaseException as error:
            if transaction is not None:
                transaction.rollback()
            if isinstance(error, ERRORS):
                raise refusal(error, self._place.path) from error
            raise
        return transaction

    def let_go(self) -> None:
        """Close the connection; the next transaction opens it again."""
        connection = self._connection
        if connection is not None and self._process != os.getpid():
            # Closing a parent's connection can break the parent's locks and log: it is leaked, even at the exit.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
            return
        self._connection = None
        self._files = {self._place.path: self._files[self._place.path]} if self._files else {}
        if connection is None:
            return
        try:
            connection.close()
        except sqlite3.Error:
            pass  # nothing is lost: what was committed is in the log

    def check(self) -> None:
        """Let SQLite look through its own pages."""
        transaction = self.begin(write=False)
        try:
            transaction.check()
        finally:
            transaction.rollback()

    def _open(self) -> Connection:
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        if self._connection is not None:
            raise LedgerUnavailable(
                "this process was forked while the ledger was being written",
                where=str(self._place.path),
                remedy="fork outside of charges, or open the ledger in a process of its own",
            )
        with files.refusing(self._place.path):
            files.touch(self._place.path)  # SQLite gives its log the mode of the database
        connection = self._connect(self._place.path)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _prepare(self, connection: Connection) -> None:
        connection.execute(f"PRAGMA busy_timeout = {int(self._wait_seconds * 1000)}").fetchall()
        if not _schema(connection) and _number(connection, "application_id") == 0:
            self._keep_log(connection)
            self._create(connection)
        if _number(connection, "application_id") != APPLICATION_ID:
            raise LedgerDamaged(
                "this database is not a ledger",
                where=str(self._place.path),
                remedy="write the path of a ledger, or of a file that does not exist yet",
            )
        if _number(connection, "user_version") != FORMAT or _schema(connection) != _TABLES:
            raise LedgerDamaged(
                "the ledger has another form than this version writes, or its guards were taken away",
                where=str(self._place.path),
                remedy="open it with the version that wrote it, or put back a sound copy",
            )
        self._keep_log(connection)

    def _keep_log(self, connection: Connection) -> None:
        for setting in ("synchronous = FULL", "fullfsync = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}").fetchall()
        deadline = time.monotonic() + self._wait_seconds
        while True:
            try:  # SQLite does not wait by itself while another process switches the new file to a log
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchall()
                break
            except sqlite3.OperationalError as error:
                if time.monotonic() > deadline or primary(error) != sqlite3.SQLITE_BUSY:
                    raise
                time.sleep(_RETRY_SECONDS)
        if mode != [("wal",)]:
            raise LedgerUnavailable(
                "no write-ahead log can be kept here",
                where=str(self._place.path),
                remedy="keep the ledger on a disk of this machine",
            )

    def _create(self, connection: Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        if not _schema(connection):  # else another process was faster
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in _TABLES.values():
                connection.execute(statement)
        connection.execute("COMMIT")  # after an error the connection is closed, which rolls back

    def _refuse_replaced(self) -> None:
        for path in (self._place.path, self._place.wal, self._place.shm):
            try:
                status = path.stat()
            except OSError:
                raise self._replaced(path) from None
            if self._files.setdefault(path, (status.st_dev, status.st_ino)) != (status.st_dev, status.st_ino):
                raise self._replaced(path)

    def _replaced(self, path: Path) -> LedgerRolledBack:
        return LedgerRolledBack(
            "a file of the ledger was removed or replaced while the ledger was open",
            where=str(path),
            remedy="put the file back that was there; what has been charged stays charged",
        )


def _checked_wait(seconds: Any) -> float:
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= _LONGEST_WAIT:
        raise InvalidParameter(
            "this is no time to wait for a lock",
            where="wait_seconds",
            remedy=f"write a number of seconds, 0 to {_LONGEST_WAIT}",
        )
    return float(seconds)


def _schema(connection: Connection) -> dict[str, str]:
    rows: Iterable[tuple[str, str]] = connection.execute("SELECT name, sql FROM sqlite_master").fetchall()
    return dict(rows)


def _number(connection: Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchall()[0][0])


class _Reader(ForkSafe):
    def let_go(self) -> None:
        """Nothing is open while the lock is free."""


_READER = _Reader()


def read_only(place: Place) -> tuple[list[Entry], list[Range]]:
    """Return what a ledger file holds, without writing to it; refuse one that SQLite finds damaged."""
    if not place.path.is_file():
        raise LedgerUnavailable(
            "there is no ledger here",
            where=str(place.path),
            remedy="name the file of a ledger, or make one with `sudare ledger open`",
        )
    with _READER.lock:
        try:
            connection = _read_connection(place)
        except ERRORS as error:
            raise refusal(error, place.path) from error
        transaction = SQLiteTransaction(connection, place.path)
        try:
            connection.execute("BEGIN")
            if _number(connection, "application_id") != APPLICATION_ID or _schema(connection) != _TABLES:
                raise damaged(place.path)
            transaction.check()
            return transaction.entries(0), transaction.ranges(0)
        except ERRORS as error:
            raise refusal(error, place.path) from error
        finally:
            transaction.rollback()
            connection.close()


def _read_connection(place: Place) -> Connection:
    if place.wal.exists():
        return connected(place.path, "mode=ro")
    # A copy without its log, perhaps on a read-only disk: SQLite must not try to make one.
    return connected(place.path, "mode=ro&immutable=1")

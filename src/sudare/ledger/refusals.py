"""What an error of SQLite means for the ledger, and what to do about it."""

import sqlite3
from pathlib import Path

from sudare.errors import LedgerDamaged, LedgerError, LedgerUnavailable

ERRORS = (sqlite3.Error, UnicodeDecodeError)  # a damaged text is found when Python reads it


def primary(error: Exception) -> int:
    """Return the number of an error of SQLite without its details."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def damaged(path: Path) -> LedgerDamaged:
    """Return the error that says that SQLite cannot make sense of the file."""
    return LedgerDamaged(
        "the ledger file is damaged, or is not a ledger",
        where=str(path),
        remedy="put back a sound copy together with its -wal file; the witness tells whether it is the newest",
    )


_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: ("another process holds the ledger", "wait for it to end, then try again"),
    sqlite3.SQLITE_LOCKED: ("another process holds the ledger", "wait for it to end, then try again"),
    sqlite3.SQLITE_PROTOCOL: ("another process holds the ledger", "wait for it to end, then try again"),
    sqlite3.SQLITE_FULL: ("the disk is full", "make room on the disk, then open the ledger again"),
    sqlite3.SQLITE_READONLY: ("the ledger is read-only", "give this user the right to write there"),
    sqlite3.SQLITE_PERM: ("the ledger may not be opened", "give this user the right to write there"),
    sqlite3.SQLITE_CANTOPEN: ("the ledger cannot be opened", "give this user the right to read and write there"),
    sqlite3.SQLITE_IOERR: ("the disk refused to read or write", "check the disk, then open the ledger again"),
    sqlite3.SQLITE_NOMEM: ("there is no memory left", "free some memory, then open the ledger again"),
    sqlite3.SQLITE_NOLFS: ("the disk takes no large files", "keep the ledger on another disk"),
}


def refusal(error: Exception, path: Path) -> LedgerError:
    """Return what an error of SQLite means for the ledger."""
    what, remedy = _UNAVAILABLE.get(primary(error), ("", ""))
    return LedgerUnavailable(what, where=str(path), remedy=remedy) if what else damaged(path)

"""What leaves the disk in doubt is never tried a second time."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudare.errors import LedgerDamaged, LedgerRolledBack, LedgerUnavailable
from sudare.guarantees import Budget, LocalDP
from sudare.ledger import Ledger, SQLiteStore, files
from sudare.ledger.sqlite import connected
from sudare.ledger.sqlite_transaction import SQLiteTransaction


class Failing:
    """A connection whose next statement of one kind fails with one of SQLite's errors."""

    def __init__(self, path: Path) -> None:
        self._connection = connected(path)
        self.fails: dict[str, int] = {}
        self.statements: list[str] = []

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> Any:
        self.statements.append(sql)
        number = self.fails.pop(sql, None)
        if number is not None:
            error = sqlite3.OperationalError("planted")
            error.sqlite_errorcode = number
            raise error
        return self._connection.execute(sql, parameters)

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def failing(path: Path) -> tuple[Ledger, list[Failing]]:
    made: list[Failing] = []

    def connect(path: Path) -> Failing:
        made.append(Failing(path))
        return made[-1]

    return Ledger.open(path, store=lambda place: SQLiteStore(place, connect=connect)), made


@pytest.mark.parametrize("number", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR | (4 << 8)])
def test_a_failed_commit_spoils_the_handle_and_is_never_tried_again(
    failing: tuple[Ledger, list[Failing]], path: Path, charged, number: int
) -> None:
    ledger, made = failing
    made[-1].fails["COMMIT"] = number
    with pytest.raises(LedgerUnavailable, match="disk"):
        charged(ledger)
    seen = len(made[-1].statements)
    for use in (lambda: charged(ledger), lambda: ledger.spent("patients"), lambda: str(ledger), ledger.verify):
        with pytest.raises(LedgerUnavailable, match="given up"):
            use()
    assert made[-1].statements[seen:] == []
    assert len(made) == 1
    again = Ledger.open(path)
    charged(again)
    assert again.spent("patients") == Budget.of("1")


def test_a_witness_that_cannot_be_written_spoils_the_handle_but_keeps_the_charge(
    path: Path, charged, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open(path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", full)
        with pytest.raises(LedgerUnavailable, match="No space left"):
            charged(ledger)
    with pytest.raises(LedgerUnavailable, match="given up"):
        charged(ledger)
    assert Ledger.open(path).spent("patients") == Budget.of("1")


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (sqlite3.SQLITE_BUSY, "another process"),
        (sqlite3.SQLITE_READONLY, "read-only"),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened"),
        (sqlite3.SQLITE_NOMEM, "memory"),
    ],
)
def test_a_refusal_before_anything_is_written_leaves_the_handle_alive(
    failing: tuple[Ledger, list[Failing]], charged, number: int, message: str
) -> None:
    ledger, made = failing
    made[-1].fails["BEGIN IMMEDIATE"] = number
    with pytest.raises(LedgerUnavailable, match=message) as refused:
        charged(ledger)
    assert refused.value.where
    assert refused.value.remedy
    charged(ledger)
    assert ledger.spent("patients") == Budget.of("1")


@pytest.mark.parametrize("number", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR])
def test_a_file_that_sqlite_cannot_read_is_called_damaged(
    failing: tuple[Ledger, list[Failing]], charged, number: int
) -> None:
    ledger, made = failing
    made[-1].fails["BEGIN IMMEDIATE"] = number
    with pytest.raises(LedgerDamaged):
        charged(ledger)


def test_an_interrupt_after_the_commit_spoils_the_handle_and_forgets_nothing(
    path: Path, charged, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger.open(path)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            charged(ledger)
    with pytest.raises(LedgerUnavailable, match="given up"):
        charged(ledger)
    assert Ledger.open(path).spent("patients") == Budget.of("1")


def test_an_error_inside_the_transaction_writes_nothing_and_spoils_nothing(
    path: Path, ledger: Ledger, charged, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(files, "create", refused)
        with pytest.raises(LedgerUnavailable, match="Permission denied"):
            charged(ledger, request="May")
    assert ledger.charges == ()
    charged(ledger, request="May")
    assert len(ledger.charges) == 1


ANOTHER = """
import sys
from sudare.guarantees import LocalDP
from sudare.ledger import Ledger
ledger = Ledger.open(sys.argv[1], wait_seconds=1)
for _ in range(int(sys.argv[2])):
    with ledger.charge(LocalDP("1"), "patients", "another"):
        print("charged", flush=True)
sys.stdin.readline()
"""


def locks_lost(path: Path) -> None:
    for suffix in ("", "-shm", "-wal"):  # whoever closes a file drops all locks that the process holds on it
        path.with_name(path.name + suffix).read_bytes()


def memory_lost(path: Path) -> None:
    path.with_name(path.name + "-shm").unlink()


@pytest.mark.parametrize("lost", [locks_lost, memory_lost])
@pytest.mark.parametrize("times", [1, 2])
def test_no_receipt_where_another_process_charged_under_locks_that_were_lost(
    path: Path, charged, monkeypatch: pytest.MonkeyPatch, lost: Callable[[Path], None], times: int
) -> None:
    ledger, commit, others = Ledger.open(path), SQLiteTransaction.commit, []

    def overtaken(transaction: SQLiteTransaction) -> None:
        monkeypatch.setattr(SQLiteTransaction, "commit", commit)
        lost(path)
        command = [sys.executable, "-W", "error", "-c", ANOTHER, str(path), str(times)]
        others.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert [others[0].stdout.readline() for _ in range(times)] == ["charged\n"] * times
        commit(transaction)

    monkeypatch.setattr(SQLiteTransaction, "commit", overtaken)
    with pytest.raises(LedgerRolledBack), ledger.charge(LocalDP("1"), "patients", "a survey"):
        pytest.fail("the block ran")
    others[0].communicate("\n")
    with pytest.raises(LedgerUnavailable, match="given up"):
        charged(ledger)


def begun_and_interrupted(patch: pytest.MonkeyPatch) -> None:
    begin = SQLiteStore.begin

    def interrupted(store: SQLiteStore, *, write: bool) -> None:
        begin(store, write=write)
        raise KeyboardInterrupt

    patch.setattr(SQLiteStore, "begin", interrupted)


def interrupted_before_the_end(patch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    patch.setattr(SQLiteTransaction, "rollback", interrupted)


@pytest.mark.parametrize("interrupt", [begun_and_interrupted, interrupted_before_the_end])
def test_an_interrupt_at_the_edge_of_a_transaction_leaves_nothing_locked(
    path: Path, charged, monkeypatch: pytest.MonkeyPatch, interrupt: Callable[[pytest.MonkeyPatch], None]
) -> None:
    ledger, other = Ledger.open(path), Ledger.open(path, wait_seconds=0)
    with monkeypatch.context() as patch:
        interrupt(patch)
        with pytest.raises(KeyboardInterrupt) as held:
            charged(ledger)
    charged(other)
    assert held.value is not None  # its traceback, which is alive until here, holds no lock either

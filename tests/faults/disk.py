"""A disk that can be watched: every write of a ledger, SQLite's and our own, passes one place that counts it.

SQLite's writes come through a VFS shim; ours through an `os` that stands in for the real one inside the ledger's
modules. What happens at an operation is for a `Plan` to say.
"""

import errno
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import apsw
import pytest

from sudare.ledger import Ledger, SQLiteStore, files, keys, signing


class Plan:
    """Let every operation pass; count them."""

    def __init__(self) -> None:
        self.count = 0

    def reached(self, operation: tuple[Any, ...]) -> None:
        """Called before an operation takes place."""
        self.count += 1

    def torn(self) -> bool:
        """Return whether this write ends half-way."""
        return False


class Kill(Plan):
    """Die before the operation with this number, or half-way through it."""

    def __init__(self, at: int, *, half_way: bool) -> None:
        super().__init__()
        self._at, self._half_way = at, half_way

    def reached(self, operation: tuple[Any, ...]) -> None:
        super().reached(operation)
        if self.count == self._at and not (self._half_way and operation[0] == "write"):
            die()

    def torn(self) -> bool:
        return self._half_way and self.count == self._at


class Fail(Plan):
    """Fail one operation, or all from it on: the disk is full, or broken."""

    def __init__(self, at: int, number: int, *, forever: bool) -> None:
        super().__init__()
        self._at, self._number, self._forever = at, number, forever
        self.happened = False

    def reached(self, operation: tuple[Any, ...]) -> None:
        super().reached(operation)
        full_disks_still_remove = self._number == errno.ENOSPC and operation[0] in ("unlink", "rename", "truncate")
        if (self.count == self._at or (self._forever and self.count > self._at)) and not full_disks_still_remove:
            self.happened = True
            raise OSError(self._number, os.strerror(self._number))


class Record(Plan):
    """Remember every operation, for `power.py`."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[tuple[Any, ...]] = []

    def reached(self, operation: tuple[Any, ...]) -> None:
        super().reached(operation)
        self.log.append(operation)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


plan = Plan()


def follow(new: Plan) -> None:
    """Let this plan say what happens from now on."""
    global plan
    plan = new


class ShimFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int]) -> None:
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if self.path and not os.path.exists(self.path):
            _as_sqlite("create", self.path)
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        _as_sqlite("write", self.path, offset, bytes(data))
        if plan.torn():
            super().xWrite(data[: len(data) // 2], offset)
            die()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        _as_sqlite("sync", self.path)
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        _as_sqlite("truncate", self.path, size)
        super().xTruncate(size)


class ShimVFS(apsw.VFS):
    def __init__(self) -> None:
        super().__init__("shim", "unix")

    def xOpen(self, name: Any, flags: list[int]) -> ShimFile:  # noqa: N802
        return ShimFile(name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:  # noqa: N802
        _as_sqlite("unlink", name)
        super().xDelete(name, sync_folder)


def _as_sqlite(*operation: Any) -> None:
    try:
        plan.reached(operation)
    except OSError as error:
        kind = apsw.FullError if error.errno == errno.ENOSPC else apsw.IOError
        raise (apsw.CantOpenError if operation[0] == "create" else kind)(str(error)) from None


class ShimConnection:
    """A connection over the shim that speaks like Python's own."""

    def __init__(self, path: Path) -> None:
        self._connection = _sqlite(lambda: apsw.Connection(str(path), vfs="shim"))

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> "Rows":
        return Rows(_sqlite(lambda: list(self._connection.execute(sql, parameters))))

    def close(self) -> None:
        _sqlite(self._connection.close)


class Rows:
    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._rows = rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows


_NUMBERS = {
    apsw.CantOpenError: sqlite3.SQLITE_CANTOPEN,
    apsw.FullError: sqlite3.SQLITE_FULL,
    apsw.IOError: sqlite3.SQLITE_IOERR,
}


def _sqlite(call: Any) -> Any:
    try:
        return call()
    except apsw.Error as error:
        translated = sqlite3.OperationalError(str(error))
        # The shim's own errors come back as they were raised, without the number that SQLite gives.
        translated.sqlite_errorcode = getattr(error, "extendedresult", _NUMBERS.get(type(error), 0))
        raise translated from None


class ShimOS:
    """The real `os`, with its writes announced first."""

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Any, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT and not os.path.exists(path):
            plan.reached(("create", str(path)))
        elif flags & os.O_TRUNC:
            plan.reached(("truncate", str(path), 0))
        handle = os.open(path, flags, mode)
        self._paths[handle] = str(path)
        return handle

    def write(self, handle: int, data: bytes) -> int:
        return self.pwrite(handle, data, os.lseek(handle, 0, os.SEEK_CUR))

    def pwrite(self, handle: int, data: bytes, offset: int) -> int:
        plan.reached(("write", self._paths[handle], offset, bytes(data)))
        if plan.torn():
            os.pwrite(handle, data[: len(data) // 2], offset)
            die()
        return os.pwrite(handle, data, offset)

    def ftruncate(self, handle: int, size: int) -> None:
        plan.reached(("truncate", self._paths[handle], size))
        os.ftruncate(handle, size)

    def fsync(self, handle: int) -> None:
        folder = os.path.isdir(self._paths[handle])
        plan.reached(("sync folder" if folder else "sync", self._paths[handle]))
        os.fsync(handle)

    def replace(self, source: Any, target: Any) -> None:
        plan.reached(("rename", str(source), str(target)))
        os.replace(source, target)

    def unlink(self, path: Any) -> None:
        plan.reached(("unlink", str(path)))
        os.unlink(path)

    def mkdir(self, path: Any, mode: int = 0o777) -> None:
        plan.reached(("mkdir", str(path)))
        os.mkdir(path, mode)


shim_os = ShimOS()
shim_vfs = ShimVFS()


def watched(patch: pytest.MonkeyPatch) -> None:
    """Let the ledger's own writes pass the plan."""
    for module in (files, keys, signing):
        patch.setattr(module, "os", shim_os)


def open_ledger(path: Path, ceilings: Any) -> Ledger:
    """Open a ledger whose every write passes the plan."""
    return Ledger.open(path, ceilings, store=lambda place: SQLiteStore(place, connect=ShimConnection))


class CarelessConnection(ShimConnection):
    """A connection that does not wait for the disk: what the power cuts must catch."""

    def execute(self, sql: str, parameters: tuple[Any, ...] = ()) -> Rows:
        return super().execute(sql.replace("synchronous = FULL", "synchronous = NORMAL"), parameters)


def open_careless_ledger(path: Path, ceilings: Any) -> Ledger:
    """Open a ledger that survives a kill, but not a power cut."""
    return Ledger.open(path, ceilings, store=lambda place: SQLiteStore(place, connect=CarelessConnection))

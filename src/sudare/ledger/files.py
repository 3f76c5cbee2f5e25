"""The few writes beside the database, each durable when it returns; a failed one is never tried again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sudare.errors import LedgerUnavailable

OWNER_ONLY = 0o600


def replace(path: Path, data: bytes) -> None:
    """Put new content in the place of the old: after a crash the file is the old one or the new one."""
    fresh, is_first = path.with_name(f"{path.name}.new"), not path.exists()
    _write(fresh, data, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.replace(fresh, path)
    if is_first:  # later on, an old file that comes back after a crash is as good as the new one
        sync_folder(path.parent)


def create(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet, readable by its owner only."""
    _write(path, data, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    sync_folder(path.parent)


def touch(path: Path) -> None:
    """Make an empty file, readable by its owner only, where there is none; one that is there is not opened."""
    if not path.exists():
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
        except FileExistsError:
            pass  # another process was faster


def destroy(path: Path) -> None:
    """Overwrite a file, then remove it; nothing happens where it is gone already."""
    try:
        handle = os.open(path, os.O_WRONLY)
    except FileNotFoundError:
        return
    try:
        os.write(handle, bytes(os.fstat(handle).st_size))
        os.fsync(handle)
    finally:
        os.close(handle)
    os.unlink(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write(path: Path, data: bytes, flags: int) -> None:
    handle = os.open(path, flags, OWNER_ONLY)
    try:
        if os.write(handle, data) != len(data):
            raise OSError("the disk took only a part of the file")
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Say what the operating system refused, and where."""
    try:
        yield
    except OSError as error:
        raise LedgerUnavailable(
            f"a file of the ledger cannot be read or written: {error.strerror or error}",
            where=str(path),
            remedy="make room on the disk, or give this user the right to read and write there; then open it again",
        ) from error


def refuse_readable_by_others(path: Path) -> None:
    """Refuse a secret file that others may read."""
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise LedgerUnavailable(
            f"others can read this secret (its mode is {mode:04o})",
            where=str(path),
            remedy=f"chmod 600 {path} where nobody has read it; else start a new ledger",
        )

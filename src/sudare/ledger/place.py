"""Where a ledger lies: its files, and the places where no ledger can be kept safely."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sudare.errors import InvalidParameter, LedgerDamaged, LedgerRolledBack, LedgerUnavailable

# Their locks or their memory maps cannot be trusted between machines, so two of them could both spend the last ε.
_NETWORK = {
    *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "coda", "ceph", "glusterfs", "lustre", "gpfs"),
    *("beegfs", "pvfs2", "orangefs", "ocfs2", "gfs2", "davfs", "vboxsf", "vmhgfs", "prl_fs", "drvfs"),
}
_NETWORK_FUSE = (
    "sshfs",
    "glusterfs",
    "s3fs",
    "rclone",
    "gcsfuse",
    "goofys",
    "ceph",
    "davfs2",
    "vmhgfs-fuse",
    "curlftpfs",
)


@dataclass(frozen=True)
class Place:
    """The files of one ledger: the database, the witness, the signing key, the run keys.

    Examples
    --------
    >>> Place.of("study.ledger").head.name
    'study.ledger.head'
    """

    path: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "Place":
        """Return the place behind all links, so that one ledger has one set of files."""
        try:
            if isinstance(os.fspath(path), str):
                return cls(Path(path).expanduser().resolve())
        except (TypeError, ValueError, RuntimeError, OSError):
            pass  # no path at all, a zero byte, an unknown user, links in a circle
        raise InvalidParameter(
            "this is no path of a file", where="path", remedy='write one, for example Ledger.open("study.ledger")'
        )

    @property
    def head(self) -> Path:
        """The witness: the last link that was durable."""
        return self._beside(".head")

    @property
    def key(self) -> Path:
        """The signing key."""
        return self._beside(".key")

    @property
    def keys(self) -> Path:
        """The folder of run keys that were kept for retry."""
        return self._beside(".keys")

    @property
    def wal(self) -> Path:
        """SQLite's log of what is not yet in the database."""
        return self._beside("-wal")

    @property
    def shm(self) -> Path:
        """The memory that processes share to find their way in the log."""
        return self._beside("-shm")

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)

    def check(self) -> None:
        """Refuse a folder that is missing, a share of several machines, or a file with two names."""
        if not self.path.parent.is_dir():
            raise self._unavailable("there is no such folder", "make the folder first, or write another path")
        if self.path.exists() and not self.path.is_file():
            raise self._unavailable("this is not a file", "write the path of a ledger file")
        if self._is_foreign():
            raise LedgerDamaged(
                "this file is not a ledger",
                where=str(self.path),
                remedy="write the path of a ledger, or of a file that does not exist yet",
            )
        kind = file_system(self.path.parent)
        if is_network(kind):
            raise self._unavailable(
                f"this folder is shared between machines ({kind}), where locks cannot be relied on",
                "keep the ledger on a disk of this machine",
            )
        if is_mount_point(self.path):
            raise self._unavailable(
                "this file is a mount of its own, so its log would not be the one beside the file it stands for",
                "mount the folder of the ledger instead of the file",
            )
        if self.path.exists() and self.path.stat().st_nlink > 1:
            raise self._unavailable("this file has a second name (a hard link)", "remove the other name")
        for folder in (self.path.parent, *([self.path] if self.path.exists() else [])):
            if not os.access(folder, os.R_OK | os.W_OK, effective_ids=os.access in os.supports_effective_ids):
                raise self._unavailable(
                    "this place is read-only for this user", "give this user the right to write, or choose another path"
                )

    def _is_foreign(self) -> bool:
        if not _has_content(self.path) or not os.access(self.path, os.R_OK):
            return False
        # Read by SQLite, because to close a file drops all locks that this process holds on it; SQLite knows of them.
        connection = sqlite3.connect(f"file:{quote(str(self.path))}?immutable=1", uri=True)
        try:
            connection.execute("PRAGMA schema_version").fetchall()
        except sqlite3.DatabaseError as error:
            return error.sqlite_errorcode == sqlite3.SQLITE_NOTADB
        finally:
            connection.close()
        return False

    def was_used(self) -> Path | None:
        """Return what lies beside a ledger that was used, and would not beside a new one."""
        if self.is_marked():
            return self.head
        return self.keys if self.keys.is_dir() and any(self.keys.iterdir()) else None

    def is_marked(self) -> bool:
        """Return whether a witness says that a ledger has been here."""
        return _has_content(self.head)

    def has_file(self) -> bool:
        """Return whether there is a database; refuse a log that has lost its database."""
        # The log is looked at first: another process that makes the ledger right now writes it after the file itself.
        log = _has_content(self.wal)
        if _has_content(self.path):
            return True
        if log:
            raise self.gone(self.wal)
        return False

    def gone(self, beside: Path) -> LedgerRolledBack:
        """Return the error that says that a ledger has been here and is no more."""
        return LedgerRolledBack(
            "the ledger is gone, but what lies beside it shows that it has been used",
            where=f"{self.path}, beside {beside.name}",
            remedy="put the ledger file back; a new ledger needs a new path, because what was spent stays spent",
        )

    def _unavailable(self, what: str, remedy: str) -> LedgerUnavailable:
        return LedgerUnavailable(what, where=str(self.path), remedy=remedy)


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def file_system(folder: Path, mounts: str | None = None) -> str:
    """Return the kind of file system of a folder as the kernel names it, or "" where it does not say.

    Examples
    --------
    >>> file_system(Path("/data/study"), "36 35 0:49 / /data rw - nfs4 server:/data rw")
    'nfs4'
    """
    kind, deepest = "", -1
    for point, its_kind in _mounts(mounts):
        # Later mounts cover earlier ones on the same point.
        if folder.is_relative_to(point) and len(point.parts) >= deepest:
            kind, deepest = its_kind, len(point.parts)
    return kind


def is_mount_point(path: Path, mounts: str | None = None) -> bool:
    """Return whether something is mounted at this very path: for a file, one that also has another name elsewhere.

    Examples
    --------
    >>> is_mount_point(Path("/data/study.ledger"), "36 35 8:1 /kept /data/study.ledger rw - ext4 /dev/sda rw")
    True
    """
    return any(point == path for point, _ in _mounts(mounts))


def _mounts(mounts: str | None) -> Iterator[tuple[Path, str]]:
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return
    for line in mounts.splitlines():
        fields, _, source = line.partition(" - ")
        escaped = fields.split(" ")[4].encode("latin-1", "replace")
        yield Path(escaped.decode("unicode_escape")), source.split(" ")[0]


def is_network(kind: str) -> bool:
    """Return whether a kind of file system is shared between machines.

    Examples
    --------
    >>> is_network("ext4"), is_network("nfs4"), is_network("fuse.sshfs")
    (False, True, True)
    """
    return kind in _NETWORK or (kind.startswith("fuse.") and kind[len("fuse.") :] in _NETWORK_FUSE)

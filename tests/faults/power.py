"""What a disk may hold after the power fails: only what was synced is certain, the rest is there, torn or absent.

The rules are those that POSIX leaves: a sync makes the content of its file durable, not its name; a name (made, moved,
removed) becomes durable, in order, with a sync of its folder; what was written since may have reached the disk in any
order, in pieces of a sector.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECTOR = 512


@dataclass
class File:
    durable: bytes = b""
    pending: list[tuple[str, int, bytes]] = field(default_factory=list)

    def after(self, changes: list[tuple[str, int, bytes]]) -> bytes:
        content = bytearray(self.durable)
        for kind, place, data in changes:
            if kind == "truncate":
                del content[place:]
                content.extend(bytes(place - len(content)))
            else:
                content.extend(bytes(max(0, place - len(content))))
                content[place : place + len(data)] = data
        return bytes(content)

    def sync(self) -> None:
        self.durable, self.pending = self.after(self.pending), []


class Disk:
    """The durable part of a folder, and what is under way to it."""

    def __init__(self) -> None:
        self.names: dict[str, File] = {}
        self.durable_names: dict[str, File] = {}
        self.pending_names: list[dict[str, File]] = []
        self.fresh: set[int] = set()

    def do(self, operation: tuple[Any, ...]) -> None:
        kind, path, *rest = operation
        if kind == "create":
            self.names[path] = File()
            self.fresh.add(id(self.names[path]))
            self._name_changed()
        elif kind == "write":
            offset, data = rest
            self.names[path].pending += [
                ("write", offset + start, data[start : start + SECTOR]) for start in range(0, len(data), SECTOR)
            ]
        elif kind == "truncate":
            self.names[path].pending.append(("truncate", rest[0], b""))
        elif kind == "sync":
            self._sync(path)
        elif kind == "rename":
            self.names[rest[0]] = self.names.pop(path)
            self._name_changed()
        elif kind == "unlink":
            del self.names[path]
            self._name_changed()
        elif kind == "sync folder":
            self._sync_names()
        elif kind != "mkdir":
            raise ValueError(kind)

    def _sync(self, path: str) -> None:
        file = self.names[path]
        file.sync()
        # SQLite syncs the folder of a log or journal together with its first sync.
        if path.endswith(("-wal", "-journal")) and id(file) in self.fresh:
            self.fresh.discard(id(file))
            self._sync_names()

    def _name_changed(self) -> None:
        self.pending_names.append(dict(self.names))

    def _sync_names(self) -> None:
        self.durable_names, self.pending_names = dict(self.names), []

    def least(self) -> dict[str, bytes]:
        """Return what is there if nothing reached the disk that did not have to."""
        return {path: file.durable for path, file in self.durable_names.items()}

    def most(self) -> dict[str, bytes]:
        """Return what is there if everything reached it."""
        return {path: file.after(file.pending) for path, file in self.names.items()}

    def some(self, chance: random.Random) -> dict[str, bytes]:
        """Return one of all that may be there."""
        names = chance.choice([self.durable_names, *self.pending_names])
        found = {}
        for path, file in names.items():
            changes = [change for change in file.pending if chance.random() < 0.5]
            found[path] = file.after(changes)
        return found


def laid_out(found: dict[str, bytes], original: Path, folder: Path) -> Path:
    """Write what a disk holds into a folder; return the path of the ledger there."""
    for path, content in found.items():
        target = folder / Path(path).relative_to(original.parent)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o600)
    folder.mkdir(exist_ok=True)
    return folder / original.name

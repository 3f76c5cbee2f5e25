"""No fork ever carries a connection or a held lock into a child.

SQLite keeps its file locks per process and remembers them per file: a child that opens a database which its parent had
open believes to hold the parent's locks and takes none of its own (measured), so another process could delete the log
under its hands. Hence every connection is closed just before a fork; parent and child each open their own when they
need one.
"""

import os
import threading
import weakref


class ForkSafe:
    """Something with a lock and a connection, known to this module for as long as it lives."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        with _REGISTRY:
            _KNOWN.add(self)

    def let_go(self) -> None:
        """Close what no child may inherit; called with the lock held, and may not raise."""
        raise NotImplementedError


_REGISTRY = threading.RLock()
_KNOWN: "weakref.WeakSet[ForkSafe]" = weakref.WeakSet()
_held: list[ForkSafe] = []


def _before_fork() -> None:
    _REGISTRY.acquire()
    _held[:] = list(_KNOWN)
    for known in _held:
        known.lock.acquire()
        known.let_go()


def _after_fork() -> None:
    for known in _held:
        known.lock.release()
    _held.clear()
    _REGISTRY.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)

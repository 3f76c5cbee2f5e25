"""Where the decoders of others read what a stranger wrote: each fault of theirs is the file's, and what it unfolds to
is counted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sudare.errors import ReleaseDamaged
from sudare.release.folder import damaged

LARGEST_DECODED_BYTES = 1 << 31
"""Arrays and table of one release together."""


@contextmanager
def foreign(name: str, what: str) -> Iterator[None]:
    """Blame the file for whatever a decoder of another library raises; only such a decoder may be called inside."""
    try:
        yield
    except (ReleaseDamaged, ImportError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException:  # noqa: BLE001  (a panic in a library written in Rust is no Exception)
        raise damaged(name, what) from None


@dataclass
class Room:
    """How many bytes the files of a value may still unfold to.

    Examples
    --------
    >>> Room(8).take(9, "value.npz")
    Traceback (most recent call last):
        ...
    sudare.errors.ReleaseDamaged: the file unfolds to more than a release may hold
      where:  value.npz
      remedy: ask whoever handed out the release for the whole folder again
    """

    left: int = LARGEST_DECODED_BYTES

    def take(self, size: int, name: str) -> None:
        """Count these bytes, or refuse the file."""
        if size > self.left:
            raise damaged(name, "the file unfolds to more than a release may hold")
        self.left -= size

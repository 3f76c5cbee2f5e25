"""Files that appear whole or not at all."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from sudare.errors import InvalidParameter, UnwritableFile


def checked_path(path: Any) -> Path:
    """Return the path, or refuse what names no file.

    Examples
    --------
    >>> checked_path("patients.toml").name
    'patients.toml'
    """
    if not isinstance(path, (str, os.PathLike)) or not str(path).strip() or "\0" in str(path):
        raise InvalidParameter("this names no file", where="path", remedy='write a path, such as "patients.toml"')
    return Path(path)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write beside the path, and put the file at its place once it is complete and on the disk.

    A process that is killed may leave a hidden `.partial` file beside; under its own name no part ever stands.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"42")
    ...     path.exists()
    False
    >>> path.read_text()
    '42'
    """
    where = f"file {str(path)!r}"
    if os.path.lexists(path):
        remedy = "choose another name, or remove the file first"
        raise UnwritableFile("a file is never written over another", where=where, remedy=remedy)
    partial = path.with_name(f".{path.name[:100]}.{os.getpid()}.{time.monotonic_ns()}.partial")
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
        _settle(path.parent)
    except OSError as error:
        remedy = "check the folder, its rights and the space that is left"
        raise UnwritableFile(f"the file cannot be written: {error.strerror}", where=where, remedy=remedy) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    # Without this the name of the file may be lost with the power, though its bytes are kept.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

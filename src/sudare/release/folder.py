"""A folder that appears whole or not at all, and is read without trusting a single byte of it.

Only plain files with known names are read, each no larger than allowed; a link, a device or a path is refused by name.
"""

import json
import math
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare.errors import FolderExists, InvalidParameter, ReleaseDamaged, ReleaseError
from sudare.texts.visible import visible

MANIFEST = "release.json"
LARGEST_JSON_BYTES = 1 << 26
LARGEST_FILE_BYTES = 1 << 32
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}\.[a-z0-9]{1,10}")
_MOST_FILES = 64
_MOST_DIGITS = 301


def place_of(folder: Any) -> Path:
    """Return the path of a folder; what can be no path is refused.

    Examples
    --------
    >>> place_of("release").name
    'release'
    """
    text = os.fspath(folder) if isinstance(folder, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise InvalidParameter(
            "this can be no path of a folder", where="folder", remedy='write a text or a Path, such as "release"'
        )
    return Path(text)


def write_whole(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files under the final name at once: a hidden folder beside it, made durable, then renamed."""
    if os.path.lexists(folder):
        raise _taken(folder)
    try:
        hidden = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    except OSError as error:
        raise ReleaseError(
            f"a folder cannot be made here ({error.strerror})",
            where=str(folder),
            remedy="name a folder whose parent exists and is writable",
        ) from error
    try:
        for name, content in files.items():
            _write(hidden / name, content)
        hidden.chmod(0o755)
        _sync(hidden)
        _rename(hidden, folder)
        _sync(folder.parent)
    except OSError as error:
        raise ReleaseError(
            f"the release could not be written ({error.strerror})",
            where=str(folder),
            remedy="make room or choose another disk; nothing stands under that name, so just save again",
        ) from error
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _write(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rename(hidden: Path, folder: Path) -> None:
    if os.path.lexists(folder):
        raise _taken(folder)
    try:
        hidden.rename(folder)
    except (FileExistsError, NotADirectoryError) as error:
        raise _taken(folder) from error
    except OSError as error:
        if folder.is_dir():  # somebody else's folder appeared in between; a full one cannot be replaced
            raise _taken(folder) from error
        raise


def _taken(folder: Path) -> FolderExists:
    return FolderExists("something stands here already", where=str(folder), remedy="choose a new name for the release")


def names_in(folder: Path) -> list[str]:
    """Return the names of what stands in the folder of a release, sorted."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ReleaseError(
            f"this is no folder that can be read ({error.strerror})",
            where=str(folder),
            remedy="name the folder of a release, the one that holds release.json",
        ) from error
    if MANIFEST not in names:
        raise ReleaseError(
            "this is no release", where=str(folder), remedy="name the folder of a release: it holds release.json"
        )
    if len(names) > _MOST_FILES:
        raise damaged(folder.name, f"the folder holds {len(names)} files, which no release does")
    return names


def is_plain_name(name: Any) -> bool:
    """Return whether this can be the name of a file of a release: no path, nothing hidden."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def read_file(folder: Path, name: str) -> bytes:
    """Return the bytes of one plain file, or refuse it by name."""
    if not is_plain_name(name):
        raise damaged(str(name)[:80], "this is no name for a file of a release")
    largest = LARGEST_JSON_BYTES if name.endswith(".json") else LARGEST_FILE_BYTES
    handle = _opened(folder / name, name)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise damaged(name, "this is no plain file")
        if about.st_size > largest:
            raise damaged(name, f"the file is larger than the {largest} bytes allowed")
        with open(handle, "rb", closefd=False) as file:
            return file.read(about.st_size)
    finally:
        os.close(handle)


def _opened(path: Path, name: str) -> int:
    try:
        # Not following links keeps the reading inside the folder; not blocking keeps a pipe from halting it.
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise damaged(name, "the file is missing") from None
    except OSError:
        raise damaged(name, "this is no plain file, or it cannot be read") from None


def read_json(content: bytes, name: str) -> dict[str, Any]:
    """Return the object that the bytes hold; anything else is refused by name."""
    try:
        facts = json.loads(
            content.decode("utf-8"),
            parse_constant=_refused,
            parse_float=_finite,
            parse_int=_whole,
            object_pairs_hook=_unique,
        )
        if b"\\u" in content:
            json.dumps(facts, ensure_ascii=False).encode()  # refuses half a letter, which no file can hold
    except (ValueError, RecursionError):
        raise damaged(name, "the file is no JSON that a release would hold") from None
    if not isinstance(facts, dict):
        raise damaged(name, "the file holds no JSON object")
    return facts


def json_bytes(facts: Any) -> bytes:
    """Return the one readable form of these facts, in their order; read back, they give the same bytes again."""
    return (json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def damaged(name: str, what: str) -> ReleaseDamaged:
    """Return the error that names a file of a release."""
    return ReleaseDamaged(
        visible(what), where=visible(name), remedy="ask whoever handed out the release for the whole folder again"
    )


def _refused(constant: str) -> Any:
    raise ValueError(constant)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("too large")
    return number


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError("too large")
    return int(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    facts = dict(pairs)
    if len(facts) < len(pairs):
        raise ValueError("a name twice")
    return facts

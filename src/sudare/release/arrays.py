"""`value.npz`: plain arrays, written without dates and read without trusting the sizes that they declare."""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.release.decoding import Room, foreign
from sudare.release.folder import damaged

ARRAYS = "value.npz"
KINDS = "biufU"
_CHUNK = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unfold a chunk without any bound


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the file that holds these arrays.

    Examples
    --------
    >>> array_of(npz({"a0": np.arange(3)}), "a0", Room())
    array([0, 1, 2])
    """
    # Written by hand, and not by NumPy, for one reason: every entry has the same date, so the bytes never differ.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asarray(array, order="C"), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def array_of(content: bytes, name: str, room: Room) -> NDArray[Any]:
    """Return one array of the file, counted as it unfolds."""
    with foreign(ARRAYS, "the file holds no such array that can be read"):
        archive = zipfile.ZipFile(io.BytesIO(content))
        about = archive.getinfo(f"{name}.npy")
        if about.compress_type not in _METHODS:
            raise damaged(ARRAYS, "an array in the file is packed as no release packs it")
        with archive.open(about) as file:
            shape, dtype = _header(file)
            return np.frombuffer(_body(file, math.prod(shape) * dtype.itemsize, room), dtype).reshape(shape)


def _header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if np.lib.format.read_magic(file) != (1, 0):
        raise damaged(ARRAYS, "an array in the file is of no version that a release has")
    shape, columns_first, dtype = np.lib.format.read_array_header_1_0(file)
    whole = all(type(length) is int and length >= 0 for length in shape)
    if not whole or columns_first or dtype.kind not in KINDS or dtype.itemsize == 0:
        raise damaged(ARRAYS, "an array in the file is of no kind that a release holds")
    return shape, dtype


def _body(file: Any, size: int, room: Room) -> bytearray:
    room.take(size, ARRAYS)
    body = bytearray()
    # Never more than the header declares: the packed bytes may unfold to any length.
    while chunk := file.read(min(_CHUNK, size + 1 - len(body))):
        body += chunk
    if len(body) != size:
        raise damaged(ARRAYS, "an array in the file is not as long as it says")
    return body

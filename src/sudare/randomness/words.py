"""A secure stream with an address: the words of any row, in any order, on any machine that holds the key.

AES-128 in counter mode. Row `r` owns the bytes `r·size … (r+1)·size − 1` of the stream of its key, so that any batch of
any partition is given the same words, and two keys never share one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import DTypeLike, NDArray

from sudare.errors import InvalidParameter
from sudare.randomness.marking import NotPrivate

KEY_BYTES = 16
BLOCK_BYTES = 1 << 19  # the words of a block stay in the second-level cache: 2¹⁷ was measured 1.1 to 1.3 times slower
_ZEROS = bytes(BLOCK_BYTES)


@dataclass(frozen=True)
class Words:
    """The stream of one key from one global row on; what comes out is marked where it is not private.

    Examples
    --------
    >>> import numpy as np
    >>> whole = Words(key=bytes(16)).take(10, np.uint64)
    >>> part = Words(key=bytes(16), first_row=4).take(3, np.uint64)
    >>> bool((whole[4:7] == part).all())
    True
    """

    key: bytes = field(repr=False)
    first_row: int = 0
    private: bool = True

    def blocks(self, rows: int, dtype: DTypeLike, per_row: int = 1) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield cache-sized slices of `range(rows)`, each with its words; the buffer is used again for the next."""
        row_bytes = np.dtype(dtype).itemsize * per_row
        block_rows = max(1, BLOCK_BYTES // row_bytes)
        stream = self._stream(self.first_row * row_bytes)
        buffer = np.empty(row_bytes * min(rows, block_rows), np.uint8)
        for start in range(0, rows, block_rows):
            stop = min(rows, start + block_rows)
            words = buffer[: (stop - start) * row_bytes]
            stream.fill(words)
            yield slice(start, stop), words.view(dtype)

    def take(self, rows: int, dtype: DTypeLike, per_row: int = 1) -> NDArray[Any]:
        """Return the words of the next `rows` rows at once.

        Examples
        --------
        >>> Words(key=bytes(16)).take(3, np.uint32, per_row=2).shape
        (6,)
        """
        parts = [words.copy() for _, words in self.blocks(rows, dtype, per_row)]
        return np.concatenate(parts) if parts else np.empty(0, dtype)

    def mark(self, reports: NDArray[Any]) -> NDArray[Any]:
        """Return the reports, marked where this stream can be repeated by somebody else."""
        return reports if self.private else reports.view(NotPrivate)

    def _stream(self, first_byte: int) -> "Stream":
        if len(self.key) != KEY_BYTES:
            raise InvalidParameter(
                f"a key has {KEY_BYTES} bytes, and this one {len(self.key)}",
                where="Words.key",
                remedy=f"draw one with secret_bytes({KEY_BYTES})",
            )
        return _stream_type()(self.key, first_byte)


class Stream(Protocol):
    """Bytes in order."""

    def fill(self, buffer: NDArray[np.uint8]) -> None:
        """Write the next bytes over the whole buffer."""


class CounterStream:
    """AES-128-CTR from any byte on. It lives inside one loop: never shared by threads, never forked, never pickled."""

    def __init__(self, key: bytes, first_byte: int) -> None:
        block, skip = divmod(first_byte, AES.block_size // 8)
        self._encryptor = Cipher(AES(key), CTR(block.to_bytes(16, "big"))).encryptor()
        self._encryptor.update(bytes(skip))

    def fill(self, buffer: NDArray[np.uint8]) -> None:
        """Write the next bytes over the whole buffer."""
        zeros = memoryview(_ZEROS)[: len(buffer)] if len(buffer) <= BLOCK_BYTES else bytes(len(buffer))
        self._encryptor.update_into(zeros, buffer.data)


@cache
def _stream_type() -> Callable[[bytes, int], Stream]:
    """Return what gives these bytes fastest on this processor."""
    # Here and not above: who draws waits for Numba, who asks the command line for help does not.
    from sudare.randomness.aes_instructions import WIDTH, InstructionStream

    return InstructionStream if WIDTH and _same_bytes(InstructionStream, CounterStream) else CounterStream


def _same_bytes(fast: Callable[[bytes, int], Stream], sound: Callable[[bytes, int], Stream]) -> bool:
    """Return whether both give the same bytes here and now: noise from a miscompiled cipher would protect nobody."""
    key, first_byte = bytes(range(KEY_BYTES)), (1 << 36) - 1000  # from before to behind the 2³²nd block
    answers = np.zeros((2, 4000), np.uint8)
    for make, answer in zip((fast, sound), answers, strict=True):
        make(key, first_byte).fill(answer)
    return bool((answers[0] == answers[1]).all())

"""Run keys: the secret behind the noise of one charge. Each charge has its own; destroying it ends its retries."""

import hashlib
import hmac
import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from cryptography.hazmat.primitives.poly1305 import Poly1305
from numpy.typing import NDArray

from sudare.errors import KeyForgotten, NotCovered
from sudare.ledger import files
from sudare.randomness import secret_bytes

_KEY_BYTES = 32


class RunKey:
    """The key of one receipt, in memory that is overwritten when it is forgotten.

    Examples
    --------
    >>> key = RunKey("receipt", bytes(32))
    >>> key.word_key("age") == key.word_key("height")
    False
    """

    def __init__(self, receipt: str, secret: bytes | None = None) -> None:
        self.receipt = receipt
        self._secret = bytearray(secret_bytes(_KEY_BYTES) if secret is None else secret)

    def secret(self) -> bytes:
        """Return the key itself, for the one place that keeps it."""
        if not self._secret:
            raise forgotten(self.receipt)
        return bytes(self._secret)

    def word_key(self, column: str) -> bytes:
        """Return the AES key of a column: no two charges and no two columns share a word."""
        return self._derived("noise", column)[:16]

    def fingerprint(self, column: str, first_row: int, values: NDArray[Any]) -> str:
        """Return a tag that tells other values apart, and tells nobody anything without the key.

        Poly1305 under a key that this range alone has: one tag of it is ever stored, so the tag is as good as random
        to whoever lacks the run key, and 12 GB/s fast (SHA-256: 2 GB/s, both measured on one core).
        """
        described = f"{values.dtype.str} {values.shape}"
        one_time_key = self._derived("fingerprint", column, str(first_row), str(len(values)), described)
        plain_bytes = np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
        return Poly1305.generate_tag(one_time_key, plain_bytes).hex()

    def forget(self) -> None:
        """Overwrite the key; every later use is refused."""
        self._secret[:] = bytes(len(self._secret))
        self._secret.clear()

    def __reduce__(self) -> Any:
        raise NotCovered(
            "a run key is never copied: it would outlive its block",
            where=f"receipt {self.receipt}",
            remedy="hand the receipt on instead, from a charge with a request",
        )

    def _derived(self, *address: str) -> bytes:
        parts = [part.encode() for part in (address[0], self.receipt, *address[1:])]
        message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.digest(self.secret(), message, hashlib.sha256)


def forgotten(receipt: str) -> KeyForgotten:
    """Return the error that says that a run key is gone."""
    return KeyForgotten(
        "the run key of this receipt is gone, so its noise cannot be drawn again",
        where=f"receipt {receipt}",
        remedy="use the release that was made under it, or charge a new request",
    )


def _check(secret: bytes) -> bytes:
    return hashlib.sha256(b"sudare run key" + secret).digest()


class KeyStore(Protocol):
    """Where the keys of requests are kept until they are forgotten."""

    def keep(self, key: RunKey) -> None:
        """Keep a key durably, before its charge is."""

    def read(self, receipt: str) -> RunKey:
        """Return a kept key, or refuse with KeyForgotten."""

    def destroy(self, receipt: str) -> None:
        """Destroy a key where it was kept."""


class KeyFolder:
    """One file a key, mode 0600, in `PATH.keys`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, key: RunKey) -> None:
        """Keep a key durably, before its charge is."""
        with files.refusing(self.folder):
            if not self.folder.is_dir():
                os.mkdir(self.folder, 0o700)
                files.sync_folder(self.folder.parent)
            files.create(self.folder / key.receipt, key.secret() + _check(key.secret()))

    def read(self, receipt: str) -> RunKey:
        """Return a kept key, or refuse with KeyForgotten."""
        path = self.folder / receipt
        with files.refusing(path):
            try:
                kept = path.read_bytes()
            except FileNotFoundError:
                raise forgotten(receipt) from None
            files.refuse_readable_by_others(path)
        secret = kept[:_KEY_BYTES]
        if kept != secret + _check(secret):
            raise forgotten(receipt)  # a crash fell into its overwriting, perhaps half-way
        return RunKey(receipt, secret)

    def destroy(self, receipt: str) -> None:
        """Destroy a key where it was kept."""
        with files.refusing(self.folder):
            files.destroy(self.folder / receipt)


class KeysInMemory:
    """The keys of a simulation."""

    def __init__(self) -> None:
        self._secrets: dict[str, bytes] = {}

    def keep(self, key: RunKey) -> None:
        """Keep a key for as long as the simulation lives."""
        self._secrets[key.receipt] = key.secret()

    def read(self, receipt: str) -> RunKey:
        """Return a kept key, or refuse with KeyForgotten."""
        if receipt not in self._secrets:
            raise forgotten(receipt)
        return RunKey(receipt, self._secrets[receipt])

    def destroy(self, receipt: str) -> None:
        """Destroy a key where it was kept."""
        self._secrets.pop(receipt, None)

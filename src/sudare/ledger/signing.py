"""The ledger's Ed25519 key: what it signs can be checked by anybody who knows the fingerprint of its public half."""

import fcntl
import hashlib
import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from sudare.errors import LedgerDamaged, LedgerUnavailable
from sudare.ledger import files


class Signer:
    """Signs under one key.

    Examples
    --------
    >>> signer = Signer.fresh()
    >>> signature_holds(signer.public_key, b"a receipt", signer.sign(b"a receipt"))
    True
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    @classmethod
    def fresh(cls) -> "Signer":
        """Return a signer under a new key that is nowhere else."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def kept(cls, path: Path, *, new: bool) -> "Signer":
        """Return the signer of a ledger; its key is made with a new ledger, and never again."""
        with files.refusing(path):
            if not new and not path.exists():
                raise LedgerUnavailable(
                    "the signing key of the ledger is missing",
                    where=str(path),
                    remedy="put the key file back beside the ledger: nobody can sign its receipts without it",
                )
            handle = os.open(path, os.O_RDWR | os.O_CREAT if new else os.O_RDONLY, files.OWNER_ONLY)
            try:
                return cls(_locked(handle, path, new=new))
            finally:
                os.close(handle)

    def sign(self, message: bytes) -> str:
        """Return the signature in hexadecimal; the same message always has the same one."""
        return self._key.sign(message).hex()


def _locked(handle: int, path: Path, *, new: bool) -> Ed25519PrivateKey:
    if new:
        fcntl.flock(handle, fcntl.LOCK_EX)  # two processes that open a new ledger agree on one key
    files.refuse_readable_by_others(path)
    key = _parsed(os.pread(handle, 4096, 0))
    if key is not None:
        return key
    if not new:
        raise LedgerDamaged(
            "the signing key of the ledger cannot be read",
            where=str(path),
            remedy="put back the key file that was made with the ledger",
        )
    # Where no ledger exists yet, a half-written key is what a crash left: nothing was ever signed with it.
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    os.ftruncate(handle, 0)
    if os.pwrite(handle, pem, 0) != len(pem):
        raise OSError("the disk took only a part of the key")
    os.fsync(handle)
    files.sync_folder(path.parent)
    return key


def _parsed(pem: bytes) -> Ed25519PrivateKey | None:
    try:
        key = load_pem_private_key(pem, password=None)
    except ValueError:
        return None
    return key if isinstance(key, Ed25519PrivateKey) else None


def signature_holds(public_key: str, message: bytes, signature: str) -> bool:
    """Return whether this signature was made over this message by the owner of this public key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def entry_bytes(link: str) -> bytes:
    """Return what the signature of an entry is made over."""
    return b"sudare ledger entry " + link.encode()


def mark_bytes(mark: str) -> bytes:
    """Return what the signature of the witness is made over."""
    return b"sudare ledger head " + mark.encode()


def fingerprint(public_key: str) -> str:
    """Return a short name of a public key, to be compared by eye or over the telephone: 128 bits in groups of four.

    Examples
    --------
    >>> fingerprint("00" * 32)
    '6668-7aad-f862-bd77-6c8f-c18b-8e9f-8e20'
    """
    text = hashlib.sha256(bytes.fromhex(public_key)).hexdigest()[:32]
    return "-".join(text[start : start + 4] for start in range(0, 32, 4))


def manifest_bytes(manifest: bytes) -> bytes:
    """Return what the signature of a release's manifest is made over; it is never mistaken for another signature."""
    return b"sudare manifest " + manifest


def manifest_signature_holds(public_key: str, manifest: bytes, signature: str) -> bool:
    """Return whether `Ledger.sign` made this signature over this manifest.

    Examples
    --------
    >>> from sudare.ledger import Ledger
    >>> ledger = Ledger.simulation()
    >>> manifest_signature_holds(ledger.public_key, b"files", ledger.sign(b"files"))
    True
    """
    return signature_holds(public_key, manifest_bytes(manifest), signature)

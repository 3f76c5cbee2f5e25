"""`release.json`: which files there are, byte for byte, and which ledger they come from, signed by the ledger's key."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sudare.ledger import Receipt, fingerprint, manifest_signature_holds
from sudare.release.folder import MANIFEST, damaged, is_plain_name, json_bytes, read_json
from sudare.release.record import AMOUNTS, Record, budget_of, plain_budget
from sudare.release.shapes import refuse_other_shape

FORMAT = 1
_SIGNATURE = re.compile("[0-9a-f]{128}")  # one way of writing it, so that no altered byte holds


@dataclass(frozen=True)
class Manifest:
    """The facts of `release.json`; its ledger's id, sequence and head also tell an older ledger from a newer one."""

    facts: Mapping[str, Any]

    @classmethod
    def of(
        cls,
        kind: str,
        receipt: Receipt,
        record: Record,
        files: Mapping[str, bytes],
        notices: Sequence[str],
        *,
        private: bool,
    ) -> "Manifest":
        """Describe these files."""
        facts = {
            "format": FORMAT,
            "kind": kind,
            "private": private,
            "notices": list(notices),
            "receipt": receipt.id,
            "ledger": record.evidence.place,
            "budget": plain_budget(record.budget),
            "files": {name: _described(content) for name, content in files.items()},
        }
        return cls(facts)

    @classmethod
    def read(cls, content: bytes) -> "Manifest":
        """Read a manifest, or refuse what cannot be one."""
        facts = read_json(content, MANIFEST)
        if type(facts.get("format")) is not int or facts["format"] != FORMAT:
            raise damaged(MANIFEST, f"the format of the manifest is not {FORMAT}, the one known here")
        ledger, files = facts.get("ledger"), facts.get("files")
        texts = [facts.get("kind"), facts.get("receipt"), facts.get("signature")]
        if not isinstance(ledger, dict) or not isinstance(files, dict):
            raise damaged(MANIFEST, "the manifest names no ledger or no files")
        texts += [ledger.get(name) for name in ("id", "public_key", "head")]
        if not all(isinstance(text, str) for text in texts) or not is_plain_name(f"{facts['kind']}.kind"):
            raise damaged(MANIFEST, "the manifest does not say what a manifest says")
        for name in files:
            if not is_plain_name(name) or name == MANIFEST:
                raise damaged(MANIFEST, f"the manifest names a file that no release has: {name[:80]!r}")
        refuse_other_shape(facts.get("budget"), MANIFEST, dict.fromkeys(AMOUNTS, object))
        if not _is_canonical(content, facts):
            raise damaged(MANIFEST, "the manifest is not written as a manifest is")
        return cls(facts)

    @property
    def kind(self) -> str:
        """The kind of the release."""
        return str(self.facts["kind"])

    @property
    def files(self) -> Mapping[str, Any]:
        """The files by name."""
        files: Mapping[str, Any] = self.facts["files"]
        return files

    @property
    def public_key(self) -> str:
        """The key that is said to have signed."""
        return str(self.facts["ledger"]["public_key"])

    @property
    def fingerprint(self) -> str:
        """The key, short enough to compare by eye."""
        try:
            return fingerprint(self.public_key)
        except ValueError:
            raise damaged(MANIFEST, "the key in the manifest is none") from None

    @property
    def budget(self) -> dict[str, Any]:
        """The amounts that the ledger showed."""
        return {name: budget_of(self.facts["budget"][name]) for name in AMOUNTS}

    def signed(self, sign: Callable[[bytes], str]) -> bytes:
        """Return the bytes of `release.json`, with the signature over all the rest."""
        return json_bytes({**self.facts, "signature": sign(json_bytes(self.facts))})

    @property
    def signature_holds(self) -> bool:
        """Whether the key that the manifest names has signed it."""
        unsigned = {name: value for name, value in self.facts.items() if name != "signature"}
        return manifest_signature_holds(self.public_key, json_bytes(unsigned), str(self.facts["signature"]))

    def checked(self, name: str, content: bytes) -> bytes:
        """Return the content of a file where it is the one that was signed."""
        if self.files[name] != _described(content):
            raise damaged(name, "the file is not the one that was signed: its bytes were changed")
        return content


def _is_canonical(content: bytes, facts: Mapping[str, Any]) -> bool:
    try:
        return content == json_bytes(facts) and _SIGNATURE.fullmatch(facts["signature"]) is not None
    except RecursionError:
        return False


def _described(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}

"""A folder that was opened to be verified: first the signature over the manifest, then each file against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sudare.errors import ReleaseDamaged, SudareError
from sudare.ledger import Evidence, Receipt
from sudare.release.arrays import ARRAYS
from sudare.release.findings import Finding
from sudare.release.folder import MANIFEST, damaged, names_in, read_file, read_json
from sudare.release.manifest import Manifest
from sudare.release.record import Draw
from sudare.release.release import (
    CARD_FACTS,
    CHAIN,
    MECHANISMS,
    PROVENANCE,
    RECEIPT,
    Release,
    read_receipt,
    read_release,
)
from sudare.release.shapes import refuse_other_shape
from sudare.release.tables import TABLE
from sudare.release.values import TREE

# The files that a release is read from.
WHOLE = (RECEIPT, PROVENANCE, CARD_FACTS, TREE, ARRAYS, TABLE)


@dataclass(frozen=True)
class Opened:
    """The manifest, whose signature holds, the files that are as it says, and the names of those that are not."""

    manifest: Manifest
    files: Mapping[str, bytes]
    broken: frozenset[str]

    def holds(self, names: Sequence[str]) -> bool:
        """Return whether none of these was changed."""
        return not self.broken.intersection(names)

    def facts(self, name: str) -> dict[str, Any]:
        """Return what a file holds."""
        if name not in self.files:
            raise damaged(name, "the manifest does not name this file")
        facts = read_json(self.files[name], name)
        refuse_other_shape(facts, name)
        return facts

    @cached_property
    def receipt(self) -> Receipt:
        """The receipt alone: it can be checked where the value cannot."""
        return read_receipt(self.facts(RECEIPT))

    @cached_property
    def release(self) -> Release:
        """The release that the files hold."""
        return read_release(self.manifest, self.files)

    @cached_property
    def evidence(self) -> Evidence:
        """The chain."""
        return Evidence.from_dict(self.facts(CHAIN))

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        """The columns that are said to have been drawn."""
        try:
            return tuple(Draw.from_dict(one) for one in self.facts(MECHANISMS)["columns"])
        except TypeError:
            raise damaged(MECHANISMS, "a column is not written as a column is") from None


def open_folder(path: Path) -> tuple[list[Finding], Opened | None]:
    """Return what is to be said of the files as such, and the folder; None where its manifest cannot be trusted."""
    names = names_in(path)
    try:
        manifest = Manifest.read(read_file(path, MANIFEST))
        if not manifest.signature_holds:
            raise damaged(MANIFEST, "the signature does not hold: this file was changed after it was signed")
        signed = Finding("checked", MANIFEST, f"signed by the key {manifest.fingerprint}")
    except SudareError as error:
        rest = Finding("unchecked", "the other files", f"not looked at: only {MANIFEST} says what they must be")
        return [failed(error, MANIFEST), rest], None
    findings, files = [], {}
    for name in manifest.files:
        try:
            files[name] = manifest.checked(name, read_file(path, name))
        except SudareError as error:
            findings.append(failed(error, name))
    extra = [name for name in names if name not in manifest.files and name != MANIFEST]
    findings += [Finding("failed", name, "no file of this release: the manifest does not name it") for name in extra]
    if not findings:
        findings.append(Finding("checked", "files", f"all {len(files)} are the ones that were signed, and no others"))
    return [signed, *findings], Opened(manifest, files, frozenset(manifest.files) - frozenset(files))


def failed(error: SudareError, name: str) -> Finding:
    """Return the finding that an error stands for."""
    if isinstance(error, ReleaseDamaged):
        return Finding("failed", error.where, error.what)
    return Finding("failed", name, f"{error.what} ({error.where})")

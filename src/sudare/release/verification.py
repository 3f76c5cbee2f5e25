"""A release checked by a stranger: from the folder and public knowledge alone, each thing named that does not hold.

What cannot be checked is said as well. A folder is never trusted: whatever is in it, the answer is a finding.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from sudare import __version__
from sudare.errors import InvalidParameter, ReleaseDamaged, SudareError
from sudare.ledger import Evidence
from sudare.mechanisms import rebuilt
from sudare.release.certificates import certificate
from sudare.release.facts import card_facts, ledger_facts
from sudare.release.findings import Finding, Verification, outside
from sudare.release.folder import MANIFEST, damaged, names_in, read_file, read_json
from sudare.release.kinds import CHECKS, check_of
from sudare.release.manifest import Manifest
from sudare.release.record import Draw, drawn
from sudare.release.release import (
    CARD,
    CARD_FACTS,
    CHAIN,
    MECHANISMS,
    RECEIPT,
    Release,
    notices,
    read_release,
)
from sudare.report import Card
from sudare.texts import say

# What a file that says something senseless makes our own code raise; anything else would be a fault of ours.
_SENSELESS = (SudareError, KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError)


def verify(folder: Any, key: str | None = None) -> Verification:
    """Check everything in the folder of a release; `key` is the fingerprint that its signer is known by.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import RandomizedResponse
    >>> from sudare.release import Release
    >>> smoker, ledger = RandomizedResponse(2, "1"), Ledger.simulation()
    >>> with ledger.charge(smoker.guarantee, subjects="patients", purpose="smokers") as receipt:
    ...     reports = smoker.randomize(np.zeros(100, int), receipt.source("smoker"))
    >>> with tempfile.TemporaryDirectory() as place:
    ...     saved = Release({"smoker": smoker.frequencies(reports)}, receipt).save(f"{place}/smokers")
    ...     verify(saved, key=ledger.fingerprint).ok
    True
    """
    if key is not None:
        key = _fingerprint(key)
    path = Path(folder)
    names = names_in(path)
    findings: list[Finding] = []
    opened = _opened(path, names, findings)
    if opened is not None:
        for name, step in _STEPS:
            findings += _guarded(name, step, opened)
        findings += _guarded(MANIFEST, lambda one: _signer(one, key), opened)
    return Verification((*findings, *outside()))


def _fingerprint(text: str) -> str:
    digits = "".join(str(text).lower().replace("-", "").split())
    if len(digits) != 32 or set(digits) - set("0123456789abcdef"):
        raise InvalidParameter(
            "this is no fingerprint of a key",
            where="key",
            remedy="write the eight groups of four digits that `sudare ledger show` prints",
        )
    return "-".join(digits[start : start + 4] for start in range(0, 32, 4))


@dataclass(frozen=True)
class _Opened:
    manifest: Manifest
    files: Mapping[str, bytes]

    def facts(self, name: str) -> dict[str, Any]:
        if name not in self.files:
            raise damaged(name, "the file is missing")
        return read_json(self.files[name], name)

    @cached_property
    def release(self) -> Release:
        return read_release(self.manifest, self.files)

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence.from_dict(self.facts(CHAIN))

    @cached_property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(Draw.from_dict(one) for one in self.facts(MECHANISMS)["columns"])


def _opened(path: Path, names: Sequence[str], findings: list[Finding]) -> _Opened | None:
    try:
        manifest = Manifest.read(read_file(path, MANIFEST))
    except SudareError as error:
        findings.append(_failed(error, MANIFEST))
        return None
    files = {}
    for name in manifest.files:
        try:
            files[name] = manifest.checked(name, read_file(path, name))
        except SudareError as error:
            findings.append(_failed(error, name))
    extra = [name for name in names if name not in manifest.files and name != MANIFEST]
    findings += [Finding("failed", name, "no file of this release: the manifest does not name it") for name in extra]
    if not findings:
        findings.append(Finding("checked", "files", f"all {len(files)} are the ones that were signed, and no others"))
    return _Opened(manifest, files)


def _guarded(name: str, step: "_Step", opened: _Opened) -> list[Finding]:
    try:
        return list(step(opened))
    except _SENSELESS as error:
        return [_failed(error, name)]


def _failed(error: BaseException, name: str) -> Finding:
    if isinstance(error, ReleaseDamaged):
        return Finding("failed", error.where, error.what)
    if isinstance(error, SudareError):
        return Finding("failed", name, f"{error.what} ({error.where})")
    return Finding("failed", name, "the file does not say what such a file says")


def _signature(opened: _Opened) -> Iterator[Finding]:
    if opened.manifest.signature_holds:
        yield Finding("checked", MANIFEST, f"signed by the key {opened.manifest.fingerprint}")
    else:
        yield Finding("failed", MANIFEST, "the signature does not hold: the manifest was changed after it was signed")


def _signer(opened: _Opened, key: str | None) -> Iterator[Finding]:
    if key is None:
        yield Finding("unchecked", "signer", say("check.outside.signer"))
    elif key == opened.manifest.fingerprint:
        yield Finding("checked", "signer", "the key is the one that you named")
    else:
        what = f"signed by another key than the one that you named: {opened.manifest.fingerprint}"
        yield Finding("failed", "signer", what)


def _receipt(opened: _Opened) -> Iterator[Finding]:
    receipt, manifest = opened.release.receipt, opened.manifest
    receipt.verify()
    same = (receipt.id, receipt.public_key, receipt.ledger) == (
        manifest.facts["receipt"],
        manifest.public_key,
        manifest.facts["ledger"]["id"],
    )
    if not same:
        raise damaged(RECEIPT, "the receipt is not the one that the manifest names")
    if opened.facts(RECEIPT) != receipt.to_dict():
        raise damaged(RECEIPT, "the file says more than a receipt says")
    charged = manifest.budget["charged"]
    if charged != receipt.guarantee.budget:
        raise damaged(MANIFEST, "the amount charged is not that of the promise")
    cost = receipt.guarantee.budget or "no ε"
    yield Finding("checked", RECEIPT, f"signed by the same key: {cost}, about {receipt.subjects}")


def _chain(opened: _Opened) -> Iterator[Finding]:
    evidence, receipt = opened.evidence, opened.release.receipt
    evidence.verify(receipt)
    ledger = opened.manifest.facts["ledger"]
    if (evidence.sequence, evidence.head) != (ledger["sequence"], ledger["head"]):
        raise damaged(CHAIN, "the chain does not end at the head that the manifest names")
    what = f"recomputed over {len(evidence.bodies)} entries up to the head; the receipt is entry {receipt.sequence}"
    yield Finding("checked", CHAIN, what)


def _uses(opened: _Opened) -> Iterator[Finding]:
    from hashlib import sha256

    bodies, found = opened.evidence.bodies, []
    rows = {draw.column: draw.rows for draw in opened.draws}
    for use in opened.facts(CHAIN)["uses"]:
        facts = json.loads(use["body"])
        if sha256(use["body"].encode()).hexdigest() != bodies[int(use["sequence"])]:
            raise damaged(CHAIN, "an entry that binds a column is no link of the chain")
        if facts["kind"] != "use" or facts["receipt"] != opened.release.receipt.id:
            raise damaged(CHAIN, "an entry that binds a column belongs to another receipt")
        found.append(drawn(facts, rows))
    if sorted(found, key=lambda draw: draw.column) != sorted(opened.draws, key=lambda draw: draw.column):
        raise damaged(MECHANISMS, "the columns are not those that the ledger bound to this receipt")
    if not found:
        yield Finding("unchecked", MECHANISMS, say("card.notice.undrawn"))
    for draw in opened.draws:
        _refuse_foreign_parts(draw, opened)
        yield Finding("checked", f"column {draw.column!r}", f"{draw.mechanism['mechanism']}, covered by the promise")


def _refuse_foreign_parts(draw: Draw, opened: _Opened) -> None:
    parts = opened.release.guarantee.parts
    covered = [parts[place].to_dict() for place in draw.parts]
    used = [place for one in opened.draws for place in one.parts]
    wanted = [part.to_dict() for part in rebuilt(dict(draw.mechanism)).guarantee.parts]
    if covered != wanted or len(set(used)) != len(used):
        raise damaged(MECHANISMS, f"the promise does not cover the mechanism of column {draw.column!r}")


def _certificates(opened: _Opened) -> Iterator[Finding]:
    written = opened.facts(MECHANISMS)["certificates"]
    different = {tuple(sorted(draw.mechanism.items())) for draw in opened.draws}
    if {tuple(sorted(one["mechanism"].items())) for one in written} != different or len(written) != len(different):
        raise damaged(MECHANISMS, "the certificates are not those of the columns")
    for one in written:
        proved = certificate(one["mechanism"])
        name = one["mechanism"]["mechanism"]
        if proved != one or Fraction(proved["proved_epsilon"]) > Fraction(proved["epsilon"]):
            raise damaged(MECHANISMS, f"the proof of {name} comes out differently here")
        about = float(Fraction(proved["proved_epsilon"]))
        yield Finding("checked", f"ε of {name}", f"proved anew: at most {about:.10g}, charged {proved['epsilon']}")


def _marks(opened: _Opened) -> Iterator[Finding]:
    release, facts = opened.release, opened.manifest.facts
    said = notices(release.value, release.receipt, drawn=bool(opened.draws))
    if facts["private"] is not release.private or facts["notices"] != said:
        raise damaged(MANIFEST, "the manifest does not say how private the release is")
    if release.private:
        yield Finding("checked", "value", "nothing in it is marked as not private")
    else:
        yield Finding("checked", "value", f"{say('card.not_private')}, and the release says so")


def _card_facts(opened: _Opened) -> Iterator[Finding]:
    release, manifest = opened.release, opened.manifest
    said = notices(release.value, release.receipt, drawn=bool(opened.draws))
    wanted = card_facts(
        release.value, release.receipt, release.provenance, opened.draws, notices=said, private=release.private
    )
    wanted |= ledger_facts(release.receipt, {"head": manifest.facts["ledger"]["head"]}, manifest.budget)
    written = opened.facts(CARD_FACTS)
    if not _alike(wanted, {name: value for name, value in written.items() if name != "language"}):
        raise damaged(CARD_FACTS, "the card does not say what the other files say")
    yield Finding("checked", CARD_FACTS, "says what the other files say")


def _card(opened: _Opened) -> Iterator[Finding]:
    version = opened.release.provenance["versions"]["sudare"]
    if version != __version__:
        yield Finding("unchecked", CARD, f"drawn by Sudare {version}, and this is {__version__}")
        return
    if opened.files[CARD] != Card(opened.facts(CARD_FACTS)).html.encode():
        raise damaged(CARD, "the page is not the one that its facts draw")
    yield Finding("checked", CARD, f"drawn again from {CARD_FACTS}, byte for byte")


def _kind(opened: _Opened) -> Iterator[Finding]:
    kind = opened.manifest.kind
    check = check_of(kind)
    if check is not None:
        yield from check(opened.release, opened.draws)
    elif kind != "value":
        known = ", ".join(sorted(CHECKS))
        yield Finding("unchecked", "kind", f"no check for {kind!r} is known here; known are: {known}")


def _alike(wanted: Any, written: Any) -> bool:
    """Compare facts; a number may differ in the last digits that another machine's arithmetic gives."""
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        if isinstance(wanted, Mapping) and isinstance(written, Mapping):
            return wanted.keys() == written.keys() and all(_alike(wanted[name], written[name]) for name in wanted)
        if isinstance(wanted, list) and isinstance(written, list):
            return len(wanted) == len(written) and all(map(_alike, wanted, written))
        return bool(wanted == written)
    is_number = isinstance(written, (int, float)) and not isinstance(written, bool)
    return is_number and math.isclose(wanted, written, rel_tol=1e-9)


_Step = Callable[[_Opened], Iterator[Finding]]
_STEPS: tuple[tuple[str, _Step], ...] = (
    (MANIFEST, _signature),
    (RECEIPT, _receipt),
    (CHAIN, _chain),
    (MECHANISMS, _uses),
    (MECHANISMS, _certificates),
    ("value", _marks),
    (CARD_FACTS, _card_facts),
    (CARD, _card),
    ("value", _kind),
)

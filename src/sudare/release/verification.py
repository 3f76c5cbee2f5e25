"""A release checked by a stranger: from the folder and public knowledge alone, each thing named that does not hold.

What cannot be checked is said as well. A folder is never trusted: whatever is in it, the answer is a finding.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sudare.errors import InvalidParameter, SudareError
from sudare.mechanisms import rebuilt
from sudare.release.certificates import certificate
from sudare.release.facts import card_facts, ledger_facts, vouched
from sudare.release.findings import Finding, Verification, outside
from sudare.release.folder import MANIFEST, damaged, place_of, read_json
from sudare.release.kinds import CHECKS, check_of
from sudare.release.opened import WHOLE, Opened, failed, open_folder
from sudare.release.parts import parts_of
from sudare.release.record import Draw, drawn
from sudare.release.release import CARD, CARD_FACTS, CHAIN, MECHANISMS, PROVENANCE, RECEIPT, notices
from sudare.release.shapes import USE, refuse_other_shape
from sudare.report import Card
from sudare.schema import Schema
from sudare.texts import LANGUAGES, say
from sudare.version import __version__

_REST = "what rests on this file was not looked at further"


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
    findings, opened = open_folder(place_of(folder))
    if opened is not None:
        for name, needed, step in _STEPS:
            if opened.holds(needed):
                findings += _guarded(name, step, opened)
        findings += [Finding("unchecked", name, _REST) for name in sorted(opened.broken)]
        findings += _signer(opened, key)
    signed_by = "" if opened is None else opened.manifest.fingerprint
    return Verification(tuple(dict.fromkeys((*findings, *outside()))), signed_by, key is not None)


def _fingerprint(text: str) -> str:
    digits = "".join(str(text).lower().replace("-", "").split())
    if len(digits) != 32 or set(digits) - set("0123456789abcdef"):
        raise InvalidParameter(
            "this is no fingerprint of a key",
            where="key",
            remedy="write the eight groups of four digits that `sudare ledger show` prints",
        )
    return "-".join(digits[start : start + 4] for start in range(0, 32, 4))


def _guarded(name: str, step: "_Step", opened: Opened) -> list[Finding]:
    try:
        return list(step(opened))
    except SudareError as error:
        return [failed(error, name)]


def _signer(opened: Opened, key: str | None) -> Iterator[Finding]:
    if key is None:
        yield Finding("unchecked", "signer", say("check.outside.signer"))
    elif key == opened.manifest.fingerprint:
        yield Finding("checked", "signer", "the key is the one that you named")
    else:
        what = f"signed by another key than the one that you named: {opened.manifest.fingerprint}"
        yield Finding("failed", "signer", what)


def _receipt(opened: Opened) -> Iterator[Finding]:
    receipt, manifest = opened.receipt, opened.manifest
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


def _chain(opened: Opened) -> Iterator[Finding]:
    evidence, receipt = opened.evidence, opened.receipt
    try:
        evidence.verify(receipt)
    except (ValueError, RecursionError):  # an entry that is no JSON, in the chain of a ledger made by hand
        raise damaged(CHAIN, "an entry of the chain cannot be read") from None
    ledger = opened.manifest.facts["ledger"]
    if any(ledger.get(name) != value for name, value in evidence.place.items()):
        raise damaged(CHAIN, "the chain does not end at the head that the manifest names")
    what = f"recomputed over {len(evidence.bodies)} entries up to the head; the receipt is entry {receipt.sequence}"
    yield Finding("checked", CHAIN, what)


def _uses(opened: Opened) -> Iterator[Finding]:
    from hashlib import sha256

    bodies, found = opened.evidence.bodies, []
    rows = {draw.column: draw.rows for draw in opened.draws}
    for use in opened.facts(CHAIN)["uses"]:
        link = bodies[use["sequence"] : use["sequence"] + 1] if use["sequence"] >= 0 else ()
        if (sha256(use["body"].encode()).hexdigest(),) != link:
            raise damaged(CHAIN, "an entry that binds a column is no link of the chain")
        facts = read_json(use["body"].encode(), CHAIN)
        refuse_other_shape(facts, CHAIN, USE)
        if facts["kind"] != "use" or facts["receipt"] != opened.receipt.id:
            raise damaged(CHAIN, "an entry that binds a column belongs to another receipt")
        found.append(_drawn(facts, rows))
    if sorted(found, key=lambda draw: draw.column) != sorted(opened.draws, key=lambda draw: draw.column):
        raise damaged(MECHANISMS, "the columns are not those that the ledger bound to this receipt")
    if not found:
        yield Finding("unchecked", MECHANISMS, say("card.notice.undrawn"))
    for draw in opened.draws:
        _refuse_foreign_parts(draw, opened)
        yield Finding("checked", f"column {draw.column!r}", f"{draw.mechanism['mechanism']}, covered by the promise")


def _drawn(facts: Mapping[str, Any], rows: Mapping[str, int]) -> Draw:
    try:
        return drawn(facts, rows)
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise damaged(CHAIN, "an entry that binds a column names no mechanism") from None


def _refuse_foreign_parts(draw: Draw, opened: Opened) -> None:
    parts = opened.receipt.guarantee.parts
    covered = [parts[place].to_dict() for place in draw.parts if place < len(parts)]
    used = [place for one in opened.draws for place in one.parts]
    wanted = [part.to_dict() for part in rebuilt(dict(draw.mechanism)).guarantee.parts]
    if covered != wanted or len(set(used)) != len(used):
        raise damaged(MECHANISMS, f"the promise does not cover the mechanism of column {draw.column!r}")


def _certificates(opened: Opened) -> Iterator[Finding]:
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


def _marks(opened: Opened) -> Iterator[Finding]:
    release, facts = opened.release, opened.manifest.facts
    said = notices(release.value, release.receipt, opened.draws)
    if facts["private"] is not release.private or facts["notices"] != said:
        raise damaged(MANIFEST, "the manifest does not say how private the release is")
    if not release.private:
        yield Finding("checked", "value", f"{say('card.not_private')}, and the release says so")


def _parts(opened: Opened) -> Iterator[Finding]:
    parts = parts_of(opened.release.value, opened.draws)
    for part in parts:
        if part.fault is not None:
            yield Finding("failed", part.place, part.fault)
        elif part.tie == "reports" and part.draw is not None:
            made = f"each one that {part.draw.mechanism['mechanism']} can make"
            yield Finding("checked", part.place, f"{part.draw.rows} reports, {made}")
    if any(part.tie == "loose" for part in parts):
        yield Finding("unchecked", "value", say("card.notice.loose"))
    name = vouched(parts)
    yield Finding("unchecked", name, say(f"check.outside.{name}"))


def _card_facts(opened: Opened) -> Iterator[Finding]:
    if not _says_the_same(opened):
        raise damaged(CARD_FACTS, "the card does not say what the other files say")
    yield Finding("checked", CARD_FACTS, "says what the other files say")


def _refuse_strange_schema(opened: Opened) -> None:
    facts = opened.facts(PROVENANCE)
    if "schema" not in facts:
        return
    refuse_other_shape(facts, PROVENANCE, {"schema": dict, "schema_sha256": str})
    try:
        Schema.from_dict(facts["schema"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise damaged(PROVENANCE, "the schema is none") from None


def _says_the_same(opened: Opened) -> bool:
    _refuse_strange_schema(opened)
    release, manifest = opened.release, opened.manifest
    said = notices(release.value, release.receipt, opened.draws)
    wanted = card_facts(
        release.value, release.receipt, release.provenance, opened.draws, notices=said, private=release.private
    )
    wanted |= ledger_facts(release.receipt, {"head": manifest.facts["ledger"]["head"]}, manifest.budget)
    written = opened.facts(CARD_FACTS)
    language = written.get("language")
    return language in LANGUAGES and _alike({**wanted, "language": language}, written)


def _card(opened: Opened) -> Iterator[Finding]:
    version = opened.facts(PROVENANCE)["versions"]["sudare"]
    if version != __version__:
        yield Finding("unchecked", CARD, f"drawn by Sudare {version}, and this is {__version__}")
        return
    if not _says_the_same(opened):
        yield Finding("unchecked", CARD, _REST)  # facts of any shape cannot be drawn
        return
    if opened.files[CARD] != _page(opened.facts(CARD_FACTS)):
        raise damaged(CARD, "the page is not the one that its facts draw")
    yield Finding("checked", CARD, f"drawn again from {CARD_FACTS}, byte for byte")


def _page(facts: Mapping[str, Any]) -> bytes:
    try:
        return Card(facts).html.encode()
    except ArithmeticError:
        raise damaged(CARD_FACTS, "a number on the card is too large or too small to be drawn") from None


def _kind(opened: Opened) -> Iterator[Finding]:
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


_Step = Callable[[Opened], Iterator[Finding]]
# What each step reads: where one of these was changed, whatever the step said would accuse the wrong file.
_STEPS: tuple[tuple[str, Sequence[str], _Step], ...] = (
    (RECEIPT, (RECEIPT,), _receipt),
    (CHAIN, (CHAIN, RECEIPT), _chain),
    (MECHANISMS, (CHAIN, RECEIPT, MECHANISMS), _uses),
    (MECHANISMS, (MECHANISMS,), _certificates),
    ("value", (*WHOLE, MECHANISMS), _marks),
    ("value", (*WHOLE, MECHANISMS), _parts),
    (CARD_FACTS, (*WHOLE, MECHANISMS), _card_facts),
    (CARD, (CARD, *WHOLE, MECHANISMS), _card),
    ("value", (*WHOLE, MECHANISMS), _kind),
)

"""A small study that charges, draws, announces, forgets; and what must be true of its ledger afterwards."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sudare.errors import KeyForgotten
from sudare.guarantees import Budget
from sudare.ledger import Ledger
from sudare.mechanisms import RandomizedResponse

CEILINGS = {"patients": ("100000", "1e-6")}
MECHANISM = RandomizedResponse(categories=2, epsilon="1")
ANSWERS = np.arange(64) % 2

Announce = Callable[[dict[str, Any]], None]
Opener = Callable[[Path, Any], Ledger]


def run(path: Path, announce: Announce, rounds: int, opener: Opener = Ledger.open, name: str = "") -> None:
    """Charge and announce each release; every third round has a request, some of which are forgotten."""
    ledger = opener(path, CEILINGS)
    for number in range(rounds):
        request = f"{name} {number}".strip() if number % 3 == 1 else None
        release(ledger, announce, request)
        if number % 6 == 4:
            announce({"kind": "forgetting", "request": request})
            assert request is not None
            ledger.forget(request)
            announce({"kind": "forgotten", "request": request})
        if number % 5 == 3:
            ledger.close()  # the log goes into the database


def release(ledger: Ledger, announce: Announce, request: str | None) -> None:
    with ledger.charge(MECHANISM.guarantee, "patients", "a study", request) as receipt:
        reports = drawn(receipt)
        announce(
            {
                "kind": "release",
                "receipt": receipt.id,
                "sequence": receipt.sequence,
                "entry": receipt.entry,
                "request": request,
                "reports": reports,
            }
        )


def drawn(receipt: Any) -> str:
    halves = [MECHANISM.randomize(ANSWERS[start : start + 32], receipt.source("answer", start)) for start in (0, 32)]
    return np.concatenate(halves).tobytes().hex()


def announcer(handle: int) -> Announce:
    """Announce on a pipe, unbuffered: what was announced has left the process."""

    def announce(fact: dict[str, Any]) -> None:
        os.write(handle, json.dumps(fact).encode() + b"\n")

    return announce


def read_announcements(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines(keepends=True) if line.endswith(b"\n")]


def check(path: Path, announced: list[dict[str, Any]], at_most: int) -> None:
    """Refuse a ledger that forgot an announced charge, or shows more than one that was never announced a run."""
    ledger = Ledger.open(path, CEILINGS)
    releases = [fact for fact in announced if fact["kind"] == "release"]
    known = {charge.receipt: charge for charge in ledger.charges}
    hashes = [entry.hash for entry in ledger.entries()]
    for fact in releases:
        assert fact["receipt"] in known, "a charge was forgotten"
        assert hashes[fact["sequence"]] == fact["entry"], "the chain went another way"
    assert ledger.spent("patients") == Budget.of(len(known)), "the sum is wrong"
    assert len(known) - len(releases) <= at_most, "more than one charge of a run was never announced"
    assert ledger.verify().passed
    for entry in ledger.entries():
        if entry.facts["kind"] == "forget":
            assert not key_of(path, entry.facts["receipt"]).exists(), "a key is there that is said to be destroyed"
    check_requests(ledger, announced)
    release(ledger, lambda fact: None, None)  # and it goes on
    ledger.close()


def key_of(path: Path, receipt: str) -> Path:
    return path.with_name(path.name + ".keys") / receipt


def check_requests(ledger: Ledger, announced: list[dict[str, Any]]) -> None:
    begun = {fact["request"] for fact in announced if fact["kind"] == "forgetting"}
    ended = {fact["request"] for fact in announced if fact["kind"] == "forgotten"}
    for fact in announced:
        if fact["kind"] != "release" or fact["request"] is None:
            continue
        try:
            with ledger.charge(MECHANISM.guarantee, "patients", "a study", fact["request"]) as receipt:
                assert drawn(receipt) == fact["reports"], "a retry gave other reports"
                assert receipt.id == fact["receipt"]
                assert fact["request"] not in ended, "a forgotten run was drawn again"
        except KeyForgotten:
            assert fact["request"] in begun, "a key was lost"

"""What is particular to a store; what every store promises is in `sudare.testing.check_ledger_store`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sudare.errors import LedgerUnavailable
from sudare.guarantees import LocalDP
from sudare.ledger import Entry, Ledger, LedgerStore, MemoryStore, Place, SQLiteStore

START = "0" * 64


def entry(sequence: int) -> Entry:
    return Entry(sequence, "{}", START, f"{sequence:064x}", "")


def test_one_writer_at_a_time(path: Path) -> None:
    first, second = (SQLiteStore(Place.of(path), wait_seconds=0.05) for _ in range(2))
    writing = first.begin(write=True)
    with pytest.raises(LedgerUnavailable, match="another process"):
        second.begin(write=True)
    reading = second.begin(write=False)
    writing.append(entry(0))
    writing.commit()
    assert reading.entries(0) == []  # the view of a transaction is fixed when it begins
    reading.rollback()
    first.let_go()
    second.let_go()


def test_a_ledger_can_be_kept_in_a_store_of_ones_own(path: Path) -> None:
    made: list[MemoryStore] = []

    def somewhere_else(place: Place) -> MemoryStore:
        made.append(MemoryStore())
        return made[-1]

    keep: Callable[[Place], LedgerStore] = somewhere_else
    ledger = Ledger.open(path, ceilings={"patients": ("1", 0)}, store=keep)
    with ledger.charge(LocalDP("1"), "patients", "a survey"):
        pass
    assert len(made[0].begin(write=False).entries(0)) == 2

"""What every store promises, whatever it keeps its entries in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sudare.errors import LedgerUnavailable
from sudare.guarantees import LocalDP
from sudare.ledger import Entry, Ledger, LedgerStore, MemoryStore, Place, Range, SQLiteStore

START = "0" * 64


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, path: Path) -> LedgerStore:
    return MemoryStore() if request.param == "memory" else SQLiteStore(Place.of(path))


def entry(sequence: int) -> Entry:
    return Entry(sequence, "{}", START, f"{sequence:064x}", "")


def drawn(number: int, first_row: int, column: str = "age") -> Range:
    return Range.after(number, START, receipt="r", column=column, first_row=first_row, rows=10, fingerprint="")


def test_what_is_committed_is_read_back_in_order(store: LedgerStore) -> None:
    writing = store.begin(write=True)
    writing.append(entry(0))
    writing.append(entry(1))
    writing.append_range(drawn(0, 0))
    assert writing.entries(0) == [entry(0), entry(1)]
    assert writing.ranges(0) == [drawn(0, 0)]
    writing.commit()
    writing.rollback()  # does nothing after a commit
    reading = store.begin(write=False)
    assert reading.entries(0) == [entry(0), entry(1)]
    assert reading.entries(1) == [entry(1)]
    assert reading.entries(2) == []
    assert reading.ranges(0) == [drawn(0, 0)]
    assert reading.ranges(1) == []
    reading.rollback()


def test_what_is_rolled_back_was_never_there(store: LedgerStore) -> None:
    writing = store.begin(write=True)
    writing.append(entry(0))
    writing.append_range(drawn(0, 0))
    writing.rollback()
    reading = store.begin(write=False)
    assert (reading.entries(0), reading.ranges(0)) == ([], [])
    reading.rollback()


def test_the_last_range_below_a_row_is_found(store: LedgerStore) -> None:
    writing = store.begin(write=True)
    for number, first_row in enumerate((20, 0, 40)):
        writing.append_range(drawn(number, first_row))
    writing.append_range(drawn(3, 25, column="height"))
    assert writing.range_before("r", "age", 20) == drawn(1, 0)
    writing.commit()
    reading = store.begin(write=False)
    assert reading.range_before("r", "age", 0) is None
    assert reading.range_before("r", "age", 1) == drawn(1, 0)
    assert reading.range_before("r", "age", 40) == drawn(0, 20)
    assert reading.range_before("r", "age", 1000) == drawn(2, 40)
    assert reading.range_before("r", "weight", 1000) is None
    reading.rollback()


def test_letting_go_loses_nothing(store: LedgerStore) -> None:
    writing = store.begin(write=True)
    writing.append(entry(0))
    writing.commit()
    writing.rollback()
    store.let_go()
    store.let_go()
    store.check()
    reading = store.begin(write=False)
    assert reading.entries(0) == [entry(0)]
    reading.rollback()


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

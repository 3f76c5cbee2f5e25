"""The laws of a place that keeps a ledger: all or nothing, in order, one writer at a time, and nothing ever lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from sudare.errors import LawBroken, SudareError
from sudare.ledger import Entry, LedgerStore, Range
from sudare.ledger.chain import START

Opened = Callable[[], LedgerStore]


def check_ledger_store(opened: Opened) -> None:
    """Run every law; the first that does not hold is raised as `LawBroken`, with the law's name.

    `opened` opens the same empty place each time that it is called, as another process would; it is emptied by nobody,
    so each run needs a new place. What no law can see from inside is durability: kill the process, and cut the power.

    Examples
    --------
    >>> from sudare.ledger import MemoryStore
    >>> place = MemoryStore()
    >>> check_ledger_store(lambda: place)
    """
    for law in STORE_LAWS:
        law(opened)


def a_rollback_leaves_nothing(opened: Opened) -> None:
    """What was added and rolled back was never there."""
    with _at(opened) as store:
        if not store.is_new():
            raise LawBroken("a rollback leaves nothing", "a place where nothing was kept does not call itself new")
        writing = store.begin(write=True)
        writing.append(_entry(0))
        writing.append_range(_range(0, first_row=0))
        writing.rollback()
        if _read(store) != ([], []):
            raise LawBroken("a rollback leaves nothing", "something that was rolled back is there")


def a_transaction_reads_what_it_added(opened: Opened) -> None:
    """Before the commit, and only there."""
    with _at(opened) as store:
        writing = store.begin(write=True)
        writing.append(_entry(0))
        seen = writing.entries(0)
        writing.rollback()
    if seen != [_entry(0)]:
        raise LawBroken("a transaction reads what it added", "an entry is not seen by the transaction that added it")


def a_commit_keeps_all_in_order(opened: Opened) -> None:
    """What was committed is read back, in order, from any position, by whoever opens the place."""
    with _at(opened) as store:
        writing = store.begin(write=True)
        for sequence in range(3):
            writing.append(_entry(sequence))
        for number, first_row in enumerate((20, 0, 40)):
            writing.append_range(_range(number, first_row=first_row))
        writing.commit()
        writing.rollback()  # does nothing after a commit
        _expect_kept(store)
    with _at(opened) as another:
        _expect_kept(another)


def _expect_kept(store: LedgerStore) -> None:
    entries, ranges = _read(store)
    if entries != [_entry(0), _entry(1), _entry(2)] or [drawn.first_row for drawn in ranges] != [20, 0, 40]:
        raise LawBroken("a commit keeps all in order", "what is read back is not what was committed")
    if store.is_new():
        raise LawBroken("a commit keeps all in order", "the place calls itself new after a commit")
    reading = store.begin(write=False)
    later = (reading.entries(2), reading.entries(3), reading.ranges(3))
    reading.rollback()
    if later != ([_entry(2)], [], []):
        raise LawBroken("a commit keeps all in order", "reading from a position does not start there")


def the_range_before_a_row_is_found(opened: Opened) -> None:
    """Of one column of one receipt, the range that starts last below a row; of another, none."""
    with _at(opened) as store:
        reading = store.begin(write=False)
        found = [reading.range_before("r", "age", stop) for stop in (0, 1, 40, 1000)]
        other = [reading.range_before("r", "height", 1000), reading.range_before("s", "age", 1000)]
        reading.rollback()
    if [None if drawn is None else drawn.first_row for drawn in found] != [None, 0, 20, 40] or other != [None, None]:
        raise LawBroken("the range before a row is found", "another range than the last below the row is returned")


def letting_go_loses_nothing(opened: Opened) -> None:
    """A store that let go of its files, even twice, opens them again by itself."""
    with _at(opened) as store:
        before = _read(store)
        store.let_go()
        store.let_go()
        store.check()
        if _read(store) != before:
            raise LawBroken("letting go loses nothing", "after letting go, other entries are read")


def writers_take_turns(opened: Opened) -> None:
    """Threads that each add what comes next never add the same position twice, and lose none."""
    with _at(opened) as store:
        start, lock, failures = len(_read(store)[0]), threading.Lock(), list[SudareError]()
        adding = partial(_add_five, store, lock, failures)
        threads = [threading.Thread(target=adding) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with _at(opened) as another:
        entries = _read(another)[0]
    if failures or entries[start:] != [_entry(sequence) for sequence in range(start, start + 20)]:
        raise LawBroken("writers take turns", "entries of several threads are lost, doubled or refused")


def _add_five(store: LedgerStore, lock: threading.Lock, failures: list[SudareError]) -> None:
    for _ in range(5):
        with lock:  # as a ledger does with its store
            try:
                writing = store.begin(write=True)
                writing.append(_entry(len(writing.entries(0))))
                writing.commit()
            except SudareError as error:
                failures.append(error)


STORE_LAWS: tuple[Callable[[Opened], None], ...] = (
    a_rollback_leaves_nothing,
    a_transaction_reads_what_it_added,
    a_commit_keeps_all_in_order,
    the_range_before_a_row_is_found,
    letting_go_loses_nothing,
    writers_take_turns,
)


@contextmanager
def _at(opened: Opened) -> Iterator[LedgerStore]:
    store = opened()
    try:
        yield store
    finally:
        store.let_go()


def _entry(sequence: int) -> Entry:
    return Entry(sequence, "{}", START, f"{sequence:064x}", "")


def _range(number: int, *, first_row: int) -> Range:
    return Range.after(number, START, receipt="r", column="age", first_row=first_row, rows=10, fingerprint="")


def _read(store: LedgerStore) -> tuple[list[Entry], list[Range]]:
    reading = store.begin(write=False)
    found = reading.entries(0), reading.ranges(0)
    reading.rollback()
    return found

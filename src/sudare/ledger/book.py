"""The discipline of writing: one lock, the newest history, a durable commit, the witness; in this order, every time."""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sudare.errors import LedgerDamaged, LedgerError, LedgerUnavailable, SudareError
from sudare.ledger import clock, files
from sudare.ledger.chain import canonical, digest, linked
from sudare.ledger.entries import Entry, Range
from sudare.ledger.forks import ForkSafe
from sudare.ledger.history import History
from sudare.ledger.signing import Signer, entry_bytes
from sudare.ledger.store import LedgerStore, Transaction
from sudare.ledger.witness import Mark, Witness, rolled_back
from sudare.randomness import secret_bytes

CLOCK_MAY_SLIP = timedelta(seconds=5)
NONCE_BYTES = 16


class Page:
    """One write transaction: what is added here is kept as a whole or not at all."""

    def __init__(self, transaction: Transaction, history: History, signer: Signer) -> None:
        self.history = history
        self.added: list[Entry] = []
        self._added_ranges: list[Range] = []
        self._transaction, self._signer = transaction, signer

    def append(self, kind: str, **facts: Any) -> Entry:
        """Add the next entry."""
        common = {"kind": kind, "time": self._time(), "nonce": secret_bytes(NONCE_BYTES).hex()}
        body = canonical({**common, **facts})
        previous = self.added[-1].hash if self.added else self.history.entries.head
        link = linked(previous, digest(body))
        sequence = len(self.history.entries) + len(self.added)
        entry = Entry(sequence, body, previous, link, self._signer.sign(entry_bytes(link)))
        self._transaction.append(entry)
        self.added.append(entry)
        return entry

    def append_range(self, **facts: Any) -> None:
        """Add the next range of rows."""
        drawn = Range.after(len(self.history.ranges), self.history.ranges.head, **facts)
        self._transaction.append_range(drawn)
        self._added_ranges.append(drawn)

    def range_before(self, receipt: str, column: str, stop: int) -> Range | None:
        """Return the range of this column with the largest first row below `stop`."""
        drawn = self._transaction.range_before(receipt, column, stop)
        if drawn is None or drawn in self._added_ranges:
            return drawn
        if not self.history.ranges.holds(drawn.number, linked(drawn.previous, digest(drawn.body))):
            raise LedgerDamaged(
                "a range of rows was changed after it was drawn",
                where=f"range {drawn.number}",
                remedy="put back a sound copy of the ledger; nothing can be drawn until then",
            )
        return drawn

    def fold(self) -> None:
        """Take what was added into the history."""
        for entry in self.added:
            self.history.append(entry)
        for drawn in self._added_ranges:
            self.history.append_range(drawn)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not self.added and not self._added_ranges

    def _time(self) -> str:
        time = clock.now()
        last = self.history.last_time
        if last is not None and time < last - CLOCK_MAY_SLIP:
            raise LedgerUnavailable(
                "the clock of this machine has gone back behind the last entry of the ledger",
                where=f"last entry: {last.isoformat()}",
                remedy="set the clock right; if it ran ahead when the last entry was made, that entry stays: begin a"
                " new ledger under a new path, with ceilings lowered by what was spent",
            )
        return time.isoformat(timespec="milliseconds")


class Book(ForkSafe):
    """A store, its witness and its signer, read and written under one lock."""

    def __init__(self, store: LedgerStore, signer: Signer, witness: Witness | None) -> None:
        self.signer = signer
        self._store, self._witness = store, witness
        self._history = History()
        self._spoiled = ""
        self._transacting = False
        weakref.finalize(self, store.let_go)
        super().__init__()

    @contextmanager
    def writing(self) -> Iterator[Page]:
        """Hold the ledger; on leaving, what was added to the page is durable, and so is the witness."""
        with self.lock:
            with self._transaction(write=True) as transaction:
                page = Page(transaction, self._history, self.signer)
                yield page
                if page.is_empty:
                    return
                with self._spoiling():
                    transaction.commit()
                    page.fold()
            with self._spoiling():
                self._remember()

    @contextmanager
    def reading(self) -> Iterator[tuple[History, Transaction]]:
        """Read the newest history; nothing is written."""
        with self._transaction(write=False) as transaction:
            yield self._history, transaction

    def witnessed(self) -> None:
        """Make the witness anew where it is missing."""
        with self.lock:
            if self._mark() is None:
                with self._spoiling():
                    self._remember()

    def let_go(self) -> None:
        """Close the store until it is needed again; a child forked out of a transaction is refused by the store."""
        if not self._transacting:
            self._store.let_go()

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Transaction]:
        with self.lock:
            self._refuse_spoiled()
            # Read before the transaction begins: whatever was durable then is in the history that it will see.
            mark = self._mark()
            self._transacting = True
            try:
                with self._begun(write=write) as transaction:
                    with self._spoiling():
                        self._refresh(transaction, mark)
                    yield transaction
            finally:
                self._transacting = False

    @contextmanager
    def _begun(self, *, write: bool) -> Iterator[Transaction]:
        transaction = None
        try:
            try:
                transaction = self._store.begin(write=write)
                yield transaction
            finally:
                if transaction is not None:
                    transaction.rollback()  # does nothing after a commit
        except SudareError:
            raise
        except BaseException:
            self._store.let_go()  # an interrupt just after the beginning or before the end leaves nothing locked
            raise

    def _refresh(self, transaction: Transaction, mark: Mark | None) -> None:
        history = self._history
        known, known_ranges = len(history.entries), len(history.ranges)
        # The last known link is read again: had it gone, the file would be older than this process remembers.
        entries = transaction.entries(max(0, known - 1))
        ranges = transaction.ranges(max(0, known_ranges - 1))
        lost = known and (not entries or entries[0].hash != history.entries.head)
        lost_range = known_ranges and (not ranges or ranges[0].hash != history.ranges.head)
        if lost or lost_range:
            raise rolled_back("the history that this process has seen")
        for entry in entries[1 if known else 0 :]:
            history.append(entry)
            self._refuse_foreign_key()
            history.refuse_unsigned(entry)
        for drawn in ranges[1 if known_ranges else 0 :]:
            history.append_range(drawn)
        if mark is not None and self._witness is not None:
            mark.refuse_older(history, str(self._witness.path))

    def _refuse_foreign_key(self) -> None:
        if self._history.public_key != self.signer.public_key:
            raise LedgerDamaged(
                "the signing key beside the ledger belongs to another ledger",
                where=f"the ledger of {self._history.public_key[:16]}…",
                remedy="put back the .key file that was made with this ledger",
            )

    def _mark(self) -> Mark | None:
        if self._witness is None:
            return None
        with files.refusing(self._witness.path):
            return self._witness.read()

    def _remember(self) -> None:
        if self._witness is None:
            return
        # Written while the store is held again, so that a slower process never puts an older mark over a newer one.
        # What was committed is read again first: had another process written under a lock that was lost, its mark or
        # its entries would contradict ours, and no receipt is given.
        with self._begun(write=True) as transaction:
            mark = self._mark()
            self._refresh(transaction, mark)
            ours = Mark.of(self._history).signed(self.signer)
            if mark != ours:
                with files.refusing(self._witness.path):
                    self._witness.write(ours)

    def _refuse_spoiled(self) -> None:
        if self._spoiled:
            raise LedgerUnavailable(
                "this handle was given up after an error that leaves the disk in doubt",
                where=self._spoiled,
                remedy="open the ledger again: what was durable is read anew, nothing is tried a second time",
            )

    @contextmanager
    def _spoiling(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self._spoiled = error.what if isinstance(error, LedgerError) else type(error).__name__
            raise

"""The noise of a receipt: bound to a column, a mechanism and the rows that were drawn, before a word leaves."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, NotCovered
from sudare.ledger.book import Book, Page
from sudare.ledger.chain import canonical
from sudare.ledger.entries import Range
from sudare.ledger.history import Charge
from sudare.ledger.keys import RunKey, forgotten
from sudare.ledger.promised import part_texts
from sudare.ledger.receipt import closed
from sudare.randomness import Randomizer, Words

if TYPE_CHECKING:
    from sudare.ledger.ledger import Ledger


class OpenCharge:
    """The block of a charge while it runs: the ledger, and the run key that goes with the block."""

    def __init__(
        self, book: Book, key: RunKey, reopen: Callable[[str], "OpenCharge"], *, private: bool, keeper: "Ledger"
    ) -> None:
        self.book, self.key, self.reopen, self.private, self.keeper = book, key, reopen, private, keeper
        self.is_open = True

    def close(self) -> None:
        """End the block: the key is overwritten; where a request keeps it, a retry reads it again."""
        self.is_open = False
        self.key.forget()


@dataclass(frozen=True)
class ReceiptSource:
    """Words for one column of one receipt; see `Receipt.source`."""

    run: OpenCharge
    column: str
    first_row: int

    def bind(self, mechanism: Randomizer, values: NDArray[Any]) -> Words:
        """Return the words of these rows once it is durable that they were drawn; refuse before a word is drawn."""
        values = _plain(values)
        if not self.run.is_open:
            raise closed(self.run.key.receipt)
        fingerprint = self.run.key.fingerprint(self.column, self.first_row, values)
        key = self.run.key.word_key(self.column)
        with self.run.book.writing() as page:
            self._bind_column(page, mechanism)
            self._bind_rows(page, len(values), fingerprint)
        return Words(key, self.first_row, private=self.run.private)

    def _bind_column(self, page: Page, mechanism: Randomizer) -> None:
        receipt = self.run.key.receipt
        charge = page.history.charges.get(receipt)
        if charge is None:
            raise self._not_covered("this ledger knows no such receipt", "draw in the process that made the charge")
        if receipt in page.history.forgotten:
            raise forgotten(receipt)
        identity = canonical(mechanism.identity())
        binding = charge.columns.get(self.column)
        if binding is None:
            covers = part_texts(mechanism.guarantee)
            parts = self._unused_parts(page, charge, covers)
            page.append("use", receipt=receipt, column=self.column, mechanism=identity, parts=parts, covers=covers)
        elif binding.mechanism != identity:
            raise self._not_covered(
                "this column has been drawn by another mechanism under this receipt",
                "use the same mechanism with the same epsilon, or charge anew",
            )

    def _unused_parts(self, page: Page, charge: Charge, covers: Sequence[Mapping[str, Any]]) -> list[int]:
        # What was written down when it was charged: the guarantee in the caller's hands may say something else by now.
        free = sorted(page.history.unused(charge.receipt))
        taken = []
        for text in map(canonical, covers):
            index = next((index for index in free if charge.parts[index] == text), None)
            if index is None:
                raise self._not_covered(
                    "no unused part of this receipt's guarantee is the guarantee of this mechanism",
                    "charge mechanism.guarantee, or compose([...]) of one part for each column that is drawn",
                )
            free.remove(index)
            taken.append(index)
        return taken

    def _bind_rows(self, page: Page, rows: int, fingerprint: str) -> None:
        if rows == 0:
            return
        receipt = self.run.key.receipt
        known = page.range_before(receipt, self.column, self.first_row + rows)
        if known is None or known.stop <= self.first_row:
            page.append_range(
                receipt=receipt, column=self.column, first_row=self.first_row, rows=rows, fingerprint=fingerprint
            )
        elif not self._is_retry(known, rows, fingerprint):
            raise self._not_covered(
                "these rows have been drawn before, in another range or with other values: the same noise over changed"
                " values would show the change",
                "retry with the same values in the same ranges of rows, or charge anew",
            )

    def _is_retry(self, known: Range, rows: int, fingerprint: str) -> bool:
        same_rows = known.first_row == self.first_row and known.rows == rows
        return same_rows and hmac.compare_digest(known.fingerprint, fingerprint)

    def _not_covered(self, what: str, remedy: str) -> NotCovered:
        return NotCovered(what, where=f"receipt {self.run.key.receipt}, column {self.column!r}", remedy=remedy)


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim == 0 or array.dtype.hasobject:
        raise InvalidParameter(
            "noise is drawn for an array of numbers, one row or more", where="values", remedy="hand in a NumPy array"
        )
    return array

"""A small file beside the ledger that remembers how far it had come, so that an older copy is recognized."""

import json
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sudare.errors import LedgerDamaged, LedgerRolledBack, SudareWarning
from sudare.guarantees.exact import exact_whole
from sudare.ledger import files
from sudare.ledger.chain import canonical, text_of
from sudare.ledger.history import History
from sudare.ledger.signing import Signer, mark_bytes, signature_holds


@dataclass(frozen=True)
class Mark:
    """The last links of a ledger: of its entries, and of the ranges of rows that were drawn."""

    ledger: str
    sequence: int
    hash: str
    ranges: int
    ranges_hash: str
    signature: str = ""

    @classmethod
    def of(cls, history: History) -> "Mark":
        """Return how far this history has come."""
        return cls(
            ledger=history.ledger,
            sequence=len(history.entries) - 1,
            hash=history.entries.head,
            ranges=len(history.ranges) - 1,
            ranges_hash=history.ranges.head,
        )

    def refuse_older(self, history: History, where: str) -> None:
        """Refuse a history that has not come as far as this mark, or went another way; and a mark of a stranger."""
        entries = history.ledger == self.ledger and history.entries.holds(self.sequence, self.hash)
        if not entries or (self.ranges >= 0 and not history.ranges.holds(self.ranges, self.ranges_hash)):
            raise rolled_back(where)
        if not signature_holds(history.public_key, mark_bytes(self._text()), self.signature):
            raise _unreadable(where)

    def signed(self, signer: Signer) -> "Mark":
        """Return the mark with its signature; the same mark always has the same one."""
        return replace(self, signature=signer.sign(mark_bytes(self._text())))

    def _text(self) -> str:
        return canonical(asdict(replace(self, signature="")))


def rolled_back(where: str) -> LedgerRolledBack:
    """Return the error that says that this ledger is not the one that has been here."""
    return LedgerRolledBack(
        "an older or another copy of the ledger stands where a newer one has been: what was spent since is not in it",
        where=where,
        remedy="put the newer ledger file back together with its -wal file; else what was spent is unknown, and new"
        " data about these people need a new ledger under a new path",
    )


def _unreadable(where: str) -> LedgerDamaged:
    return LedgerDamaged(
        "the witness of the ledger cannot be read, or was not signed by the ledger's key",
        where=where,
        remedy="put back the file from the same moment as the ledger; remove it only if you know that the"
        " ledger is the newest",
    )


class Witness:
    """The file `PATH.head`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Mark | None:
        """Return the mark, or None where there is none."""
        try:
            facts = json.loads(self.path.read_bytes())
            return Mark(
                ledger=text_of(facts["ledger"]),
                sequence=exact_whole(facts["sequence"], name="sequence", least=0),
                hash=text_of(facts["hash"]),
                ranges=exact_whole(facts["ranges"], name="ranges", least=-1),
                ranges_hash=text_of(facts["ranges_hash"]),
                signature=text_of(facts["signature"]),
            )
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _unreadable(str(self.path)) from error

    def warn_if_missing(self, history: History) -> None:
        """Say that nobody could tell whether this ledger is an older copy."""
        if self.read() is None and len(history.entries) > 1:
            warnings.warn(
                f"the witness {self.path.name} is missing, so an older copy of the ledger would not be recognized; "
                "a new witness is made. Put the old one back if you have it, or compare with a release that was made "
                "under this ledger: ledger.check_release(folder)",
                SudareWarning,
                stacklevel=3,
            )

    def write(self, mark: Mark) -> None:
        """Remember this mark durably."""
        files.replace(self.path, json.dumps(asdict(mark)).encode())

"""The durable record of what was spent: charge, receipt, keys, verification.

Known limits, stated because nothing here can remove them: whoever restores the ledger, its witness and every release
folder together restores an earlier budget; whoever can read the folder `PATH.keys` can draw the noise of kept requests
again; and a promise over a split is as true as the declaration that its parts are disjoint people.
"""

from sudare.ledger.default import default_ledger
from sudare.ledger.entries import Entry, Range
from sudare.ledger.evidence import Evidence
from sudare.ledger.history import Charge
from sudare.ledger.ledger import Ledger
from sudare.ledger.memory import MemoryStore
from sudare.ledger.place import Place
from sudare.ledger.reading import LedgerFile, read_file
from sudare.ledger.receipt import Receipt
from sudare.ledger.signing import fingerprint, manifest_signature_holds
from sudare.ledger.sqlite import SQLiteStore
from sudare.ledger.store import LedgerStore, Transaction
from sudare.ledger.verification import Check, Verification, verify_file

__all__ = [
    "Charge",
    "Check",
    "Entry",
    "Evidence",
    "Ledger",
    "LedgerFile",
    "LedgerStore",
    "MemoryStore",
    "Place",
    "Range",
    "Receipt",
    "SQLiteStore",
    "Transaction",
    "Verification",
    "default_ledger",
    "fingerprint",
    "manifest_signature_holds",
    "read_file",
    "verify_file",
]

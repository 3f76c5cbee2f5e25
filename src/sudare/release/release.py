"""A value, the receipt of what was paid for it, and where it came from: what is handed out, and can be audited."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sudare.errors import InvalidParameter, ReleaseError, SudareWarning
from sudare.guarantees import Guarantee
from sudare.ledger import Ledger, Receipt
from sudare.release import values
from sudare.release.certificates import certificates
from sudare.release.facts import card_facts, ledger_facts
from sudare.release.folder import (
    MANIFEST,
    damaged,
    is_plain_name,
    json_bytes,
    names_in,
    place_of,
    read_file,
    read_json,
    write_whole,
)
from sudare.release.manifest import Manifest
from sudare.release.parts import Part, holds_arrays, parts_of, refuse_raw
from sudare.release.provenance import described
from sudare.release.record import Draw, Record, draws_under
from sudare.report import Card
from sudare.texts import LANGUAGES

RECEIPT, CHAIN, MECHANISMS, PROVENANCE = "receipt.json", "chain.json", "mechanisms.json", "provenance.json"
CARD, CARD_FACTS = "card.html", "card.json"
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False)
class Release:
    """What comes out, with its promise.

    An array or a column of a table that has the name of a column drawn under the receipt must hold its reports. What is
    neither an estimate nor such reports is kept, with a notice on the card: nothing ties it to the promise.

    Parameters
    ----------
    value
        An `Estimate`, an array, a number, a dict of these, or one table.
    receipt
        Of the charge under which the value was made.
    provenance
        How it was made: texts and numbers, and under "schema" the `Schema` that the table was read with.
    kind
        Which check belongs to it; "reports" says that each array holds the reports of the column of its name.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import RandomizedResponse
    >>> smoker = RandomizedResponse(2, "1")
    >>> ledger = Ledger.simulation()
    >>> with ledger.charge(smoker.guarantee, subjects="patients", purpose="smokers") as receipt:
    ...     reports = smoker.randomize(np.zeros(100, int), receipt.source("smoker"))
    >>> release = Release({"smoker": smoker.frequencies(reports)}, receipt)
    >>> release.guarantee == smoker.guarantee, release.private
    (True, False)
    """

    value: Any
    receipt: Receipt
    provenance: Mapping[str, Any]
    kind: str
    _card: Mapping[str, Any] | None = field(default=None, repr=False)

    def __init__(
        self, value: Any, receipt: Receipt, provenance: Mapping[str, Any] | None = None, kind: str = "value"
    ) -> None:
        if not isinstance(receipt, Receipt):
            raise InvalidParameter(
                "a release needs the receipt of its charge",
                where="receipt",
                remedy="write `with ledger.charge(...) as receipt:` and hand that receipt in",
            )
        if not isinstance(kind, str) or not is_plain_name(f"{kind}.kind"):
            raise InvalidParameter("a kind is one small word", where="kind", remedy='write, for example, "reports"')
        values.to_files(value)  # what cannot be kept is refused here, and not after the work is done
        if receipt.keeper is not None and holds_arrays(value):
            refuse_raw(value, draws_under(receipt.keeper, receipt))
        facts = {"value": value, "receipt": receipt, "provenance": described(provenance), "kind": kind}
        for name, one in facts.items():
            object.__setattr__(self, name, one)

    @property
    def guarantee(self) -> Guarantee:
        """The promise that was paid for."""
        return self.receipt.guarantee

    @property
    def private(self) -> bool:
        """Whether the promise holds: not from a simulation, and no part from a repeatable source."""
        return not self.receipt.simulated and values.is_all_private(self.value)

    def card(self, language: str = "en") -> Card:
        """Return the card; `language` is the one that its page shows first.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import RandomizedResponse
        >>> smoker = RandomizedResponse(2, "1")
        >>> with Ledger.simulation().charge(smoker.guarantee, subjects="patients", purpose="smokers") as receipt:
        ...     reports = smoker.randomize(np.zeros(100, int), receipt.source("smoker"))
        >>> card = Release({"smoker": smoker.frequencies(reports)}, receipt).card("ja")
        >>> "NOT PRIVATE" in card.html  # it was a simulation
        True
        """
        if language not in LANGUAGES:
            raise InvalidParameter(
                "there is no text in this language", where="language", remedy=f"choose one of {', '.join(LANGUAGES)}"
            )
        if self._card is not None:
            return Card({**self._card, "language": language})
        return Card({**self._facts(self._record(None)), "language": language})

    def save(self, folder: Any, *, ledger: Ledger | None = None, language: str = "en") -> Path:
        """Write the folder, whole or not at all, signed with the ledger's key; nothing is ever written over.

        `ledger` is needed only where the receipt was read back from a file or came from another process.

        Examples
        --------
        >>> import numpy as np, tempfile
        >>> from sudare.mechanisms import RandomizedResponse
        >>> smoker, ledger = RandomizedResponse(2, "1"), Ledger.simulation()
        >>> with ledger.charge(smoker.guarantee, subjects="patients", purpose="smokers") as receipt:
        ...     reports = smoker.randomize(np.zeros(100, int), receipt.source("smoker"))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     saved = Release({"smoker": smoker.frequencies(reports)}, receipt).save(f"{place}/smokers")
        ...     print(*sorted(path.name for path in saved.iterdir()))
        card.html card.json chain.json mechanisms.json provenance.json receipt.json release.json value.json
        """
        path = place_of(folder)
        self.receipt.verify()
        signer = self._keeper(ledger)
        record = self._record(signer)
        refuse_raw(self.value, record.draws)
        if "loose" in self._notices(record):
            _warn_of_loose_parts(parts_of(self.value, record.draws))
        card = Card({**self._facts(record), "language": language})
        files = {
            **values.to_files(self.value),
            RECEIPT: json_bytes(self.receipt.to_dict()),
            CHAIN: json_bytes(record.chain()),
            MECHANISMS: json_bytes(
                {
                    "columns": [draw.to_dict() for draw in record.draws],
                    "certificates": certificates(record.draws),
                }
            ),
            PROVENANCE: json_bytes(self.provenance),
            CARD: card.html.encode(),
            CARD_FACTS: json_bytes(card.to_dict()),
        }
        manifest = Manifest.of(self.kind, self.receipt, record, files, self._notices(record), private=self.private)
        write_whole(path, {**files, MANIFEST: manifest.signed(signer.sign)})
        return path

    @classmethod
    def load(cls, folder: Any) -> "Release":
        """Read a folder that `.save` wrote; one that was changed is refused by the name of the file.

        This reads; whether the promise holds is for `verify` to say.

        Examples
        --------
        >>> import numpy as np, tempfile
        >>> from sudare.mechanisms import RandomizedResponse
        >>> smoker = RandomizedResponse(2, "1")
        >>> with Ledger.simulation().charge(smoker.guarantee, subjects="patients", purpose="smokers") as receipt:
        ...     reports = smoker.randomize(np.zeros(100, int), receipt.source("smoker"))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     saved = Release({"smoker": smoker.frequencies(reports)}, receipt).save(f"{place}/smokers")
        ...     release = Release.load(saved)
        >>> release.receipt == receipt, release.value["smoker"].confidence
        (True, 0.95)
        """
        path = place_of(folder)
        names_in(path)
        manifest = Manifest.read(read_file(path, MANIFEST))
        if not manifest.signature_holds:
            raise damaged(MANIFEST, "the signature does not hold: the manifest was changed after it was signed")
        files = {name: manifest.checked(name, read_file(path, name)) for name in manifest.files}
        return read_release(manifest, files)

    def _keeper(self, ledger: Ledger | None) -> Ledger:
        keeper = self.receipt.keeper if ledger is None else ledger
        if keeper is None:
            raise ReleaseError(
                "this receipt was read back, so the ledger that signs for it is not at hand",
                where=f"receipt {self.receipt.id}",
                remedy="hand the ledger in: release.save(folder, ledger=ledger); or copy the folder it came from",
            )
        return keeper

    def _record(self, ledger: Ledger | None) -> Record:
        return Record.of(self._keeper(ledger), self.receipt)

    def _notices(self, record: Record) -> list[str]:
        return notices(self.value, self.receipt, record.draws)

    def _facts(self, record: Record) -> dict[str, Any]:
        said = self._notices(record)
        facts = card_facts(self.value, self.receipt, self.provenance, record.draws, notices=said, private=self.private)
        return {**facts, **ledger_facts(self.receipt, {"head": record.evidence.head}, record.budget)}

    def __str__(self) -> str:
        mark = "" if self.private else "NOT PRIVATE. "
        return f"{mark}{self.receipt.purpose} ({self.receipt.subjects}): {self.value!r}\n{self.guarantee.sentence()}"

    def __repr__(self) -> str:
        mark = "" if self.private else ", not private"
        return f"Release({self.receipt.purpose!r}, receipt={self.receipt.id[:8]}…, kind={self.kind!r}{mark})"

    def _repr_html_(self) -> str:
        return self.card()._repr_html_()


def notices(value: Any, receipt: Receipt, draws: Sequence[Draw]) -> list[str]:
    """Return what a reader must know before anything else."""
    said = {
        "simulation": receipt.simulated,
        "repeatable": not values.is_all_private(value),
        "undrawn": not draws,
        "loose": any(part.tie == "loose" for part in parts_of(value, draws)),
    }
    return [name for name, applies in said.items() if applies]


def _warn_of_loose_parts(parts: Sequence[Part]) -> None:
    loose = [part.place for part in parts if part.tie == "loose"]
    named = "; ".join(loose[:_MOST_NAMED]) + (" …" if len(loose) > _MOST_NAMED else "")
    warnings.warn(
        f"nothing ties a part of this release to its promise, and it may be raw data ({named}): hand in estimates, or"
        " what randomize returned under the name of its column",
        SudareWarning,
        stacklevel=3,
    )


def read_receipt(facts: Mapping[str, Any]) -> Receipt:
    """Return the receipt that the facts tell of; one whose key or promise cannot be said is none."""
    try:
        receipt = Receipt.from_dict(facts)
        _ = receipt.fingerprint, receipt.guarantee.sentence()
    except (TypeError, ValueError, RecursionError):
        raise damaged(RECEIPT, "the file holds no receipt") from None
    return receipt


def read_release(manifest: Manifest, files: Mapping[str, bytes]) -> Release:
    """Return the release that these files hold."""
    missing = sorted({RECEIPT, PROVENANCE, CARD_FACTS, values.TREE} - set(files))
    if missing:
        raise damaged(missing[0], "the manifest does not name this file")
    receipt = read_receipt(read_json(files[RECEIPT], RECEIPT))
    release = object.__new__(Release)
    facts = {
        "value": values.from_files(files),
        "receipt": receipt,
        "provenance": read_json(files[PROVENANCE], PROVENANCE),
        "kind": manifest.kind,
        "_card": read_json(files[CARD_FACTS], CARD_FACTS),
    }
    for name, one in facts.items():
        object.__setattr__(release, name, one)
    return release

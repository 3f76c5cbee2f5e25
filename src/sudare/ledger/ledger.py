"""The ledger as its users see it: charge, then draw; split, forget, look, verify."""

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sudare.errors import InvalidParameter
from sudare.guarantees import Budget, Guarantee
from sudare.ledger import files, handles, views
from sudare.ledger.accounts import part_names, read_ceilings, subjects_name
from sudare.ledger.book import Book
from sudare.ledger.charging import Wish, charge_again, charge_anew, receipt_of
from sudare.ledger.entries import Entry
from sudare.ledger.evidence import Evidence
from sudare.ledger.history import Charge, History
from sudare.ledger.keys import KeyFolder, KeysInMemory, KeyStore, RunKey
from sudare.ledger.memory import MemoryStore
from sudare.ledger.opening import begin
from sudare.ledger.place import Place
from sudare.ledger.receipt import Receipt, opened
from sudare.ledger.releases import refuse_older_than, refuse_older_than_folders, release_facts
from sudare.ledger.signing import Signer, fingerprint, manifest_bytes
from sudare.ledger.simulation import SecretRuns, SimulatedRuns
from sudare.ledger.source import OpenCharge
from sudare.ledger.sqlite import WAIT_SECONDS, SQLiteStore
from sudare.ledger.store import LedgerStore
from sudare.ledger.verification import Verification, verified
from sudare.ledger.witness import Witness


class Ledger:
    """The durable record of what was spent on whom.

    A handle, never a copy: clones, pickles, forks and workers all charge the same ledger. A charge is on the disk
    before its receipt exists, so no crash forgets it; nothing is ever refunded.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> ledger = Ledger.simulation(ceilings={"patients": ("1.5", 0)})
    >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="mean age") as receipt:
    ...     pass  # reports = mechanism.randomize(ages, receipt.source("age"))
    >>> print(ledger.left("patients"))
    ε = 0.5, δ = 0
    """

    def __init__(self, book: Book, keys: KeyStore, runs: SecretRuns | SimulatedRuns, path: Path | None) -> None:
        self._book, self._keys, self._runs, self._path = book, keys, runs, path
        self._running: weakref.WeakSet[RunKey] = weakref.WeakSet()

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        ceilings: Mapping[str, Any] | None = None,
        *,
        wait_seconds: float = WAIT_SECONDS,
        store: Callable[[Place], LedgerStore] | None = None,
    ) -> "Ledger":
        """Open the ledger of a file, or make it; ceilings are declared once and never change.

        `store` is for who keeps the entries elsewhere than in SQLite: see `sudare.ledger.LedgerStore`.

        Examples
        --------
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> ledger = Ledger.open(f"{folder.name}/study.ledger", ceilings={"patients": ("3", 0)})
        >>> print(ledger.left("patients"))
        ε = 3, δ = 0
        >>> ledger.close(); folder.cleanup()
        """
        wanted, place = read_ceilings(ceilings), Place.of(path)
        with files.refusing(place.path):
            place.check()
            kept = SQLiteStore(place, wait_seconds=wait_seconds) if store is None else store(place)
            # Looked at before the store: another process that makes the ledger right now is never taken for a loss.
            used, new = place.was_used(), kept.is_new()
        if used is not None and new:
            raise place.gone(used)
        signer, witness = Signer.kept(place.key, new=new), Witness(place.head)
        if new:  # before anything is made where an earlier ledger has signed releases
            refuse_older_than_folders(place.path.parent, History(), signer.public_key)
        book = Book(kept, signer, witness)
        kept.check()
        with book.reading() as (history, _):
            refuse_older_than_folders(place.path.parent, history, signer.public_key)
            witness.warn_if_missing(history)
        begin(book, wanted, simulated=False)
        book.witnessed()
        ledger = cls(book, KeyFolder(place.keys), SecretRuns(), place.path)
        handles.remember(str(place.path), ledger)
        return ledger

    @classmethod
    def simulation(cls, seed: int | None = None, ceilings: Mapping[str, Any] | None = None) -> "Ledger":
        """Return a ledger in memory; all that is drawn under it is marked not private.

        Each process counts its own charges. With a seed, the same charges in the same order draw the same noise.

        Examples
        --------
        >>> ledger = Ledger.simulation(seed=7, ceilings={"patients": ("3", 0)})
        >>> ledger.simulated, ledger.path
        (True, None)
        """
        runs = SimulatedRuns(seed)
        ledger = cls(Book(MemoryStore(), Signer.fresh(), None), KeysInMemory(), runs, None)
        begin(ledger._book, read_ceilings(ceilings), simulated=True)
        handles.remember(runs.name, ledger)
        return ledger

    def charge(self, guarantee: Guarantee, subjects: str, purpose: str, request: str | None = None) -> "Charging":
        """Write the charge down, durably; then run the block, which may draw under the receipt.

        With a `request`, the same request with the same guarantee, subjects and purpose gives the same receipt and
        the same noise again, and is charged once. What happens in the block never refunds the charge. What is written
        down is what the guarantee says at this moment, and only that is ever drawn under the receipt. All amounts about
        the same people are for the same neighbors: a charge that would add others to them is refused.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import TwoPoint
        >>> coin, ledger = TwoPoint("1"), Ledger.simulation()
        >>> for attempt in (1, 2):  # the second one repeats the first, and costs nothing
        ...     with ledger.charge(coin.guarantee, subjects="patients", purpose="a survey", request="May") as receipt:
        ...         reports = coin.randomize(np.zeros(3), receipt.source("age"))
        >>> print(ledger.spent("patients"))
        ε = 1, δ = 0
        """
        return Charging(self._charging(Wish.checked(guarantee, subjects, purpose, request)))

    @contextmanager
    def _charging(self, wish: Wish) -> Iterator[Receipt]:
        with self._book.writing() as page:
            known = page.history.requests.get(wish.request or "")
            if known is None:
                key = self._runs.run_key(len(page.history.charges))
                charge = charge_anew(page, wish, key, self._keys)
            else:
                charge = page.history.charges[known]
                key = charge_again(page.history, wish, charge, self._keys)
            receipt = receipt_of(charge, wish.guarantee, page.history, self._book.signer)
        run = self._run(key)
        try:
            yield opened(receipt, run)
        finally:
            run.close()

    def split(self, subjects: str, parts: int | Iterable[str]) -> list[str]:
        """Declare disjoint people, and return the names of the parts; only over these do charges compose in parallel.

        Examples
        --------
        >>> Ledger.simulation().split("patients", ["east", "west"])
        ['patients/east', 'patients/west']
        """
        names = part_names(subjects_name(subjects), parts)
        with self._book.writing() as page:
            page.history.accounts.refuse_unknown(subjects)
            if not page.history.accounts.has_split(subjects, names):
                page.append("split", subjects=subjects, parts=list(names))
        return list(names)

    def forget(self, run: str) -> None:
        """Destroy the run key of a request or a receipt id: what was drawn can never be drawn again.

        Examples
        --------
        >>> from sudare.guarantees import LocalDP
        >>> ledger = Ledger.simulation()
        >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="a survey", request="May") as receipt:
        ...     pass
        >>> ledger.forget("May")
        """
        with self._book.writing() as page:
            charge = page.history.find(run)
            if charge is None:
                raise InvalidParameter(
                    "no charge has this request or receipt",
                    where="run",
                    remedy="see ledger.charges for those there are",
                )
            # Destroyed before it is written down: the ledger never says so of a key that could still be read.
            self._keys.destroy(charge.receipt)
            if charge.receipt not in page.history.forgotten:
                page.append("forget", receipt=charge.receipt)
        for key in list(self._running):
            if key.receipt == charge.receipt:
                key.forget()

    def spent(self, subjects: str) -> Budget:
        """Return the most that any one of these people has paid.

        That is what was charged to them and to everybody they are a part of, and of each split the largest part.

        Examples
        --------
        >>> from sudare.guarantees import LocalDP
        >>> ledger = Ledger.simulation()
        >>> with ledger.charge(LocalDP("1/4"), subjects="patients", purpose="a survey"):
        ...     pass
        >>> print(ledger.spent("patients"))
        ε = 0.25, δ = 0
        """
        with self._book.reading() as (history, _):
            return history.accounts.paid(subjects_name(subjects))

    def left(self, subjects: str) -> Budget | None:
        """Return what may still be charged to these subjects; None where no ceiling holds for them.

        Examples
        --------
        >>> print(Ledger.simulation(ceilings={"patients": ("3", "1e-6")}).left("patients"))
        ε = 3, δ = 1e-6
        """
        with self._book.reading() as (history, _):
            return history.accounts.left(subjects_name(subjects))

    @property
    def charges(self) -> tuple[Charge, ...]:
        """All charges, in order."""
        with self._book.reading() as (history, _):
            return tuple(history.charges.values())

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries as they are stored.

        Examples
        --------
        >>> [entry.facts["kind"] for entry in Ledger.simulation().entries()]
        ['opened']
        """
        with self._book.reading() as (_, transaction):
            return tuple(transaction.entries(0))

    def evidence(self, receipt: Receipt) -> Evidence:
        """Return what lets a stranger follow the chain from the first entry over the receipt's to the head.

        Examples
        --------
        >>> from sudare.guarantees import LocalDP
        >>> ledger = Ledger.simulation()
        >>> with ledger.charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
        ...     ledger.evidence(receipt).sequence
        1
        """
        with self._book.reading() as (history, transaction):
            return Evidence.of(history, transaction, receipt)

    def check_release(self, release: str | os.PathLike[str] | Mapping[str, Any]) -> None:
        """Refuse to go on where a release of this ledger shows that the ledger is an older copy.

        `release` is its folder, or the content of its release.json. Those in folders beside the ledger are looked at
        whenever it is opened; this is for a release that is kept elsewhere.
        """
        facts = release_facts(release)
        with self._book.reading() as (history, _):
            refuse_older_than(facts, history, self.public_key, where="the release that was handed in")
            if facts["ledger"].get("id") != history.ledger:
                raise InvalidParameter(
                    "this release was made under another ledger, so it says nothing about this one",
                    where="release",
                    remedy="hand in a release of this ledger, or open the ledger that it belongs to",
                )

    def verify(self) -> Verification:
        """Check chain, sums, signatures and ranges; `verify_file` does it from the file alone.

        Examples
        --------
        >>> Ledger.simulation().verify().passed
        True
        """
        with self._book.reading() as (_, transaction):
            return verified(transaction.entries(0), transaction.ranges(0))

    def export(self) -> dict[str, Any]:
        """Return all of it as plain text and numbers.

        Examples
        --------
        >>> sorted(Ledger.simulation().export())
        ['entries', 'fingerprint', 'id', 'public_key', 'ranges', 'simulated', 'subjects']
        """
        with self._book.reading() as (history, transaction):
            return views.export(history, transaction.entries(0), transaction.ranges(0))

    def sign(self, manifest: bytes) -> str:
        """Sign the manifest of a release with the ledger's key; `manifest_signature_holds` checks it.

        Examples
        --------
        >>> from sudare.ledger import manifest_signature_holds
        >>> ledger = Ledger.simulation()
        >>> manifest_signature_holds(ledger.public_key, b"files", ledger.sign(b"files"))
        True
        """
        return self._book.signer.sign(manifest_bytes(manifest))

    @property
    def id(self) -> str:
        """The name of the ledger: the hash of its first entry."""
        with self._book.reading() as (history, _):
            return history.ledger

    @property
    def path(self) -> str | None:
        """Where the ledger lies; None for a simulation."""
        return None if self._path is None else str(self._path)

    @property
    def simulated(self) -> bool:
        """Whether this ledger lives in memory and protects nobody."""
        return self._path is None

    @property
    def public_key(self) -> str:
        """The public half of the key that signs receipts, in hexadecimal."""
        return self._book.signer.public_key

    @property
    def fingerprint(self) -> str:
        """The public key, short enough to compare by eye."""
        return fingerprint(self.public_key)

    def close(self) -> None:
        """Let the file go; the next call opens it again.

        Examples
        --------
        >>> ledger = Ledger.open("study.ledger")
        >>> ledger.close()
        >>> print(ledger.spent("patients"))
        ε = 0, δ = 0
        """
        with self._book.lock:
            self._book.let_go()

    def __str__(self) -> str:
        with self._book.reading() as (history, _):
            return views.text(history, self.path)

    def _repr_html_(self) -> str:
        with self._book.reading() as (history, _):
            return views.html(history, self.path)

    def __repr__(self) -> str:
        return f"<Ledger {self.path}>" if self._path is not None else "<Ledger simulation>"

    def __copy__(self) -> "Ledger":
        return self

    def __deepcopy__(self, memo: Any) -> "Ledger":
        return self

    def __reduce__(self) -> Any:
        if isinstance(self._runs, SimulatedRuns):
            return handles.simulation_again, (self._runs.name, self._runs.seed, self._ceilings())
        return handles.opened_again, (self.path, self.id)

    def _ceilings(self) -> dict[str, Budget]:
        with self._book.reading() as (history, _):
            return dict(history.accounts.ceilings)

    def _run(self, key: RunKey) -> OpenCharge:
        self._running.add(key)
        return OpenCharge(self._book, key, self._resumed, private=self._runs.private, keeper=self)

    def _resumed(self, receipt: str) -> OpenCharge:
        # What a receipt with a request becomes in a worker process: the key is read from the file.
        return self._run(self._keys.read(receipt))


class Charging(AbstractContextManager[Receipt]):
    """What `Ledger.charge` returns: the charge is made when a `with` block enters it, and not before."""

    def __init__(self, block: AbstractContextManager[Receipt]) -> None:
        self._block = block

    def __enter__(self) -> Receipt:
        return self._block.__enter__()

    def __exit__(self, *error: Any) -> bool | None:
        return self._block.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise InvalidParameter(
            "nothing is charged yet, so there is no receipt",
            where=f"Ledger.charge, .{name}",
            remedy="write `with ledger.charge(...) as receipt:` and draw in the block",
        )

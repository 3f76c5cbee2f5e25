"""What a charge hands out: a signed record of the promise that was paid for, and the source of its noise."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sudare.errors import InvalidParameter, LedgerDamaged, NotCovered, SudareError
from sudare.guarantees import Guarantee, from_dict
from sudare.guarantees.exact import exact_whole
from sudare.ledger.chain import canonical, text_of
from sudare.ledger.signing import fingerprint, signature_holds

if TYPE_CHECKING:
    from sudare.ledger.ledger import Ledger
    from sudare.ledger.source import OpenCharge, ReceiptSource

_LAST_ROW = 1 << 60


@dataclass(frozen=True)
class Receipt:
    """A charge that is durable: who is promised what, at which place in which ledger, signed by the ledger's key.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> with Ledger.simulation().charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
    ...     receipt.verify()
    >>> receipt.subjects, receipt.guarantee.epsilon, receipt.simulated
    ('patients', Fraction(1, 1), True)
    """

    id: str
    ledger: str
    subjects: str
    guarantee: Guarantee
    purpose: str
    request: str | None
    sequence: int
    time: str
    entry: str
    public_key: str
    simulated: bool
    signature: str
    _run: "OpenCharge | None" = field(default=None, repr=False, compare=False)

    def source(self, column: str, first_row: int = 0) -> "ReceiptSource":
        """Return the source of the noise of one column, for rows from this global row on; only inside the block.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.ledger import Ledger
        >>> from sudare.mechanisms import TwoPoint
        >>> coin = TwoPoint("1")
        >>> with Ledger.simulation().charge(coin.guarantee, subjects="patients", purpose="a survey") as receipt:
        ...     reports = coin.randomize(np.zeros(3), receipt.source("age"))
        >>> len(reports)
        3
        """
        from sudare.ledger.source import ReceiptSource

        if self._run is None or not self._run.is_open:
            raise closed(self.id)
        if not isinstance(column, str) or not column or not column.isprintable():
            raise InvalidParameter("a column has a name", where="column", remedy='write receipt.source("age")')
        if exact_whole(first_row, name="first_row", least=0) > _LAST_ROW:
            raise InvalidParameter("no table has so many rows", where="first_row", remedy="count rows from 0")
        return ReceiptSource(self._run, column, int(first_row))

    @property
    def keeper(self) -> "Ledger | None":
        """The ledger that gave this receipt, which signs what is released under it; None where it was read back."""
        return None if self._run is None else self._run.keeper

    @property
    def fingerprint(self) -> str:
        """The ledger's public key, short enough to compare by eye."""
        return fingerprint(self.public_key)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as plain text and numbers; `from_dict` reads it again."""
        return {**_facts(self), "signature": self.signature}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> "Receipt":
        """Read a receipt that `.to_dict()` wrote; it can be verified, but gives no source.

        Examples
        --------
        >>> from sudare.guarantees import LocalDP
        >>> from sudare.ledger import Ledger
        >>> with Ledger.simulation().charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
        ...     pass
        >>> Receipt.from_dict(receipt.to_dict()) == receipt
        True
        """
        try:
            plain = {name: kind(facts[name]) for name, kind in _PLAIN.items()}
            request = None if facts["request"] is None else text_of(facts["request"])
            return cls(**plain, guarantee=from_dict(facts["guarantee"]), request=request)
        except (KeyError, TypeError, ValueError, AttributeError, SudareError) as error:
            raise InvalidParameter(
                "this is no receipt", where="receipt", remedy="hand in what Receipt.to_dict() returned"
            ) from error

    def verify(self) -> None:
        """Refuse a receipt that was changed after it was signed.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from sudare.guarantees import LocalDP
        >>> from sudare.ledger import Ledger
        >>> with Ledger.simulation().charge(LocalDP("1"), subjects="patients", purpose="a survey") as receipt:
        ...     receipt.verify()
        >>> try:
        ...     replace(receipt, subjects="staff").verify()
        ... except LedgerDamaged as damage:
        ...     print(damage.what)
        the signature of the receipt does not hold: it was changed after it was signed
        """
        if not signature_holds(self.public_key, _signed_bytes(_facts(self)), self.signature):
            raise LedgerDamaged(
                "the signature of the receipt does not hold: it was changed after it was signed",
                where=f"receipt {self.id}",
                remedy="ask for the receipt again, and compare the fingerprint of its key",
            )

    def __copy__(self) -> "Receipt":
        return self

    def __deepcopy__(self, memo: Any) -> "Receipt":
        return self

    def __reduce__(self) -> Any:
        if self._run is None or not self._run.is_open:
            return Receipt.from_dict, (self.to_dict(),)
        if self.request is None:
            raise NotCovered(
                "the run key of this receipt lives in the memory of one process, so it cannot be sent to another",
                where=f"receipt {self.id}",
                remedy='give the charge a request: ledger.charge(..., request="survey of May")',
            )
        return _again, (self.to_dict(), self._run.reopen)


def _again(facts: Mapping[str, Any], reopen: Callable[[str], "OpenCharge"]) -> Receipt:
    return opened(Receipt.from_dict(facts), reopen(str(facts["id"])))


def opened(receipt: Receipt, run: "OpenCharge") -> Receipt:
    """Return the receipt with the way to its noise."""
    object.__setattr__(receipt, "_run", run)
    return receipt


def signed(sign: Callable[[bytes], str], **facts: Any) -> Receipt:
    """Return a receipt with its signature; the same facts always have the same one."""
    unsigned = Receipt(**facts, signature="")
    return Receipt(**facts, signature=sign(_signed_bytes(_facts(unsigned))))


def closed(receipt: str) -> NotCovered:
    """Return the error that says that the block of a charge has ended."""
    return NotCovered(
        "this receipt gives no noise any more: its block has ended",
        where=f"receipt {receipt}",
        remedy="draw inside `with ledger.charge(...) as receipt:`; to come back later, give the charge a request",
    )


def _facts(receipt: Receipt) -> dict[str, Any]:
    names = [name for name in _PLAIN if name != "signature"]
    plain = {name: getattr(receipt, name) for name in names}
    return {**plain, "guarantee": receipt.guarantee.to_dict(), "request": receipt.request}


def _signed_bytes(facts: Mapping[str, Any]) -> bytes:
    return b"sudare receipt " + canonical(facts).encode()


def _count(value: Any) -> int:
    return exact_whole(value, name="sequence", least=0)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false expected")
    return value


_PLAIN: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("id", "ledger", "subjects", "purpose", "time", "entry", "public_key", "signature"), text_of),
    "sequence": _count,
    "simulated": _truth,
}

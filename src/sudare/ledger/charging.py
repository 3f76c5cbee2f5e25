"""What happens inside the one transaction of a charge."""

import warnings
from dataclasses import dataclass
from typing import Any

from sudare.errors import InvalidParameter, NotCovered, SudareWarning
from sudare.guarantees import Guarantee
from sudare.ledger.accounts import Accounts, subjects_name
from sudare.ledger.book import Page
from sudare.ledger.chain import canonical
from sudare.ledger.history import RECEIPT, Charge, History, charge_of
from sudare.ledger.keys import KeyStore, RunKey, forgotten
from sudare.ledger.promised import Promised
from sudare.ledger.receipt import Receipt, signed
from sudare.ledger.signing import Signer

_LONGEST_TEXT = 2000


@dataclass(frozen=True)
class Wish:
    """A charge that is asked for."""

    guarantee: Guarantee
    promised: Promised
    subjects: str
    purpose: str
    request: str | None

    @classmethod
    def checked(cls, guarantee: Any, subjects: Any, purpose: Any, request: Any) -> "Wish":
        """Return the wish, or refuse arguments that no ledger could keep."""
        if not isinstance(guarantee, Guarantee):
            raise InvalidParameter(
                "a charge is made for a guarantee",
                where="guarantee",
                remedy="write ledger.charge(mechanism.guarantee, …)",
            )
        promised = Promised.of(guarantee)
        name = subjects_name(subjects)
        text = _text(purpose, "purpose")
        return cls(guarantee, promised, name, text, None if request is None else _request(request))

    def is_answered_by(self, charge: Charge) -> bool:
        """Return whether this charge was made for the same wish."""
        texts = canonical(self.promised.text), tuple(map(canonical, self.promised.parts))
        same_guarantee = texts == (canonical(charge.guarantee), charge.parts)
        return same_guarantee and (self.subjects, self.purpose) == (charge.subjects, charge.purpose)


def charge_anew(page: Page, wish: Wish, key: RunKey, keys: KeyStore) -> Charge:
    """Test the ceilings and add the charge; a request's key is durable before the charge is."""
    accounts, promised = page.history.accounts, wish.promised
    budget = promised.budget
    accounts.refuse_unknown(wish.subjects)
    if budget is not None:
        accounts.refuse_other_neighbors(wish.subjects, promised.neighbors)
        accounts.refuse_unwritable(wish.subjects, budget)
        accounts.refuse_over(wish.subjects, budget)
        _warn_of_strangers(accounts, wish.subjects)
    if wish.request is not None:
        keys.keep(key)
    entry = page.append(
        "charge",
        receipt=key.receipt,
        subjects=wish.subjects,
        guarantee=promised.text,
        parts=promised.parts,
        epsilon=None if budget is None else str(budget.epsilon),
        delta=None if budget is None else str(budget.delta),
        neighbors=promised.neighbors,
        purpose=wish.purpose,
        request=wish.request,
    )
    return charge_of(entry.facts, entry)


def charge_again(history: History, wish: Wish, charge: Charge, keys: KeyStore) -> RunKey:
    """Return the kept key of a request that was charged before, or refuse to mistake another charge for it."""
    if not wish.is_answered_by(charge):
        raise NotCovered(
            "this request has been charged for another guarantee, other subjects or another purpose",
            where=f"request {wish.request!r}, entry {charge.sequence}",
            remedy="repeat the charge as it was, or give the new one a new request",
        )
    if charge.receipt in history.forgotten:
        raise forgotten(charge.receipt)
    return keys.read(charge.receipt)


def receipt_of(charge: Charge, guarantee: Guarantee, history: History, signer: Signer) -> Receipt:
    """Return the signed receipt of a charge; the same charge always has the same one."""
    return signed(
        signer.sign,
        id=charge.receipt,
        ledger=history.ledger,
        subjects=charge.subjects,
        guarantee=guarantee,
        purpose=charge.purpose,
        request=charge.request,
        sequence=charge.sequence,
        time=charge.time,
        entry=charge.hash,
        public_key=history.public_key,
        simulated=history.simulated,
    )


def _warn_of_strangers(accounts: Accounts, subjects: str) -> None:
    first_charge = subjects not in accounts.own
    if first_charge and accounts.ceilings and accounts.left(subjects) is None:
        warnings.warn(
            f"no ceiling holds for {subjects!r}: is it a slip of the pen? Ceilings were declared for "
            f"{', '.join(repr(name) for name in sorted(accounts.ceilings))}",
            SudareWarning,
            stacklevel=6,
        )


def _request(request: Any) -> str:
    text = _text(request, "request")
    if RECEIPT.fullmatch(text):  # `forget` takes both, and would have to guess
        raise InvalidParameter(
            "a request is not named like a receipt", where="request", remedy='name it in words, such as "survey of May"'
        )
    return text


def _text(text: Any, name: str) -> str:
    good = isinstance(text, str) and 0 < len(text) <= _LONGEST_TEXT and text == text.strip() and text.isprintable()
    if not good:
        raise InvalidParameter(
            f"{name} is not a line of 1 to {_LONGEST_TEXT} printable characters",
            where=name,
            remedy=f'write a few words without anybody\'s data, for example {name}="survey of May"',
        )
    return str(text)

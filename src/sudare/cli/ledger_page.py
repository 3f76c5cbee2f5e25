"""What the page of a ledger is drawn from: what was spent on whom, what is left, every charge with its promise."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sudare.guarantees import from_dict
from sudare.guarantees.budget import readable
from sudare.ledger import Charge, Ledger, LedgerFile
from sudare.report import ledger_page as drawn
from sudare.texts import LANGUAGES


def ledger_page(ledger: Ledger | LedgerFile, language: str = "en") -> str:
    """Return the page of this ledger, as it is now.

    Examples
    --------
    >>> "NOT PRIVATE" in ledger_page(Ledger.simulation(ceilings={"patients": ("3", 0)}))
    True
    """
    facts = ledger.export()
    subjects = {
        name: {what: _amount(amounts[what]) for what in ("spent", "left", "ceiling")}
        for name, amounts in facts["subjects"].items()
    }
    return drawn(
        {
            "path": ledger.path or "",
            "key": ledger.fingerprint,
            "private": not ledger.simulated,
            "subjects": subjects,
            "charges": [_charge(charge) for charge in ledger.charges],
        },
        language,
    )


def _amount(facts: Mapping[str, str] | None) -> dict[str, Any] | None:
    if facts is None:
        return None
    epsilon, delta = Fraction(facts["epsilon"]), Fraction(facts["delta"])
    return {"epsilon": readable(epsilon), "delta": readable(delta), "about": float(epsilon)}


def _charge(charge: Charge) -> dict[str, Any]:
    guarantee = from_dict(charge.guarantee)
    amount = charge.budget
    return {
        "time": charge.time,
        "subjects": charge.subjects,
        "purpose": charge.purpose,
        "epsilon": "–" if amount is None else readable(amount.epsilon),
        "delta": "–" if amount is None else readable(amount.delta),
        "promise": {language: guarantee.sentence(language) for language in LANGUAGES},
    }

"""What the ledger shows about a receipt at the moment of its release: the chain, the budget, the columns drawn."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.guarantees import Budget
from sudare.ledger import Evidence, Ledger, Receipt
from sudare.release.folder import damaged

AMOUNTS = ("charged", "spent", "ceiling", "left")
_EXACT = re.compile(r"\d{1,4000}(/0*[1-9]\d{0,4000})?", re.ASCII)


@dataclass(frozen=True)
class Draw:
    """A column that was drawn under the receipt: by which mechanism, for which parts of the promise, how many rows."""

    column: str
    mechanism: Mapping[str, str]
    parts: tuple[int, ...]
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain text and numbers."""
        return {
            "column": self.column,
            "mechanism": dict(self.mechanism),
            "parts": list(self.parts),
            "rows": self.rows,
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> "Draw":
        """Read what `to_dict` wrote; raises TypeError, KeyError or ValueError where it is nothing of the kind."""
        identity = {_text(name): _text(value) for name, value in facts["mechanism"].items()}
        return cls(_text(facts["column"]), identity, tuple(map(_count, facts["parts"])), _count(facts["rows"]))


@dataclass(frozen=True)
class Use:
    """The ledger's entry that bound a column to a mechanism, with its place in the chain."""

    sequence: int
    body: str


@dataclass(frozen=True)
class Record:
    """One consistent look into the ledger."""

    evidence: Evidence
    uses: tuple[Use, ...]
    draws: tuple[Draw, ...]
    budget: Mapping[str, Budget | None]

    @classmethod
    def of(cls, ledger: Ledger, receipt: Receipt) -> "Record":
        """Look: what else is charged meanwhile belongs to a later head."""
        while True:
            facts, evidence = ledger.export(), ledger.evidence(receipt)
            if len(facts["entries"]) == len(evidence.bodies):
                break
        uses, draws = _shown(facts, receipt)
        spent = {name: budget_of(facts["subjects"][receipt.subjects][name]) for name in AMOUNTS if name != "charged"}
        return cls(evidence, uses, draws, {"charged": receipt.guarantee.budget, **spent})

    def chain(self) -> dict[str, Any]:
        """Return what `chain.json` holds."""
        return {**self.evidence.to_dict(), "uses": [vars(use) for use in self.uses]}


def draws_under(ledger: Ledger, receipt: Receipt) -> tuple[Draw, ...]:
    """Return the columns that have been drawn under the receipt by now."""
    return _shown(ledger.export(), receipt)[1]


def _shown(facts: Mapping[str, Any], receipt: Receipt) -> tuple[tuple[Use, ...], tuple[Draw, ...]]:
    ours = [entry for entry in facts["entries"] if _is_use(entry["body"], receipt.id)]
    uses = tuple(Use(entry["sequence"], entry["body"]) for entry in ours)
    rows: Counter[str] = Counter()
    for one in facts["ranges"]:
        rows[one["column"]] += one["rows"] if one["receipt"] == receipt.id else 0
    return uses, tuple(drawn(json.loads(use.body), rows) for use in uses)


def drawn(facts: Mapping[str, Any], rows: Mapping[str, int]) -> Draw:
    """Return the draw that a ledger's entry speaks of."""
    identity = json.loads(facts["mechanism"])
    return Draw.from_dict({**facts, "mechanism": identity, "rows": rows.get(facts["column"], 0)})


def plain_budget(budget: Mapping[str, Budget | None]) -> dict[str, Any]:
    """Return the amounts as exact text."""
    return {
        name: None if amount is None else {"epsilon": str(amount.epsilon), "delta": str(amount.delta)}
        for name, amount in budget.items()
    }


def budget_of(facts: Any) -> Budget | None:
    """Read one exact amount; digits are limited, since a file of a stranger may claim anything."""
    if facts is None:
        return None
    numbers = [str(facts.get(name)) for name in ("epsilon", "delta")] if isinstance(facts, Mapping) else [""]
    if not all(map(_EXACT.fullmatch, numbers)):
        raise damaged("release.json", "an amount of the budget is no exact number")
    return Budget(*map(Fraction, numbers))


def _is_use(body: str, receipt: str) -> bool:
    facts = json.loads(body)
    return bool(facts["kind"] == "use" and facts["receipt"] == receipt)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text expected")
    return value


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError("a count expected")
    return value

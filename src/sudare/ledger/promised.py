"""What a charge pays for, taken down once: the text of the promise, the texts of its parts, and what they cost.

From then on the text alone counts. A guarantee is an object of the caller's: it may say something else when it is asked
again, or say one thing of the whole and another of its parts.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import InvalidParameter
from sudare.guarantees import ApproximateDP, Budget, Guarantee, Hidden, LocalDP
from sudare.ledger.chain import canonical

# Not by `from_dict`: there another package may have taken the place of these.
_OURS: dict[str, type[Guarantee]] = {kind.kind: kind for kind in (LocalDP, ApproximateDP, Hidden)}
_COMPOSITION = "composition"
_REPLACE_ONE = "replace-one"
NEIGHBORS = (_REPLACE_ONE, "add-remove")


@dataclass(frozen=True)
class Promised:
    """The text of a promise, those of its parts, and their cost; `budget` is None where no part has an ε.

    Examples
    --------
    >>> from sudare.guarantees import compose
    >>> promised = Promised.of(compose([LocalDP("1"), LocalDP("0.5")]))
    >>> len(promised.parts), promised.budget.epsilon
    (2, Fraction(3, 2))
    """

    text: Mapping[str, Any]
    parts: tuple[Mapping[str, Any], ...]
    budget: Budget | None
    neighbors: str | None

    @classmethod
    def of(cls, guarantee: Guarantee) -> "Promised":
        """Ask the guarantee once, and refuse one whose parts do not add up to it."""
        text, parts, budget = _text(guarantee), tuple(guarantee.parts), _amount(guarantee)
        if not parts or not all(isinstance(part, Guarantee) for part in parts):
            raise _disagrees("it is made of no guarantees")
        said = [(_text(part), _amount(part)) for part in parts]
        if total(cost for _, cost in said) != budget:
            raise _disagrees("its parts do not add up to its budget")
        texts = tuple(part for part, _ in said)
        try:
            same = agrees(text, texts, budget) and all(agrees(part, [part], cost) for part, cost in said)
            neighbors = _neighbors(said)
        except (KeyError, TypeError, AttributeError) as error:
            raise _disagrees("its text lacks what such a promise says") from error
        if not same:
            raise _disagrees("its text says something else")
        return cls(text, texts, budget, neighbors)


def part_texts(guarantee: Guarantee) -> list[Mapping[str, Any]]:
    """Return the texts of the parts, which a receipt must hold for a mechanism to be covered."""
    return [_text(part) for part in guarantee.parts]


def total(budgets: Iterable[Budget | None]) -> Budget | None:
    """Return the sum; what has no ε counts nothing, and makes None where nothing else is there."""
    known = [budget for budget in budgets if budget is not None]
    return sum(known, Budget()) if known else None


def agrees(text: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], budget: Budget | None) -> bool:
    """Return whether text, parts and cost tell the same; what another package wrote stands as it was written."""
    kind = text.get("kind")
    if kind == _COMPOSITION:
        same = list(parts) in ([text], list(text["parts"]))
    else:
        same = kind not in _OURS or list(parts) == [text]
    return same and (_is_foreign(text) or _cost(text) == budget)


def said_neighbors(parts: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the neighbors that these parts are said to be about.

    A local promise compares any two records of one person, so it is about replacing one.

    Examples
    --------
    >>> said_neighbors([LocalDP("1").to_dict(), Hidden("sums", "the server").to_dict()])
    {'replace-one'}
    """
    found: set[str] = set()
    for part in parts:
        if part.get("kind") == _COMPOSITION:
            found |= said_neighbors(part["parts"])
        elif part.get("kind") == LocalDP.kind:
            found.add(_REPLACE_ONE)
        elif part.get("neighbors") in NEIGHBORS:
            found.add(part["neighbors"])
    return found


def _neighbors(parts: Iterable[tuple[Mapping[str, Any], Budget | None]]) -> str | None:
    # A promise of another package that does not say is taken for one about replacing.
    found = {name for part, cost in parts if cost is not None for name in said_neighbors([part]) or {_REPLACE_ONE}}
    if len(found) > 1:
        raise other_neighbors()
    return next(iter(found), None)


def other_neighbors(subjects: str = "") -> InvalidParameter:
    """Return the error that says that amounts under different neighbors do not add up."""
    return InvalidParameter(
        "promises for different neighbors do not add up: one lets a person be replaced, the other be added or removed",
        where=f"subjects {subjects!r}" if subjects else "guarantee",
        remedy="state all promises about these people for the same neighbors; a local promise is about replacing one",
    )


def _is_foreign(text: Mapping[str, Any]) -> bool:
    if text.get("kind") == _COMPOSITION:
        return any(_is_foreign(part) for part in text["parts"])
    return text.get("kind") not in _OURS


def _cost(text: Mapping[str, Any]) -> Budget | None:
    if text["kind"] == _COMPOSITION:
        return total(_cost(part) for part in text["parts"])
    return _OURS[text["kind"]]._from_dict(text).budget


def _text(guarantee: Guarantee) -> Mapping[str, Any]:
    try:
        plain = json.loads(canonical(guarantee.to_dict()).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidParameter(
            "the guarantee cannot be written down", where="guarantee", remedy="let to_dict() return plain text"
        ) from error
    if not isinstance(plain, dict):
        raise _disagrees("its to_dict() returns no dict")
    return plain


def _amount(guarantee: Guarantee) -> Budget | None:
    budget = guarantee.budget
    if budget is None:
        return None
    if not (isinstance(budget, Budget) and all(isinstance(n, Fraction) for n in (budget.epsilon, budget.delta))):
        raise _disagrees("its budget is not exact")
    if budget.epsilon < 0 or budget.delta < 0:
        raise InvalidParameter("a charge is never negative", where="guarantee", remedy="hand in a guarantee as it came")
    return budget


def _disagrees(why: str) -> InvalidParameter:
    return InvalidParameter(
        f"the guarantee contradicts itself: {why}",
        where="guarantee",
        remedy="hand in a guarantee as it came; in one of your own, let budget be the sum of the parts' budgets",
    )

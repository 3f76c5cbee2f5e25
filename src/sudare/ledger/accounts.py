"""Who has paid how much: charges per subjects, ceilings, and splits into disjoint people; exact, and nothing else.

Every person of some subjects pays what was charged to them, to the part of each split that the person belongs to, and
to everybody whom these subjects are a part of. What a person pays of a split that we cannot place the person in is at
most its largest part.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

from sudare.errors import CeilingReached, InvalidParameter
from sudare.guarantees import Budget
from sudare.guarantees.budget import readable
from sudare.ledger.promised import other_neighbors

_LONGEST_NAME = 200
_MOST_DIGITS = 400
_TOO_LONG = 10**_MOST_DIGITS


class Accounts:
    """Spends, ceilings and splits.

    Examples
    --------
    >>> accounts = Accounts()
    >>> accounts.split("patients", ("patients/a", "patients/b"))
    >>> accounts.charge("patients", Budget.of("1"))
    >>> accounts.charge("patients/a", Budget.of("2"))
    >>> accounts.charge("patients/b", Budget.of("0.5"))
    >>> print(accounts.paid("patients"))
    ε = 3, δ = 0
    >>> print(accounts.paid("patients/b"))
    ε = 1.5, δ = 0
    """

    def __init__(self) -> None:
        self.own: dict[str, Budget] = {}
        self.ceilings: dict[str, Budget] = {}
        self.splits: dict[str, list[tuple[str, ...]]] = {}
        self.neighbors: dict[str, str] = {}  # of the amounts of all who share people, by the name before the first "/"

    def subjects(self) -> list[str]:
        """Return every name that a charge, a ceiling or a split has made known."""
        parts = (part for splits in self.splits.values() for split in splits for part in split)
        return sorted({*self.own, *self.ceilings, *self.splits, *parts})

    def paid(self, subjects: str) -> Budget:
        """Return the most that any one of these people has paid."""
        return self._below(subjects) + self._above(subjects)

    def _below(self, subjects: str) -> Budget:
        total = self.own.get(subjects, Budget())
        for parts in self.splits.get(subjects, ()):
            total += self._largest(parts)
        return total

    def _above(self, subjects: str) -> Budget:
        parent, _, _ = subjects.rpartition("/")
        if not parent:
            return Budget()
        total = self._above(parent) + self.own.get(parent, Budget())
        for parts in self.splits.get(parent, ()):
            # In another split of the same people, nobody knows which part these people belong to.
            total += Budget() if subjects in parts else self._largest(parts)
        return total

    def _largest(self, parts: tuple[str, ...]) -> Budget:
        return Budget.largest(self._below(part) for part in parts)

    def charge(self, subjects: str, budget: Budget, neighbors: str | None = None) -> None:
        """Add a charge; `refuse_over` comes first."""
        self.own[subjects] = self.own.get(subjects, Budget()) + budget
        if neighbors is not None:
            self.neighbors.setdefault(_root(subjects), neighbors)

    def split(self, subjects: str, parts: tuple[str, ...]) -> None:
        """Add a split into disjoint people; `has_split` comes first."""
        self.splits.setdefault(subjects, []).append(parts)

    def refuse_unknown(self, subjects: str) -> None:
        """Refuse the name of a part that no split has declared."""
        parent, _, _ = subjects.rpartition("/")
        if parent and not any(subjects in parts for parts in self.splits.get(parent, ())):
            raise InvalidParameter(
                f"no split has declared {subjects!r}",
                where="subjects",
                remedy=f"declare the disjoint parts first: ledger.split({parent!r}, [...])",
            )

    def has_split(self, subjects: str, parts: tuple[str, ...]) -> bool:
        """Return whether this very split is known; refuse one that shares a part with another split."""
        for known in self.splits.get(subjects, ()):
            if set(known) == set(parts):
                return True
            if set(known) & set(parts):
                raise InvalidParameter(
                    f"{subjects!r} has been split into other parts that share a name with these",
                    where="parts",
                    remedy=f"use the split that is there ({', '.join(known)}), or other names for another split",
                )
        return False

    def refuse_other_neighbors(self, subjects: str, neighbors: str | None) -> None:
        """Refuse an amount under other neighbors than those that these people have paid under: they do not add up."""
        if neighbors is not None and self.neighbors.get(_root(subjects), neighbors) != neighbors:
            raise other_neighbors(subjects)

    def refuse_unwritable(self, subjects: str, budget: Budget) -> None:
        """Refuse an amount after which no sum about these people could be written down exactly any more."""
        family = [*self.own.items(), *self.ceilings.items()]
        amounts = [budget, *(amount for name, amount in family if _root(name) == _root(subjects))]
        # Whatever is shown is a sum or a difference of these, so it has this denominator and at most this size.
        for numbers in ([amount.epsilon for amount in amounts], [amount.delta for amount in amounts]):
            denominator = lcm(*(number.denominator for number in numbers))
            if max(denominator, sum(numbers) * denominator) >= _TOO_LONG:
                raise InvalidParameter(
                    f"the sum about these people would have more than {_MOST_DIGITS} digits",
                    where=f"subjects {subjects!r}",
                    remedy='choose amounts of few digits, such as "0.1" or "1/3"',
                )

    def refuse_over(self, subjects: str, budget: Budget) -> None:
        """Refuse a charge that would make anybody pay more than a ceiling allows."""
        after = self._charged(subjects, budget)
        for name, ceiling in self._ceilings_near(subjects):
            paid, would_pay = self.paid(name), after.paid(name)
            if _passes(paid.epsilon, would_pay.epsilon, ceiling.epsilon) or _passes(
                paid.delta, would_pay.delta, ceiling.delta
            ):
                raise _over(name, asked=budget, paid=paid, ceiling=ceiling)

    def left(self, subjects: str) -> Budget | None:
        """Return how much may still be charged to these subjects, or None where no ceiling holds for them."""
        far = sum((*self.ceilings.values(), *self.own.values()), Budget(Fraction(1), Fraction(1)))
        after = self._charged(subjects, far)
        # Beyond the largest sibling every further ε counts in full, so what is left is how much less than `far` fits.
        room = [
            Budget(ceiling.epsilon - would.epsilon + far.epsilon, ceiling.delta - would.delta + far.delta)
            for name, ceiling in self._ceilings_near(subjects)
            if (would := after.paid(name)) != self.paid(name)
        ]
        if not room:
            return None
        nothing = Fraction(0)
        return Budget(
            max(nothing, min(budget.epsilon for budget in room)), max(nothing, min(budget.delta for budget in room))
        )

    def _charged(self, subjects: str, budget: Budget) -> "Accounts":
        after = Accounts()
        after.own, after.ceilings, after.splits = dict(self.own), self.ceilings, self.splits
        after.charge(subjects, budget)
        return after

    def _ceilings_near(self, subjects: str) -> Iterator[tuple[str, Budget]]:
        root = _root(subjects)
        return ((name, ceiling) for name, ceiling in self.ceilings.items() if _root(name) == root)


def _root(subjects: str) -> str:
    return subjects.partition("/")[0]


def _passes(before: Fraction, after: Fraction, ceiling: Fraction) -> bool:
    # A charge that adds nothing here is not what passed a ceiling declared after the spending.
    return after > ceiling and after > before


def _over(name: str, *, asked: Budget, paid: Budget, ceiling: Budget) -> CeilingReached:
    left = Budget(max(Fraction(0), ceiling.epsilon - paid.epsilon), max(Fraction(0), ceiling.delta - paid.delta))
    return CeilingReached(
        f"the charge would pass the ceiling of {name!r}: asked {asked}; spent {paid}; left {left}; ceiling {ceiling}",
        where=f"subjects {name!r}",
        remedy=f"charge at most ε = {readable(left.epsilon)}, or stop here: nothing was drawn and nothing was charged",
    )


def subjects_name(name: Any, *, where: str = "subjects", part: bool = False) -> str:
    """Return the name of some people, or refuse one that would be mistaken for another.

    Examples
    --------
    >>> subjects_name("patients")
    'patients'
    """
    good = (
        isinstance(name, str)
        and 0 < len(name) <= _LONGEST_NAME
        and name == unicodedata.normalize("NFC", name).strip()
        and name.isprintable()
        and all(name.split("/"))
        and not (part and "/" in name)
    )
    if not good:
        raise InvalidParameter(
            "subjects have a name of 1 to 200 printable characters, without spaces around it",
            where=where,
            remedy='write, for example, "patients"; a "/" stands only between subjects and a part of a split',
        )
    return str(name)


def read_ceilings(ceilings: Mapping[str, Any] | None) -> dict[str, Budget]:
    """Read ceilings as exact budgets: a pair (ε, δ) or a Budget for each subjects.

    Examples
    --------
    >>> print(read_ceilings({"patients": ("3", 0)})["patients"])
    ε = 3, δ = 0
    """
    if ceilings is not None and not isinstance(ceilings, Mapping):
        raise _not_ceilings()
    return {subjects_name(name, where="ceilings"): _ceiling(value) for name, value in (ceilings or {}).items()}


def _ceiling(value: Any) -> Budget:
    if isinstance(value, Budget):
        return Budget.of(value.epsilon, value.delta)
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return Budget.of(*value)
    raise _not_ceilings()


def _not_ceilings() -> InvalidParameter:
    return InvalidParameter(
        "ceilings map subjects to a pair (ε, δ)", where="ceilings", remedy='write ceilings={"patients": ("3", 0)}'
    )


def part_names(subjects: str, parts: int | Iterable[str]) -> tuple[str, ...]:
    """Return the names of the parts of a split, numbered from 1 where only their number is given.

    Examples
    --------
    >>> part_names("patients", 2)
    ('patients/1', 'patients/2')
    """
    if isinstance(parts, int) and not isinstance(parts, bool):
        names = [str(number) for number in range(1, parts + 1)]
    elif isinstance(parts, Iterable) and not isinstance(parts, (str, bytes)):
        names = [subjects_name(name, where="parts", part=True) for name in parts]
    else:
        names = []
    if len(names) < 2 or len(set(names)) < len(names):
        raise InvalidParameter(
            "a split needs at least two parts with different names",
            where="parts",
            remedy='write how many parts there are, or their names: ledger.split("patients", ["east", "west"])',
        )
    return tuple(subjects_name(f"{subjects}/{name}", where="parts") for name in names)

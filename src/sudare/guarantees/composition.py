"""Promises about the same people add up, and the sum remembers what it was made of."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sudare.errors import InvalidParameter
from sudare.guarantees.budget import Budget, readable
from sudare.guarantees.promises import (
    ApproximateDP,
    Guarantee,
    LocalDP,
    certainty_after,
    from_dict,
    times_as_likely,
)
from sudare.texts import say


@dataclass(frozen=True)
class Composition(Guarantee):
    """Several promises about the same people, kept together: basic composition, exact.

    Promises without an ε are recorded in it and never summed.

    Examples
    --------
    >>> compose([LocalDP("1/3")] * 3).epsilon
    Fraction(1, 1)
    """

    kind = "composition"
    leaves: tuple[Guarantee, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "leaves", tuple(_promise(part) for part in self.leaves))

    @property
    def parts(self) -> tuple[Guarantee, ...]:
        """The simple promises, in order."""
        return self.leaves

    @property
    def budget(self) -> Budget | None:
        """The exact sum, or None where no part has an ε."""
        budgets = [part.budget for part in self.leaves if part.budget is not None]
        return sum(budgets, Budget()) if budgets else None

    @property
    def epsilon(self) -> Fraction:
        """The sum of all ε."""
        return (self.budget or Budget()).epsilon

    @property
    def delta(self) -> Fraction:
        """The sum of all δ."""
        return (self.budget or Budget()).delta

    def shuffled(self, rows: int, delta: Any, bound: str | None = None) -> ApproximateDP:
        """Return what an honest shuffle of whole records over `rows` people gains; see `LocalDP.shuffled`.

        Examples
        --------
        >>> record = compose([LocalDP("1/6", outputs=2)] * 6)
        >>> float(record.shuffled(rows=10_000, delta="1e-10").epsilon) < 0.03
        True
        """
        from sudare.guarantees.shuffling import shuffled

        local = tuple(part for part in self.leaves if isinstance(part, LocalDP))
        if len(local) != len(self.leaves):
            raise InvalidParameter(
                "only local promises gain from shuffling",
                where="shuffled",
                remedy="compose the LocalDP promises of one record's reports and shuffle these",
            )
        return shuffled(local, rows=rows, delta=delta, bound=bound)

    def sentence(self, language: str = "en") -> str:
        """Say what all parts come to together, then what they are."""
        if len(self.leaves) == 1:
            return self.leaves[0].sentence(language)
        if all(isinstance(part, LocalDP) for part in self.leaves):
            return self._local_sentence(language)
        budget = self.budget
        lines = []
        if budget is not None:
            total = {"epsilon": readable(budget.epsilon), "delta": readable(budget.delta)}
            key = "promise.total_with_delta" if budget.delta else "promise.total"
            lines.append(say(key, language, parts=len(self.leaves), **total))
        said = Counter(part.sentence(language) for part in self.leaves)
        lines += [say("promise.part", language, count=count, sentence=sentence) for sentence, count in said.items()]
        return say("sentence_separator", language).join(lines)

    def _local_sentence(self, language: str) -> str:
        shares = Counter(readable(part.budget.epsilon) for part in self.leaves if part.budget is not None)
        made = (say("promise.share", language, count=count, epsilon=epsilon) for epsilon, count in shares.items())
        return say(
            "promise.local_together",
            language,
            epsilon=readable(self.epsilon),
            times=times_as_likely(self.epsilon),
            certainty=certainty_after(self.epsilon),
            shares=say("list_separator", language).join(made),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as plain text and numbers, with their sum for a reader."""
        budget = self.budget or Budget()
        parts = [part.to_dict() for part in self.leaves]
        return {"kind": self.kind, "epsilon": str(budget.epsilon), "delta": str(budget.delta), "parts": parts}

    @classmethod
    def _from_dict(cls, facts: Mapping[str, Any]) -> "Composition":
        return cls(tuple(from_dict(part) for part in facts["parts"]))


def neighbors_of(promise: Guarantee) -> str | None:
    """Return the neighbors that a simple promise is about; None where it has no ε.

    A local promise compares any two records of one person, so it is about replacing one.

    Examples
    --------
    >>> neighbors_of(LocalDP("1"))
    'replace-one'
    """
    if isinstance(promise, ApproximateDP):
        return promise.neighbors
    return None if promise.budget is None else "replace-one"


def _promise(value: Any) -> Guarantee:
    if not isinstance(value, Guarantee):
        raise InvalidParameter(
            "only promises are composed",
            where="compose",
            remedy="hand in guarantees: compose([mechanism.guarantee, …])",
        )
    return value


def compose(guarantees: Guarantee | Iterable[Guarantee]) -> Composition:
    """Put promises about the same people together.

    Examples
    --------
    >>> total = compose([LocalDP("1"), compose([LocalDP("0.5", outputs=2)] * 2)])
    >>> total.epsilon, len(total.parts)
    (Fraction(2, 1), 3)
    """
    if isinstance(guarantees, Guarantee):
        guarantees = [guarantees]
    if not isinstance(guarantees, Iterable):
        raise InvalidParameter(
            "only promises are composed",
            where="compose",
            remedy="hand in guarantees: compose([mechanism.guarantee, …])",
        )
    leaves = tuple(part for guarantee in guarantees for part in _promise(guarantee).parts)
    if not leaves:
        raise InvalidParameter("there is nothing to compose", where="compose", remedy="hand in at least one promise")
    if len({neighbors_of(part) for part in leaves} - {None}) > 1:
        raise InvalidParameter(
            "promises under different neighbors do not add up",
            where="compose",
            remedy="state all for replace-one neighbors, as local promises are, or all for add-remove neighbors",
        )
    return Composition(leaves)

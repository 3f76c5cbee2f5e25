"""The laws of a promise: it says itself in both languages, survives storage, and adds up exactly."""

import json
from collections.abc import Callable
from fractions import Fraction

from sudare.errors import LawBroken
from sudare.guarantees import Budget, Guarantee, LocalDP, compose, from_dict
from sudare.texts import LANGUAGES, translated


def check_guarantee(guarantee: Guarantee) -> None:
    """Run every law; the first that does not hold is raised as `LawBroken`, with the law's name.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> check_guarantee(LocalDP("0.5"))
    """
    for law in GUARANTEE_LAWS:
        law(guarantee)


def storage_keeps_it(guarantee: Guarantee) -> None:
    """What `to_dict` writes, `from_dict` reads, through JSON as well."""
    if from_dict(json.loads(json.dumps(guarantee.to_dict()))) != guarantee:
        raise LawBroken("storage keeps it", "the promise read back is another one")


def it_says_itself(guarantee: Guarantee) -> None:
    """There is a sentence in each language, and every assumption is in it."""
    for language in LANGUAGES:
        sentence = guarantee.sentence(language)
        if not sentence.strip() or "{" in sentence:
            raise LawBroken("it says itself", "the sentence is empty or unfinished", where=language)
        for part in guarantee.parts:
            for assumption in getattr(part, "assuming", ()):
                if translated(assumption, language) not in sentence:
                    raise LawBroken("it says itself", "an assumption is missing from the sentence", where=language)


def it_adds_up_exactly(guarantee: Guarantee) -> None:
    """Twice the promise costs twice, to the last digit, and remembers all parts; no ε stays no ε."""
    twice = compose([guarantee, guarantee])
    if twice.parts != guarantee.parts * 2:
        raise LawBroken("it adds up exactly", "a composition forgot its parts")
    budget = guarantee.budget
    if budget is None:
        if twice.budget is not None:
            raise LawBroken("it adds up exactly", "a promise without ε was summed")
    elif twice.budget != Budget(2 * budget.epsilon, 2 * budget.delta):
        raise LawBroken("it adds up exactly", "twice the promise does not cost twice")


def shuffling_never_hurts(guarantee: Guarantee) -> None:
    """A shuffle never promises less than the local ε, and more people never make it worse."""
    if not all(isinstance(part, LocalDP) for part in guarantee.parts):
        return
    together = compose([guarantee])
    before = together.epsilon
    for rows in (1, 100, 10_000):
        shuffled = together.shuffled(rows=rows, delta="1e-6")
        if shuffled.epsilon > before:
            raise LawBroken("shuffling never hurts", f"ε grew at {rows} rows")
        if not shuffled.assuming:
            raise LawBroken("shuffling never hurts", "the assumption of an honest shuffle is not named")
        before = shuffled.epsilon


def reading_changes_nothing(guarantee: Guarantee) -> None:
    """Texts, sums and storage leave the promise as it was; equal promises hash alike."""
    before = (hash(guarantee), repr(guarantee))
    str(guarantee), guarantee.to_dict(), guarantee.budget, guarantee.parts, guarantee._repr_html_()
    if before != (hash(guarantee), repr(guarantee)):
        raise LawBroken("reading changes nothing", "reading changed the promise")


def its_budget_is_exact(guarantee: Guarantee) -> None:
    """ε and δ are rationals: never negative, δ below 1."""
    budget = guarantee.budget
    if budget is None:
        return
    if not all(isinstance(number, Fraction) for number in (budget.epsilon, budget.delta)):
        raise LawBroken("its budget is exact", "ε or δ is no exact fraction")
    if budget.epsilon < 0 or not 0 <= budget.delta < 1:
        raise LawBroken("its budget is exact", "ε is negative, or δ is no probability")


GUARANTEE_LAWS: tuple[Callable[[Guarantee], None], ...] = (
    storage_keeps_it,
    it_says_itself,
    its_budget_is_exact,
    it_adds_up_exactly,
    shuffling_never_hurts,
    reading_changes_nothing,
)

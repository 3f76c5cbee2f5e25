"""What an honest shuffle gains: records are randomized by their owners, mixed, and the order is forgotten.

Three bounds, each a theorem, each valid wherever it is returned; where none of them helps, the local promise stands.

Examples
--------
>>> from sudare.guarantees.shuffling import BOUNDS
>>> BOUNDS
('closed-form', 'stronger-clone', 'blanket')
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sudare.errors import BoundNotValid, InvalidParameter
from sudare.guarantees.budget import probability
from sudare.guarantees.exact import exact_whole
from sudare.guarantees.shuffling.blanket import blanket_epsilon
from sudare.guarantees.shuffling.closed_form import closed_form_holds, closed_form_of_record
from sudare.guarantees.shuffling.stronger_clone import stronger_clone_epsilon

if TYPE_CHECKING:
    from sudare.guarantees.promises import ApproximateDP, LocalDP

__all__ = ["BOUNDS", "shuffled"]

BOUNDS = ("closed-form", "stronger-clone", "blanket")

_DECIMALS = 10**12
_MOST_ROWS = 10**15
_LEAST_EPSILON = Fraction(1, 10**15)
_LEAST_DELTA = Fraction(1, 10**300)


def shuffled(parts: "tuple[LocalDP, ...]", rows: int, delta: Any, bound: str | None = None) -> "ApproximateDP":
    """Return what everybody's record gains when `rows` records are shuffled as wholes and their order is forgotten.

    The promise is (ε, δ) for replacing one record, towards whoever sees the shuffled reports only. ε is the smallest
    that the bound proves, rounded up, and never above the sum of the parts: where no bound gets below it, ε is that
    sum and `.bound` is None (δ is then not needed but stays the one asked for, so that charges keep one shape).

    Parameters
    ----------
    parts
        The local promises of one record's reports, drawn independently of each other given the record, by the same
        mechanisms for every record.
    rows
        How many records are shuffled together.
    delta
        The probability with which the promise may fail, above 0 and below 1.
    bound
        "closed-form", "stronger-clone" or "blanket" uses that bound alone, and refuses where it is not valid; None
        takes the smallest of all valid ones.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP, compose
    >>> record = compose([LocalDP("1/6", outputs=2)] * 6)
    >>> promise = record.shuffled(rows=10_000, delta="1e-10")
    >>> promise.bound, f"{float(promise.epsilon):.3f}", promise.otherwise.epsilon
    ('blanket', '0.027', Fraction(1, 1))
    """
    from sudare.guarantees.promises import ApproximateDP, LocalDP

    rows = min(exact_whole(rows, name="rows"), _MOST_ROWS)  # fewer others hide less, so this proves no more than holds
    delta = _positive(probability(delta, name="delta"))
    epsilons = [part.epsilon for part in parts]
    names = _valid(parts, rows, delta) if bound is None else (_asked(bound, parts, rows, delta),)
    local = sum(epsilons, Fraction(0))
    epsilon, used = local, None
    for name in names if local > _LEAST_EPSILON else ():  # below, floats lose what could still be gained
        proved = _rounded_up(_epsilon(name, epsilons, rows, delta))
        if proved < epsilon:
            epsilon, used = proved, name
    return ApproximateDP(
        epsilon,
        delta,
        "replace-one",
        assuming=("rows shuffled, order forgotten",),
        otherwise=LocalDP(local),
        bound=used,
    )


def _positive(delta: Fraction) -> Fraction:
    if delta < _LEAST_DELTA:
        raise InvalidParameter(
            "shuffling gains nothing at a delta of 0, or so near to it",
            where="delta",
            remedy='choose a small positive delta, such as "1e-10", or use the local promise as it is',
        )
    return delta


def _asked(bound: str, parts: "tuple[LocalDP, ...]", rows: int, delta: Fraction) -> str:
    """Return the bound that was asked for by name, or say why it cannot be used."""
    if bound not in BOUNDS:
        raise InvalidParameter(
            "the bound is not known", where="bound", remedy=f"choose one of {', '.join(BOUNDS)}, or None for the best"
        )
    if bound not in _valid(parts, rows, delta):
        conditions = {
            "closed-form": "the closed form holds only for a local epsilon up to ln(rows / (16 ln(2 / delta)))",
            "blanket": "the blanket bound holds only for records of binary reports",
        }
        remedies = {
            "closed-form": "shuffle more rows, lower the local epsilon, or leave bound=None",
            "blanket": "use reports that declare outputs=2, such as TwoPoint's, or leave bound=None",
        }
        raise BoundNotValid(conditions[bound], where=f"bound={bound!r}", remedy=remedies[bound])
    return bound


def _valid(parts: "tuple[LocalDP, ...]", rows: int, delta: Fraction) -> tuple[str, ...]:
    """Name the bounds whose conditions hold."""
    names = ["stronger-clone"]
    if closed_form_holds(sum((part.epsilon for part in parts), Fraction(0)), rows, delta):
        names.append("closed-form")
    if all(part.outputs == 2 for part in parts):
        names.append("blanket")
    return tuple(names)


def _epsilon(name: str, epsilons: list[Fraction], rows: int, delta: Fraction) -> float:
    if name == "blanket":
        return blanket_epsilon(epsilons, rows, delta)
    if name == "closed-form":
        return closed_form_of_record(epsilons, rows, delta)
    return stronger_clone_epsilon(sum(epsilons, Fraction(0)), rows, delta)


def _rounded_up(epsilon: float) -> Fraction:
    return Fraction(math.ceil(Fraction(epsilon) * _DECIMALS), _DECIMALS)

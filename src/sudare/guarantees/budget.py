"""The currency of ceilings: exact ε and δ, added over the same people, the larger one over disjoint people."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from sudare.errors import InvalidParameter
from sudare.guarantees.exact import exact


@dataclass(frozen=True)
class Budget:
    """An exact (ε, δ).

    Examples
    --------
    >>> print(Budget.of("1", 0) + Budget.of("1/3", "1e-10"))
    ε = 4/3 (1.333), δ = 1e-10
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilon: Any, delta: Any = 0) -> "Budget":
        """Read both numbers exactly; neither may be negative, δ is below 1."""
        return cls(not_negative(epsilon, name="epsilon"), probability(delta, name="delta"))

    def __add__(self, other: "Budget") -> "Budget":
        """Sequential composition: the same people pay twice."""
        return Budget(self.epsilon + other.epsilon, self.delta + other.delta)

    @staticmethod
    def largest(budgets: Iterable["Budget"]) -> "Budget":
        """Parallel composition: each person belongs to one part only, so the largest part is what anyone pays."""
        budgets = list(budgets)
        return Budget(
            max((budget.epsilon for budget in budgets), default=Fraction(0)),
            max((budget.delta for budget in budgets), default=Fraction(0)),
        )

    def within(self, ceiling: "Budget") -> bool:
        """Return whether neither number passes the ceiling's."""
        return self.epsilon <= ceiling.epsilon and self.delta <= ceiling.delta

    def __str__(self) -> str:
        return f"ε = {readable(self.epsilon)}, δ = {readable(self.delta)}"


def not_negative(value: Any, *, name: str) -> Fraction:
    """Read an exact number that may not be negative."""
    number = exact(value, name=name)
    if number < 0:
        raise _refused(name, "0 or more")
    return number


def probability(value: Any, *, name: str) -> Fraction:
    """Read an exact number from 0 up to, but not including, 1."""
    number = exact(value, name=name)
    if not 0 <= number < 1:
        raise _refused(name, "0 up to, but not including, 1")
    return number


def _refused(name: str, allowed: str) -> InvalidParameter:
    return InvalidParameter(
        f"{name} is outside its range (allowed: {allowed})", where=name, remedy=f"choose {name} in that range"
    )


def readable(number: Fraction) -> str:
    """Return a short decimal where it is exact, else the fraction with four digits beside it.

    Examples
    --------
    >>> readable(Fraction(1, 8)), readable(Fraction(1, 3)), readable(Fraction(1, 10**10))
    ('0.125', '1/3 (0.3333)', '1e-10')
    """
    # In decimal arithmetic, because floats end at 1e308 and at 1e-324.
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    short = _rounded(decimal, 12)
    if Fraction(short) == number:
        return short
    fraction = f"{number.numerator}/{number.denominator}"
    return f"{fraction} ({_rounded(decimal, 4)})" if len(fraction) <= 12 else _rounded(decimal, 6)


def _rounded(number: Decimal, digits: int) -> str:
    rounded = Context(prec=digits).plus(number).normalize()
    exponent = rounded.adjusted()
    return f"{rounded:f}" if -5 <= exponent < digits else f"{rounded:e}".replace("e+", "e")

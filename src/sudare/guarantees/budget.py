"""The currency of ceilings: exact ε and δ, added over the same people, the larger one over disjoint people."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
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
    ε = 4/3 (1.334), δ = 1e-10
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilon: Any, delta: Any = 0) -> "Budget":
        """Read both numbers exactly; neither may be negative, δ is below 1.

        Examples
        --------
        >>> Budget.of("0.1").epsilon
        Fraction(1, 10)
        """
        return cls(not_negative(epsilon, name="epsilon"), probability(delta, name="delta"))

    def __add__(self, other: "Budget") -> "Budget":
        """Sequential composition: the same people pay twice."""
        return Budget(self.epsilon + other.epsilon, self.delta + other.delta)

    @staticmethod
    def largest(budgets: Iterable["Budget"]) -> "Budget":
        """Parallel composition: each person belongs to one part only, so the largest part is what anyone pays.

        Examples
        --------
        >>> print(Budget.largest([Budget.of("1"), Budget.of("2", "1e-6")]))
        ε = 2, δ = 1e-6
        """
        budgets = list(budgets)
        return Budget(
            max((budget.epsilon for budget in budgets), default=Fraction(0)),
            max((budget.delta for budget in budgets), default=Fraction(0)),
        )

    def within(self, ceiling: "Budget") -> bool:
        """Return whether neither number passes the ceiling's.

        Examples
        --------
        >>> Budget.of("1").within(Budget.of("1")), Budget.of("1", "1e-9").within(Budget.of("1"))
        (True, False)
        """
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
    """Return a short decimal where it is exact, else one that is rounded up, beside the fraction where that is short.

    Examples
    --------
    >>> readable(Fraction(1, 8)), readable(Fraction(1, 3)), readable(Fraction(1, 10**10))
    ('0.125', '1/3 (0.3334)', '1e-10')
    """
    # In decimal arithmetic, because floats end at 1e308 and at 1e-324.
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    short = _rounded(decimal, 12)
    if Fraction(short) == number:
        return short
    if max(number.numerator, number.denominator) < 10**6:
        return f"{number.numerator}/{number.denominator} ({rounded_up(decimal, 4)})"
    return rounded_up(decimal, 6)


def rounded_up(number: Decimal, digits: int) -> str:
    """Return a number with so many digits, never a smaller one: what is promised is at most what is said.

    Examples
    --------
    >>> rounded_up(Decimal("2.7182818"), 3)
    '2.72'
    """
    return _rounded(number, digits, ROUND_CEILING)


def _rounded(number: Decimal, digits: int, rounding: str = ROUND_HALF_EVEN) -> str:
    rounded = Context(prec=digits, rounding=rounding).normalize(number)
    exponent = rounded.adjusted()
    return f"{rounded:f}" if -5 <= exponent < digits else f"{rounded:e}".replace("e+", "e")

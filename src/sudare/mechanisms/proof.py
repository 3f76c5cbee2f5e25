"""A table of integer weights proves its ε: the worst ratio within a column, as a rational, against e^ε from below."""

from collections.abc import Sequence
from fractions import Fraction

from sudare.guarantees.exact import exp_lower_bound, log_upper_bound


def worst_ratio(table: Sequence[Sequence[int]]) -> Fraction:
    """Return the largest ratio of two weights of one column.

    Raises ZeroDivisionError where some report is impossible under some input: then no ε is promised at all.

    Examples
    --------
    >>> worst_ratio([[3, 1], [1, 3]])
    Fraction(3, 1)
    """
    # A report that no input can produce has no ratio; the sampler never maps a word to it.
    return max(Fraction(max(column), min(column)) for column in zip(*table, strict=True) if any(column))


def proved_epsilon(table: Sequence[Sequence[int]], epsilon: Fraction) -> Fraction:
    """Return a rational ε that the table provably keeps; at most `epsilon` wherever the table keeps that.

    Examples
    --------
    >>> float(proved_epsilon([[3, 1], [1, 3]], Fraction(11, 10)))  # ln 3 = 1.0986
    1.0986122886681...
    """
    return epsilon_of(worst_ratio(table), epsilon)


def epsilon_of(ratio: Fraction, epsilon: Fraction) -> Fraction:
    """Return a rational ε that a worst ratio provably keeps; at most `epsilon` wherever the ratio keeps that.

    Examples
    --------
    >>> round(float(epsilon_of(Fraction(5, 2), Fraction(1))), 4)
    0.9163
    """
    bound = log_upper_bound(ratio)
    return min(bound, epsilon) if ratio <= exp_lower_bound(epsilon) else bound

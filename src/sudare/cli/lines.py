"""Lines for a terminal: columns that line up in both languages."""

import unicodedata
from collections.abc import Sequence


def width(text: str) -> int:
    """Return how many cells of a terminal a text takes.

    Examples
    --------
    >>> width("age"), width("年齢")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one line a row: the first column from the left, the others from the right.

    Examples
    --------
    >>> aligned([["column", "mean"], ["age", "47.3"]])
    ['column  mean', 'age     47.3']
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(_cells(row, widths)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    padding = [" " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)]
    first, *others = zip(row, padding, strict=True)
    return [first[0] + first[1], *(blank + cell for cell, blank in others)]

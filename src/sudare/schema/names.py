"""Names and texts that a schema may declare, and the nearest one where a name is not known."""

import difflib
from collections.abc import Iterable
from typing import Any

from sudare.errors import InvalidParameter


def checked_text(value: Any, *, what: str) -> str:
    """Return a declared name or category as plain text; empty text stands for a missing value and is no name."""
    if isinstance(value, str) and value and _storable(value):
        return str(value)
    remedy = "identifiers and categories are strings, never numbers or truth values: write them as text, such as '12'"
    if isinstance(value, str):
        remedy = "write at least one character, all of it valid Unicode and no null character; empty means missing"
    raise InvalidParameter(f"{what} is not a text that can be declared", where=what, remedy=remedy)


def _storable(text: str) -> bool:
    # No file takes half a character, and Polars and fixed-width arrays fail at a null one.
    return not any("\ud800" <= character <= "\udfff" or character == "\0" for character in text)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name that was probably meant, or nothing.

    Examples
    --------
    >>> nearest("Age ", ["age", "smoker"])
    "did you mean 'age'? "
    """
    by_fold = {_folded(other): other for other in known}
    close = difflib.get_close_matches(_folded(name), list(by_fold), n=1, cutoff=0.7)
    return f"did you mean {by_fold[close[0]]!r}? " if close else ""


def _folded(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())

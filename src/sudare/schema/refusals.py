"""How a column is refused: its place is named, what is allowed, what to do next; never a cell."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from sudare.errors import ColumnMismatch, SudareError

Given = ParamSpec("Given")
Result = TypeVar("Result")


@contextmanager
def nothing_quoted() -> Iterator[None]:
    """Cut off the library's error behind ours: its message may quote a cell, and `from None` only hides it."""
    try:
        yield
    except SudareError as error:
        error.__cause__ = error.__context__ = None
        raise


def attempted(call: Callable[Given, Result], *given: Given.args, **named: Given.kwargs) -> Result | None:
    """Return what a library makes of private values, or None where it fails; its own error would quote them."""
    try:
        return call(*given, **named)
    except (MemoryError, SudareError):
        raise
    except Exception:  # noqa: BLE001 (Arrow, pandas and Polars each have a tree of errors of their own)
        return None


def wrong_kind(name: str, found: str, remedy: str) -> ColumnMismatch:
    """Return the refusal of a column of another kind than declared."""
    return ColumnMismatch(f"the column holds {found}", where=f"column {name!r}", remedy=remedy)


def kind_in_words(kind: Any) -> str:
    """Return what an Arrow type holds, for a message."""
    import pyarrow as pa

    is_a = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return "an Arrow extension type"
    if is_a.is_nested(kind):
        return "nested values"
    if is_a.is_boolean(kind):
        return "true/false values"
    if is_number(kind):
        return "numbers"
    if is_a.is_temporal(kind):
        return "dates or times"
    return "text" if is_text(kind) else "binary or mixed values"


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type holds text, in any of its three layouts."""
    import pyarrow.types as is_a

    return bool(is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_string_view(kind))


def is_number(kind: Any) -> bool:
    """Return whether an Arrow type holds whole, floating or decimal numbers; true and false are none."""
    import pyarrow.types as is_a

    return bool(is_a.is_integer(kind) or is_a.is_floating(kind) or is_a.is_decimal(kind))

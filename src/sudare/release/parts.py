"""Which parts of a value are reports that its receipt bears out, which are estimates, and which only stand there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.estimate import Estimate
from sudare.mechanisms import OptimizedUnaryEncoding, rebuilt
from sudare.release.record import Draw
from sudare.release.tables import arrow_table, is_table

Tie = Literal["reports", "estimate", "text", "loose"]
_REMEDY = "hand in what randomize returned, or an estimate made of it"


@dataclass(frozen=True)
class Part:
    """One number, text, estimate, array or column: where it stands, and what ties it to the promise.

    `fault` says why a part with the name of a drawn column cannot be that column's reports.
    """

    place: str
    tie: Tie
    draw: Draw | None = None
    fault: str | None = None


def parts_of(value: Any, draws: Sequence[Draw]) -> list[Part]:
    """Return the parts of a value; a table counts by its columns.

    Examples
    --------
    >>> [part.tie for part in parts_of({"mean": 0.5, "method": "local"}, [])]
    ['loose', 'text']
    """
    known = {draw.column: draw for draw in draws}
    return [part for name, place, one in _leaves(value, None, "value") for part in _told(name, place, one, known)]


def refuse_raw(value: Any, draws: Sequence[Draw]) -> None:
    """Refuse columns under the name of a drawn column that its mechanism cannot have made, and columns beside them."""
    for part in parts_of(value, draws):
        if part.fault is not None:
            raise InvalidParameter(part.fault, where=part.place, remedy=_REMEDY)


def holds_arrays(value: Any) -> bool:
    """Return whether there is anything that could be reports.

    Examples
    --------
    >>> holds_arrays({"mean": 0.5}), holds_arrays({"reports": np.zeros(3)})
    (False, True)
    """
    return any(isinstance(one, np.ndarray) or is_table(one) for _, _, one in _leaves(value, None, "value"))


def fault_of(array: NDArray[Any], draw: Draw) -> str | None:
    """Return why these cannot be reports of this column, in words that hold none of the values."""
    mechanism = rebuilt(dict(draw.mechanism))
    name, outputs = type(mechanism).__name__, mechanism.outputs
    bits = (mechanism.categories,) if isinstance(mechanism, OptimizedUnaryEncoding) else ()
    if array.shape[1:] != bits:
        return f"an array of this shape is nothing that {name} makes"
    wide = _compared_as(array.dtype, outputs.dtype)
    if wide is None:
        return f"values of type {array.dtype} are nothing that {name} makes"
    if _any_strange(array.ravel().astype(wide), outputs.astype(wide)):
        return f"it holds a value that {name} cannot have made"
    if len(array) > draw.rows:
        return f"{len(array)} rows, and {draw.rows} were drawn"
    return None


def _compared_as(given: np.dtype[Any], made: np.dtype[Any]) -> type[Any] | None:
    """Return the type in which reports and outputs are compared: one in which no output wraps or meets another."""
    if made.kind != "f":
        return np.int64 if given.kind in "iu" else None
    if given.kind != "f" or given.itemsize not in (4, 8):
        return None
    return np.float32 if given.itemsize == 4 else np.float64


def _any_strange(array: NDArray[Any], outputs: NDArray[Any]) -> bool:
    place = np.clip(np.searchsorted(outputs, array), 0, len(outputs) - 1)
    return bool((outputs[place] != array).any())


def _leaves(value: Any, name: str | None, place: str) -> Iterator[tuple[str | None, str, Any]]:
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, str(key), f"{place}, {key!r}")
    elif isinstance(value, (list, tuple)) and not all(map(_is_plain, value)):
        for one in value:
            yield from _leaves(one, name, place)
    elif isinstance(value, (list, tuple)):
        yield name, place, np.asarray(value)
    else:
        yield name, place, value


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float, str, np.generic))


def _told(name: str | None, place: str, value: Any, known: Mapping[str, Draw]) -> Iterator[Part]:
    if isinstance(value, Estimate):
        yield Part(place, "estimate")
    elif value is None or isinstance(value, str):
        yield Part(place, "text")
    elif is_table(value):
        yield from _columns(value, place, known)
    elif not isinstance(value, np.ndarray) or value.ndim == 0:
        yield Part(place, "loose")
    elif name is None and _stands_for(value, known):
        (column,) = known
        yield _array(column, f"{place}, column {column!r}", value, known)
    else:
        yield _array(name, place, value, known)


def _stands_for(array: NDArray[Any], known: Mapping[str, Draw]) -> bool:
    """Return whether an array without a name must be the one column that was drawn: it has as many rows."""
    return len(known) == 1 and all(draw.rows == len(array) for draw in known.values())


def _array(name: str | None, place: str, array: NDArray[Any], known: Mapping[str, Draw]) -> Part:
    draw = known.get(name) if name is not None else None
    if draw is None:
        return Part(place, "loose")
    fault = fault_of(np.asarray(array), draw)
    if fault is not None:
        return Part(place, "loose", draw, f"{fault}: these are no reports")
    return Part(place, "reports" if len(array) == draw.rows else "loose", draw)


def _columns(value: Any, place: str, known: Mapping[str, Draw]) -> Iterator[Part]:
    table = arrow_table(value)
    for name, column in zip(table.column_names, table.columns, strict=True):
        yield _array(name, f"{place}, column {name!r}", column.to_numpy(), known)
    foreign = [name for name in table.column_names if name not in known]
    if foreign and len(foreign) < len(table.column_names):
        shown = ", ".join(map(repr, foreign[:5])) + (" …" if len(foreign) > 5 else "")
        fault = "nothing was drawn for columns that stand beside reports: these are no reports"
        yield Part(f"{place}, column {shown}", "loose", None, fault)

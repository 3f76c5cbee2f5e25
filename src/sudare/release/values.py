"""What a release may hold, as files that can never run code: JSON, plain arrays, Parquet.

Estimates, numbers and texts go to `value.json` as they are; arrays to `value.npz`, and a table to `value.parquet`, with
a note in `value.json` that says where they stood and of what kind they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.estimate import Estimate
from sudare.randomness import NotPrivate, is_private
from sudare.release.arrays import ARRAYS, KINDS, array_of, npz
from sudare.release.decoding import LARGEST_DECODED_BYTES, Room
from sudare.release.folder import damaged, json_bytes, read_json
from sudare.release.tables import TABLE, is_table, library, parquet, table_of

TREE = "value.json"
_DEEPEST = 8
_LARGEST_WHOLE_NUMBER = 10**300
_KIND = "is"  # the key by which a node of the tree says what it is


def is_all_private(value: Any) -> bool:
    """Return whether nothing in the value came from a repeatable source.

    Examples
    --------
    >>> is_all_private({"age": np.zeros(2).view(NotPrivate)})
    False
    """
    if isinstance(value, Estimate):
        return value.private
    if isinstance(value, Mapping):
        return all(is_all_private(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return all(is_all_private(one) for one in value)
    return is_private(value)


def to_files(value: Any) -> dict[str, bytes]:
    """Return the files that hold this value; the same value gives the same bytes.

    Examples
    --------
    >>> sorted(to_files({"mean": 1.5, "reports": np.zeros(3)}))
    ['value.json', 'value.npz']
    """
    writer = _Writer()
    tree = writer.node(value, "value", 0)
    files = {TREE: json_bytes({"value": tree})}
    if writer.arrays:
        files[ARRAYS] = npz(writer.arrays)
    if writer.table is not None:
        files[TABLE] = parquet(writer.table)
    return files


def from_files(files: Mapping[str, bytes]) -> Any:
    """Return the value that `to_files` wrote; a damaged file is refused by name."""
    facts = read_json(files[TREE], TREE)
    try:
        value = _Reader(files).node(facts["value"], 0)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise damaged(TREE, "the file does not describe a value") from None
    return value


@dataclass
class _Writer:
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    table: Any = None

    def node(self, value: Any, place: str, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _refused(place, f"nested deeper than {_DEEPEST} levels", "flatten it")
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, float)):
            return self._number(value, place)
        if isinstance(value, Estimate):
            return {_KIND: "estimate", **self._estimate(value, place)}
        if isinstance(value, Mapping):
            return {_KIND: "mapping", "items": self._items(value, place, depth)}
        if isinstance(value, (list, tuple)):
            return [self.node(one, f"{place}[{at}]", depth + 1) for at, one in enumerate(value)]
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        return self._table(value, place, depth)

    def _items(self, value: Mapping[Any, Any], place: str, depth: int) -> dict[str, Any]:
        if not all(isinstance(name, str) for name in value):
            raise _refused(place, "a name that is no text", "name every entry by a text")
        return {name: self.node(one, f"{place}/{name}", depth + 1) for name, one in value.items()}

    def _number(self, value: float, place: str) -> float:
        fits = abs(value) < _LARGEST_WHOLE_NUMBER if isinstance(value, int) else np.isfinite(value)
        if not fits:
            raise _refused(place, "a number that is not finite", "leave it out, or write None")
        return value

    def _estimate(self, value: Estimate, place: str) -> dict[str, Any]:
        numbers = (value.value, value.low, value.high, value.confidence)
        if not all(np.isfinite(np.asarray(number)).all() for number in numbers):
            raise _refused(place, "an estimate that is not finite", "leave it out")
        return value.to_dict()

    def _array(self, value: NDArray[Any], place: str) -> dict[str, Any]:
        if value.dtype.kind not in KINDS or value.dtype.itemsize == 0:
            raise _refused(place, f"an array of {value.dtype}", "turn it into numbers, truth values or fixed texts")
        if sum(array.nbytes for array in self.arrays.values()) + value.nbytes > LARGEST_DECODED_BYTES:
            raise _refused(place, "more than 2 GiB", "save it in several releases")
        name = f"a{len(self.arrays)}"
        self.arrays[name] = np.asarray(value)
        return {_KIND: "array", "name": name, "private": is_private(value)}

    def _table(self, value: Any, place: str, depth: int) -> dict[str, Any]:
        if depth or not is_table(value):
            raise _refused(
                place,
                f"a value of type {type(value).__name__}",
                "hand in an Estimate, a number, an array, a dict of these, or one table",
            )
        self.table = value
        return {_KIND: "table", "kind": library(value)}


@dataclass
class _Reader:
    files: Mapping[str, bytes]
    room: Room = field(default_factory=Room)

    def node(self, node: Any, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("too deep")
        if isinstance(node, list):
            return [self.node(one, depth + 1) for one in node]
        if not isinstance(node, dict):
            return node
        if node[_KIND] == "mapping":
            return {name: self.node(one, depth + 1) for name, one in node["items"].items()}
        readers = {"estimate": self._estimate, "array": self._array, "table": self._table}
        return readers[node[_KIND]](node)

    def _estimate(self, node: Mapping[str, Any]) -> Estimate:
        value, low, high = (_as_numbers(node[name]) for name in ("value", "low", "high"))
        confidence, private = float(node["confidence"]), node["private"]
        if not isinstance(private, bool) or np.shape(value) != np.shape(low) or np.shape(value) != np.shape(high):
            raise ValueError("no estimate")
        return Estimate(value, low, high, confidence, private)

    def _array(self, node: Mapping[str, Any]) -> NDArray[Any]:
        if not isinstance(node["private"], bool) or not isinstance(node["name"], str):
            raise ValueError("no array")
        array = array_of(self.files[ARRAYS], node["name"], self.room)
        return array if node["private"] else array.view(NotPrivate)

    def _table(self, node: Mapping[str, Any]) -> Any:
        if node["kind"] not in ("pandas", "polars", "pyarrow"):
            raise damaged(TREE, "the table is of no known kind")
        return table_of(self.files[TABLE], node["kind"], self.room)


def _as_numbers(numbers: Any) -> float | NDArray[np.float64]:
    array = np.asarray(numbers, np.float64)
    return float(array) if array.ndim == 0 else array


def _refused(place: str, what: str, remedy: str) -> InvalidParameter:
    return InvalidParameter(f"a release cannot hold {what}", where=place, remedy=remedy)

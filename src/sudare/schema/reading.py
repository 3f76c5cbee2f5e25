"""From any table to one checked array a declared column."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import ColumnMismatch
from sudare.schema.arrow import arrow_column
from sudare.schema.attributes import Attribute
from sudare.schema.formulas import without_formulas
from sudare.schema.names import nearest
from sudare.schema.tables import OpenTable


class Columns(dict[str, NDArray[Any]]):
    """Checked arrays by name; `.unread` names the columns of the table that the schema does not declare.

    Its text form shows names and sizes and no value, so that it may be printed and logged.

    Examples
    --------
    >>> Columns({"age": np.array([30.0])}, unread=("id",))
    Columns(age: float64; 1 rows; unread: id)
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]], unread: Sequence[str] = ()) -> None:
        super().__init__(columns)
        self.unread = tuple(unread)

    def __missing__(self, name: str) -> NDArray[Any]:
        remedy = f"{nearest(str(name), list(self))}the columns are {', '.join(map(repr, self))}"
        raise ColumnMismatch("no such column was read", where=f"column {name!r}", remedy=remedy)

    @property
    def rows(self) -> int:
        """The number of rows, the same in each column."""
        return len(next(iter(self.values()), ()))

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {column.dtype}" for name, column in self.items())
        unread = f"; unread: {', '.join(self.unread)}" if self.unread else ""
        return f"Columns({kinds}; {self.rows} rows{unread})"


def read_columns(source: OpenTable, attributes: Sequence[Attribute], label: Attribute | None) -> Columns:
    """Return the checked columns of an open table, the label among them where the table has it."""
    wanted = _wanted(source, attributes, label)
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in wanted}
    first_row = 1
    for batch in source.batches(list(wanted)):
        for name, attribute in wanted.items():
            parts[name].append(attribute.read(batch[name], first_row, spelled=source.spelled))
        first_row += len(next(iter(batch.values())))
    columns = {attribute.name: _joined(attribute, parts.pop(name)) for name, attribute in wanted.items()}
    return Columns(columns, unread=[name for name in source.names if name not in wanted])


def _wanted(source: OpenTable, attributes: Sequence[Attribute], label: Attribute | None) -> dict[str, Attribute]:
    """Return the declared columns by the names that the table has for them."""
    names = dict.fromkeys(source.names)
    declared = {attribute.name: attribute for attribute in attributes}
    if label is not None:
        declared[label.name] = label
    shown = without_formulas(declared) if source.spelled else {}
    found = {name: name if name in names else shown.get(name, name) for name in declared}
    _refuse_absent([attribute.name for attribute in attributes if found[attribute.name] not in names], source.names)
    return {place: declared[name] for name, place in found.items() if place in names}


def _joined(attribute: Attribute, parts: list[NDArray[Any]]) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else attribute.read(arrow_column([], attribute.name).chunk(0))


def _refuse_absent(absent: Sequence[str], names: Sequence[str]) -> None:
    if absent:
        where = "column " + ", ".join(map(repr, absent))
        remedy = f"{nearest(absent[0], names)}rename the column in the table, or declare only what it has"
        raise ColumnMismatch("the table lacks a declared column", where=where, remedy=remedy)

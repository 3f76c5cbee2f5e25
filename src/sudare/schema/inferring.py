"""Bounds and categories out of a public sample; it says so, since those of private data are a leak."""

import warnings
from typing import Any

from sudare.errors import ColumnMismatch, SudareWarning
from sudare.schema.attributes import Attribute
from sudare.schema.categorical import Categorical
from sudare.schema.numeric import Numeric
from sudare.schema.refusals import is_number, is_text, kind_in_words, nothing_quoted, wrong_kind
from sudare.schema.tables import open_frame


def infer_attributes(frame: Any) -> dict[str, Attribute]:
    """Return one attribute a column of a table in memory, in the order of the table."""
    warnings.warn(
        "bounds and categories were read from the table: a schema may be inferred from a public sample only",
        SudareWarning,
        stacklevel=3,
    )
    with nothing_quoted():
        source = open_frame(frame)
        parts = list(source.batches(source.names))
        return {name: _inferred(name, [part[name] for part in parts]) for name in source.names}


def _inferred(name: str, parts: list[Any]) -> Attribute:
    import pyarrow as pa
    import pyarrow.compute as compute

    column = pa.chunked_array(parts) if parts else pa.chunked_array([pa.nulls(0)])
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_text(column.type):
        texts = compute.unique(column.cast(pa.large_string())).to_pylist()
        return Categorical(name, _enough(name, sorted(text for text in texts if text)))
    if not is_number(column.type):
        remedy = "leave the column out, or turn it into numbers or text; a file is read into a table first"
        raise wrong_kind(name, kind_in_words(column.type), remedy)
    return _bounded(name, column.cast(pa.float64(), safe=False))


def _bounded(name: str, column: Any) -> Numeric:
    import pyarrow.compute as compute

    bounds = compute.min_max(column.filter(compute.is_finite(column))).as_py()
    values = [value for value in bounds.values() if value is not None]
    low, high = _enough(name, sorted(set(values)))[:2]
    return Numeric(name, low, high)


def _enough(name: str, values: list[Any]) -> list[Any]:
    if len(values) > 1:
        return values
    raise ColumnMismatch(
        "the sample shows fewer than two different values",
        where=f"column {name!r}",
        remedy="leave the column out, or declare it by hand",
    )

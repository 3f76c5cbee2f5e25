"""Columns back to tables: the kind that came in goes out; categories as text, never as codes."""

import csv
import gzip
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, OutOfDomain
from sudare.schema.attributes import Attribute
from sudare.schema.csv_files import checked_encoding
from sudare.schema.formulas import without_formulas
from sudare.schema.numeric import Numeric
from sudare.schema.refusals import attempted, wrong_kind
from sudare.schema.tables import file_format, same_length
from sudare.schema.whole_files import whole_file

Values = Mapping[str, NDArray[Any]]

_ROWS = 16_384


def shown_values(attribute: Attribute, values: Any) -> NDArray[Any]:
    """Return a column as people read it: finite numbers, or text for codes."""
    if not isinstance(attribute, Numeric):
        return np.asarray(attribute.decode(values))
    numbers = attempted(np.asarray, values)
    if numbers is None or numbers.dtype.kind not in "iuf" or numbers.ndim != 1:
        raise wrong_kind(attribute.name, "something else than one row of numbers", "hand in one array of numbers")
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        raise OutOfDomain(
            column=attribute.name,
            row=int(np.argmax(infinite)) + 1,
            allowed="finite numbers",
            remedy="leave the row out, or put a number in",
            problem="a value is no finite number",
        )
    return numbers


def safe_columns(columns: Values, attributes: Iterable[Attribute]) -> Values:
    """Return names and texts as a spreadsheet may see them."""
    declared = {attribute.name: attribute for attribute in attributes}
    names = without_formulas(declared)
    return {names[name]: _safe_texts(declared[name], column) for name, column in columns.items()}


def _safe_texts(attribute: Attribute, column: NDArray[Any]) -> NDArray[Any]:
    if isinstance(attribute, Numeric):
        return column
    safe = without_formulas(dict.fromkeys(attribute.categories))
    return np.array([safe[text] for text in column], dtype=object)


def like_table(columns: Values, like: Any) -> Any:
    """Return the columns as a table of the same kind as `like`."""
    import narwhals as nw

    if isinstance(like, Mapping):
        return dict(columns)
    frame = attempted(nw.from_native, like, eager_only=True)
    if frame is None:
        raise InvalidParameter(
            "there is no such kind of table",
            where="like",
            remedy="hand in a pandas, Polars or pyarrow table or a dict, or write a file with Schema.write",
        )
    return nw.from_arrow(_arrow(columns), backend=frame.implementation).to_native()


def _arrow(columns: Values) -> Any:
    import pyarrow as pa

    kinds = {name: pa.large_string() if column.dtype == object else None for name, column in columns.items()}
    return pa.table({name: pa.array(column, kinds[name]) for name, column in columns.items()})


def write_file(columns: Values, path: Path, encoding: str) -> None:
    """Write a CSV, gzipped CSV or Parquet file, whole or not at all."""
    kind, encoding = file_format(path), checked_encoding(encoding)
    with whole_file(path) as file:
        if kind == ".parquet":
            _write_parquet(columns, file)
        elif kind == ".csv":
            _write_csv(columns, file, encoding)
        else:
            # Neither the time nor the name of the file is told by what is in it.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
                _write_csv(columns, compressed, encoding)


def _write_parquet(columns: Values, file: BinaryIO) -> None:
    import pyarrow.parquet as parquet

    parquet.write_table(_arrow(columns), file, compression="zstd", store_schema=False)


def _write_csv(columns: Values, file: Any, encoding: str) -> None:
    _refuse_unwritable(columns, encoding)
    text = io.TextIOWrapper(file, encoding=encoding, newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(columns)
    rows = same_length({name: len(column) for name, column in columns.items()})
    for start in range(0, rows, _ROWS):
        parts = [column[start : start + _ROWS] for column in columns.values()]
        writer.writerows(zip(*map(_cells, parts), strict=True))
    text.detach()


def _cells(column: NDArray[Any]) -> list[Any]:
    if column.dtype == np.float32:
        return [float(str(number)) for number in column]  # 0.1, not 0.10000000149011612
    return list(column.tolist())


def _refuse_unwritable(columns: Values, encoding: str) -> None:
    for place, (name, column) in enumerate(columns.items(), start=1):
        texts = {name, *column} if column.dtype == object else {name}
        if not all(_comes_back(text, encoding) for text in texts):
            remedy = 'write encoding="utf-8"; spreadsheets recognize encoding="utf-8-sig"'
            what = f"the name or a category has a character that {encoding} lacks"
            raise InvalidParameter(what, where=f"column {place}", remedy=remedy)


def _comes_back(text: str, encoding: str) -> bool:
    stored = attempted(text.encode, encoding)
    return stored is not None and stored.decode(encoding) == text

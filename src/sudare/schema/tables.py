"""Any table, opened: its column names, and the declared columns in batches of Arrow arrays."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sudare.errors import ColumnMismatch, InvalidParameter, UnreadableFile
from sudare.schema.arrow import arrow_column
from sudare.schema.limits import Limits
from sudare.schema.refusals import attempted

Batch = Mapping[str, Any]  # one Arrow array a column, all of one length

_ROWS = 2**17
_FORMATS = (".csv", ".csv.gz", ".parquet")


@dataclass(frozen=True)
class OpenTable:
    """The names of all columns in order, and a function that gives some of the columns batch by batch.

    `spelled` says that everything stands as text, as in a CSV file: numbers are read from it, formulas unquoted.
    """

    names: tuple[str, ...]
    batches: Callable[[Sequence[str]], Iterator[Batch]]
    spelled: bool = False


@contextmanager
def opened(table: Any, encoding: str, missing_texts: Collection[str], limits: Limits) -> Iterator[OpenTable]:
    """Open a path or a table in memory; a file stays open until the last batch is read."""
    if isinstance(table, (str, os.PathLike)):
        from sudare.schema.csv_files import open_csv
        from sudare.schema.parquet_files import open_parquet

        path = Path(table)
        if file_format(path) == ".parquet":
            reading = open_parquet(path, limits)
        else:
            reading = open_csv(path, encoding, missing_texts, limits)
        with reading as source:
            yield source
    else:
        yield open_frame(table)


def file_format(path: Path) -> str:
    """Return the format that the file's name tells.

    Examples
    --------
    >>> file_format(Path("patients.CSV.gz"))
    '.csv.gz'
    """
    known = next((suffix for suffix in _FORMATS if path.name.lower().endswith(suffix)), None)
    if known is None:
        remedy = f"save it as {', '.join(_FORMATS[:-1])} or {_FORMATS[-1]}, or hand in a table that pandas has read"
        raise UnreadableFile("the file's name tells no known format", where=f"file {str(path)!r}", remedy=remedy)
    return known


def open_frame(table: Any) -> OpenTable:
    """Open a table in memory: pandas, Polars, pyarrow, or a mapping of names to arrays."""
    keys, column_of = _columns_of(table)
    refuse_doubled(keys)
    key_of = {str(key): key for key in keys}  # a column that pandas calls 0 is declared as "0"

    def batches(wanted: Sequence[str]) -> Iterator[Batch]:
        columns = {name: arrow_column(column_of(key_of[name]), name) for name in wanted}
        rows = same_length({name: len(column) for name, column in columns.items()})
        for start in range(0, rows, _ROWS):
            yield {name: column.slice(start, _ROWS).combine_chunks() for name, column in columns.items()}

    return OpenTable(tuple(key_of), batches)


def _columns_of(table: Any) -> tuple[list[Any], Callable[[Any], Any]]:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(table, (Mapping, pa.Table)):
        return list(table.column_names if isinstance(table, pa.Table) else table), lambda name: table[name]
    if nw.dependencies.is_pandas_dataframe(table):
        refuse_doubled(list(table.columns))  # before narwhals stumbles over two of a name
    frame = attempted(nw.from_native, table, eager_only=True)
    if frame is None:
        raise InvalidParameter(
            "this is no table that can be read",
            where="table",
            remedy="hand in a pandas, Polars (collected) or pyarrow table, a dict of arrays, or the path of a file",
        )
    return list(frame.columns), lambda name: frame.get_column(name).to_native()


def refuse_doubled(names: Sequence[Any]) -> None:
    """Refuse two columns of one name; their places are told, as a file without a header has cells for names."""
    first: dict[str, int] = {}
    for place, name in enumerate(map(str, names), start=1):
        if name in first:
            where = f"columns {first[name]} and {place}"
            raise ColumnMismatch("two columns have the same name", where=where, remedy="give each column its own name")
        first[name] = place


def same_length(rows_of: Mapping[str, int]) -> int:
    """Return the number of rows that all columns have, or refuse."""
    counts = set(rows_of.values())
    if len(counts) > 1:
        where = "columns " + ", ".join(f"{name!r} ({rows} rows)" for name, rows in rows_of.items())
        raise ColumnMismatch("the columns have different lengths", where=where, remedy="hand in one value a row each")
    return counts.pop() if counts else 0

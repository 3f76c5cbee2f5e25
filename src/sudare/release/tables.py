"""`value.parquet`: the plain columns of a table and nothing else that its library carries along with them.

It is written without compression, and read only so: then no page unfolds to more than its file holds, and what a column
repeats is counted batch by batch.
"""

import io
from typing import Any

from sudare.errors import InvalidParameter
from sudare.release.decoding import LARGEST_DECODED_BYTES, Room, foreign
from sudare.release.folder import damaged

TABLE = "value.parquet"
_TABLES = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"))
_MOST_ROWS = 1 << 16
_LARGEST_BATCH = LARGEST_DECODED_BYTES // 8
_NO_TABLE = "the file holds no table"


def is_table(value: Any) -> bool:
    """Return whether this is a table of one of the three libraries.

    Examples
    --------
    >>> is_table({"age": [1, 2]})
    False
    """
    return (library(value), type(value).__name__) in _TABLES


def library(value: Any) -> str:
    """Return the name of the library that a value's type comes from.

    Examples
    --------
    >>> library(1.5)
    'builtins'
    """
    return type(value).__module__.partition(".")[0]


def arrow_table(table: Any) -> Any:
    """Return the columns of a table, made anew: no index, no notes, no category that no row has.

    Examples
    --------
    >>> import pyarrow as pa
    >>> city = pa.array(["Ueno", "Meguro"]).dictionary_encode()
    >>> arrow_table(pa.table({"city": city}).slice(0, 1))["city"].to_pylist()
    ['Ueno']
    """
    import pyarrow as pa

    kept = _as_arrow(table)
    names = kept.column_names
    if len(set(names)) < len(names):
        raise _refused("two columns of one name", "give every column a name of its own")
    columns = [_plain(column, name) for name, column in zip(names, kept.columns, strict=True)]
    return pa.table(columns, names=names)


def _as_arrow(table: Any) -> Any:
    import pyarrow as pa

    kind = library(table)
    if kind == "pandas":
        _refuse_own_index(table)
        try:
            return pa.Table.from_pandas(table, preserve_index=False)
        except (pa.ArrowException, TypeError, ValueError):  # its words would hold a value
            raise _refused("a column of mixed kinds", "give every column one type: numbers, texts or dates") from None
    return table.to_arrow() if kind == "polars" else table


def _refuse_own_index(table: Any) -> None:
    index = table.index
    # Whole numbers without a name only count the rows; they are left out.
    if index.nlevels > 1 or index.name is not None or (len(index) and index.dtype.kind not in "iu"):
        raise _refused(
            "an index with values of its own",
            "write table.reset_index() to keep it as a column, or table.reset_index(drop=True) to leave it out",
        )


def _plain(column: Any, name: str) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not _is_plain(column.type):
        raise _refused(
            f"a column of type {column.type}", "turn it into numbers, truth values, texts or dates", f"column {name!r}"
        )
    return column


def _is_plain(kind: Any) -> bool:
    import pyarrow as pa

    is_a = pa.types
    if is_a.is_decimal(kind):
        return bool(is_a.is_decimal128(kind))
    tests = (is_a.is_null, is_a.is_boolean, is_a.is_integer, is_a.is_floating, is_a.is_temporal, _is_text)
    return any(test(kind) for test in tests) and not is_a.is_interval(kind)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def parquet(table: Any) -> bytes:
    """Return the file that holds the columns of a table."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    columns = arrow_table(table)
    if columns.nbytes > LARGEST_DECODED_BYTES:
        raise _refused("more than 2 GiB", "save it in several releases")
    pq.write_table(columns, buffer, compression="none", row_group_size=_MOST_ROWS)
    return buffer.getvalue()


def table_of(content: bytes, kind: str, room: Room) -> Any:
    """Return the table that the file holds, counted as it unfolds, as the library that it came from has it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with foreign(TABLE, _NO_TABLE):
        # Extension types are where reading a file has run code before.
        file = pq.ParquetFile(io.BytesIO(content), arrow_extensions_enabled=False)
        fields, names = list(file.schema_arrow), file.schema_arrow.names
        if len(set(names)) < len(names) or not all(_is_plain(one.type) for one in fields):
            raise damaged(TABLE, "the table has columns that no release has")
        batches = []
        for batch in file.iter_batches(_rows_of_a_batch(file), use_threads=False):
            room.take(batch.nbytes, TABLE)
            batches.append(batch)
        schema = pa.schema([pa.field(one.name, one.type) for one in fields])
        arrow = pa.Table.from_batches(batches, file.schema_arrow).cast(schema)
    return _as_kind(arrow, kind)


def _rows_of_a_batch(file: Any) -> int:
    """Return so many rows that a batch stays small, whatever its columns repeat."""
    widest = 0
    longest = dict.fromkeys(range(len(file.schema_arrow)), 0)
    for group in (file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)):
        for at in longest:
            chunk = group.column(at)
            if chunk.compression != "UNCOMPRESSED":
                raise damaged(TABLE, "the table is packed as no release packs it")
            longest[at] = max(longest[at], chunk.total_compressed_size)
    for at, field in enumerate(file.schema_arrow):
        widest += longest[at] + 16 if _is_text(field.type) else 16
    if widest > LARGEST_DECODED_BYTES:
        raise damaged(TABLE, "the file unfolds to more than a release may hold")
    return max(1, min(_MOST_ROWS, _LARGEST_BATCH // max(widest, 1)))


def _as_kind(arrow: Any, kind: str) -> Any:
    if kind == "pyarrow":
        return arrow
    try:
        with foreign(TABLE, f"{kind} cannot hold this table"):
            if kind == "pandas":
                return arrow.to_pandas()
            import polars

            return polars.from_arrow(arrow)
    except ImportError:
        return arrow  # the library that it came from is not installed here


def _refused(what: str, remedy: str, place: str = "table") -> InvalidParameter:
    return InvalidParameter(f"a release cannot hold {what}", where=place, remedy=remedy)

"""Parquet files, read without letting the file choose what runs, and without believing what it says of its size.

A Parquet file written by Arrow carries an Arrow schema of its own, in which it may name extension types; opening the
file would run the code of those that are registered here. So the footer is read apart, with that schema put aside.
"""

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sudare.errors import UnreadableFile
from sudare.schema.limits import Limits
from sudare.schema.refusals import attempted, is_text, kind_in_words, wrong_kind
from sudare.schema.tables import Batch, OpenTable, refuse_doubled

_MAGIC = b"PAR1"
_ARROW_SCHEMA, _PUT_ASIDE = b"ARROW:schema", b"ARROW:unused"
_EXTENSION, _NO_EXTENSION = b"ARROW:extension:name", b"ARROW:extension:text"
# Numbers have a known width. A text may have any length, and where texts are stored as differences to the one before,
# a few bytes unfold to as many long texts as are read at a time.
_NUMBER_ROWS, _TEXT_ROWS, _DIFFERENCE_ROWS = 65_536, 1024, 64


@contextmanager
def open_parquet(path: Path, limits: Limits) -> Iterator[OpenTable]:
    """Open a Parquet file; only the declared columns are decoded, and only so far as the limits go."""
    import pyarrow as pa

    where = f"file {str(path)!r}"
    opened = attempted(pa.OSFile, str(path))
    if opened is None:
        remedy = "check the path and that it may be read"
        raise UnreadableFile("the file cannot be opened", where=where, remedy=remedy)
    with opened as file:
        metadata = attempted(_metadata, file)
        if metadata is None:
            raise _damaged(where)
        yield _opened(file, metadata, limits, where)


def _opened(file: Any, metadata: Any, limits: Limits, where: str) -> OpenTable:
    schema = _reader(file, metadata, [], where).schema_arrow
    if len(schema.names) > limits.columns:
        raise _too_large(where, f"there are more than {limits.columns} columns", "columns")
    refuse_doubled(schema.names)

    def batches(wanted: Sequence[str]) -> Iterator[Batch]:
        _refuse_unreadable([schema.field(name) for name in wanted], _meant(metadata))
        texts = [name for name in wanted if is_text(schema.field(name).type)]
        # As a dictionary each text is unfolded once, however often a row points to it.
        packed = [name for name in texts if not _by_differences(metadata, name)]
        rows = _NUMBER_ROWS if not texts else _TEXT_ROWS if packed == texts else _DIFFERENCE_ROWS
        found = _reader(file, metadata, packed, where).iter_batches(rows, columns=list(wanted))
        yield from _within(limits, found, wanted, where)

    return OpenTable(tuple(schema.names), batches)


def _reader(file: Any, metadata: Any, packed: list[str], where: str) -> Any:
    import pyarrow.parquet as parquet

    reader = attempted(parquet.ParquetFile, file, metadata=metadata, read_dictionary=packed)
    if reader is None:
        raise _damaged(where)
    return reader


def _metadata(file: Any) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    size = file.size()
    file.seek(size - 8)
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > size - 12:
        return None
    file.seek(size - 8 - length)
    footer = file.read(length).replace(_ARROW_SCHEMA, _PUT_ASIDE)
    return parquet.read_metadata(pa.BufferReader(_MAGIC + footer + tail))


def _by_differences(metadata: Any, name: str) -> bool:
    # A file that hides such a column is refused: Arrow reads none of them as a dictionary.
    paths = [metadata.schema.column(place).path for place in range(metadata.num_columns)]
    place = paths.index(name)
    groups = range(metadata.num_row_groups)
    return any("DELTA" in str(metadata.row_group(group).column(place).encodings) for group in groups)


def _meant(metadata: Any) -> dict[str, str]:
    """Return what the schema put aside says of the columns that Parquet stores as something else, without making it."""
    import pyarrow as pa

    stored = attempted(base64.b64decode, (metadata.metadata or {}).get(_PUT_ASIDE, b"")) or b""
    schema = attempted(pa.ipc.read_schema, pa.BufferReader(stored.replace(_EXTENSION, _NO_EXTENSION)))
    fields = [] if schema is None else list(schema)
    extensions = {field.name: "an Arrow extension type" for field in fields if _NO_EXTENSION in (field.metadata or {})}
    durations = {field.name: "dates or times" for field in fields if pa.types.is_duration(field.type)}
    return durations | extensions


def _refuse_unreadable(fields: list[Any], meant: dict[str, str]) -> None:
    import pyarrow as pa

    for field in fields:
        found = meant.get(field.name)
        if found is None and (isinstance(field.type, pa.BaseExtensionType) or pa.types.is_nested(field.type)):
            found = kind_in_words(field.type)
        if found is not None:
            raise wrong_kind(field.name, found, "write the file with plain columns of numbers or text")


def _within(limits: Limits, batches: Iterator[Any], wanted: Sequence[str], where: str) -> Iterator[Batch]:
    decoded_bytes = 0
    while True:
        batch: Any = attempted(next, batches, _END)
        if batch is None:
            raise _damaged(where)
        if batch is _END:
            return
        decoded_bytes += batch.nbytes
        if decoded_bytes > limits.decoded_bytes:
            raise _too_large(where, f"the file unfolds to more than {limits.decoded_bytes} bytes", "decoded_bytes")
        yield {name: batch.column(name) for name in wanted}


_END = object()


def _damaged(where: str) -> UnreadableFile:
    what = "the file is damaged, encrypted or no Parquet file"
    return UnreadableFile(what, where=where, remedy="write it again as plain Parquet")


def _too_large(where: str, what: str, limit: str) -> UnreadableFile:
    return UnreadableFile(what, where=where, remedy=f"split the file, or raise Limits({limit}=...)")

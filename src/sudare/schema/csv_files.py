"""CSV files, plain or gzipped, read strictly: every cell is text, every line decodes, every row has its cells.

The lenient readers of data frames join cells around stray quotes, swallow the rest of a file after an unclosed one,
and take "0012" for 12 and "NA" for nothing; none of that is seen afterwards.
"""

import codecs
import csv
import gzip
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from sudare.errors import InvalidParameter, UnreadableFile
from sudare.schema.limits import Limits
from sudare.schema.refusals import attempted
from sudare.schema.tables import Batch, OpenTable, refuse_doubled

_BATCH_ROWS = 16_384
_BATCH_BYTES = 64_000_000


@contextmanager
def open_csv(path: Path, encoding: str, missing_texts: Collection[str], limits: Limits) -> Iterator[OpenTable]:
    """Open a CSV file with a header line; empty cells and `missing_texts` are missing values."""
    absent = _missing_texts(missing_texts)
    with _unpacked(path) as file:
        rows = _Rows(_Lines(file, checked_encoding(encoding), limits, f"file {str(path)!r}"))
        names = tuple(rows.header(limits.columns))
        refuse_doubled(names)

        def batches(wanted: Sequence[str]) -> Iterator[Batch]:
            place_of = {name: place for place, name in enumerate(names)}
            for batch in rows.batches(len(names)):
                yield {name: _texts([row[place_of[name]] for row in batch], absent) for name in wanted}

        yield OpenTable(names, batches, spelled=True)


def _texts(cells: list[str], absent: set[str]) -> Any:
    import pyarrow as pa

    return pa.array([None if cell in absent else cell for cell in cells], pa.large_string())


def _missing_texts(missing_texts: Collection[str]) -> set[str]:
    if isinstance(missing_texts, str) or not all(isinstance(text, str) for text in missing_texts):
        remedy = 'write them in a tuple, such as missing_texts=("NA",)'
        raise InvalidParameter("these are no texts", where="missing_texts", remedy=remedy)
    return {"", *missing_texts}


def checked_encoding(encoding: str) -> str:
    """Return the encoding's one name: "utf-8", "utf-8-sig" (with a mark in front) or "cp932".

    Examples
    --------
    >>> checked_encoding("UTF8")
    'utf-8'
    """
    found = attempted(codecs.lookup, encoding)
    if found is None or found.name not in ("utf-8", "utf-8-sig", "cp932"):
        remedy = 'declare encoding="utf-8" (with or without its mark) or encoding="cp932" (Shift_JIS as Windows has it)'
        raise InvalidParameter("files are not read in this encoding", where="encoding", remedy=remedy)
    return found.name


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    compressed = path.name.lower().endswith(".gz")
    try:
        with gzip.open(path, "rb") if compressed else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (OSError, EOFError, zlib.error) as error:
        what = getattr(error, "strerror", None) or "its compressed part is damaged or cut short"
        remedy = "check the path, or write the file again"
        raise UnreadableFile(f"the file cannot be read: {what}", where=f"file {str(path)!r}", remedy=remedy) from None


class _Lines:
    """The lines of a file as text, counted; too much of it is refused before it is decoded."""

    def __init__(self, file: BinaryIO, encoding: str, limits: Limits, where: str) -> None:
        self.file, self.limits, self.where = file, limits, where
        self.encoding = encoding.removesuffix("-sig")
        self.number = self.bytes_read = self.row_start = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self.file.readline(self.limits.row_bytes + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self.bytes_read += len(line)
        if self.bytes_read - self.row_start > self.limits.row_bytes:
            remedy = "close the quote that was left open, or raise Limits(row_bytes=...)"
            raise self.refused(f"a row is longer than {self.limits.row_bytes} bytes", remedy)
        if self.bytes_read > self.limits.decoded_bytes:
            remedy = "split the file, or raise Limits(decoded_bytes=...)"
            raise self.refused(f"the file unfolds to more than {self.limits.decoded_bytes} bytes", remedy)
        return self._text(line)

    def _text(self, line: bytes) -> str:
        if self.number == 1 and self.encoding == "utf-8":
            line = line.removeprefix(codecs.BOM_UTF8)
        text = attempted(line.decode, self.encoding)
        if text is None:
            remedy = 'declare encoding="cp932" or "utf-8", or save it anew'
            raise self.refused(f"the line is not {self.encoding}", remedy)
        return text

    def refused(self, what: str, remedy: str) -> UnreadableFile:
        """Return the refusal of the present line."""
        return UnreadableFile(what, where=f"{self.where}, line {max(1, self.number)}", remedy=remedy)


class _Rows:
    """The rows of a file, each with as many cells as the header; blank lines between them are skipped."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines
        self.reader = csv.reader(lines, strict=True)

    def header(self, most: int) -> list[str]:
        """Return the first row: the names."""
        header = next((row for row in self._rows() if row), None)
        if header is None:
            raise self.lines.refused("the file is empty", "write a header line with the names of the columns")
        if len(header) > most:
            raise self.lines.refused(f"there are more than {most} columns", "raise Limits(columns=...)")
        return header

    def batches(self, width: int) -> Iterator[list[list[str]]]:
        """Return the rows under the header, some thousands at a time."""
        batch: list[list[str]] = []
        batch_start = self.lines.bytes_read
        for row in self._rows():
            if not row and width > 1:
                continue
            if len(row) != width and (row or width > 1):
                what = f"the row has {len(row)} cells under {width} names"
                raise self.lines.refused(what, "give each row one cell a name, and quote commas inside cells")
            batch.append(row or [""])  # in a file of one column an empty line is a missing value
            if len(batch) == _BATCH_ROWS or self.lines.bytes_read - batch_start > _BATCH_BYTES:
                yield batch
                batch, batch_start = [], self.lines.bytes_read
        if batch:
            yield batch

    def _rows(self) -> Iterator[list[str]]:
        while True:
            try:
                row = next(self.reader, None)
            except csv.Error:
                raise self._broken() from None
            if row is None:
                return
            self.lines.row_start = self.lines.bytes_read
            yield row

    def _broken(self) -> UnreadableFile:
        remedy = 'put cells with quotes or line breaks in quotes and double the quotes inside, as in "say ""yes"""'
        most = f"or a cell is longer than {csv.field_size_limit()} characters"
        return self.lines.refused(f"a quote is never closed, text follows a closed one, {most}", remedy)

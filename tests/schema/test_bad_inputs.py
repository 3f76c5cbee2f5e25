"""A zoo of bad tables and declarations: each is refused with place and remedy, and no error holds a value."""

import datetime
import decimal
import gzip
import io
import pickle
import struct
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import ColumnMismatch, InvalidInput, OutOfDomain, SudareError, UnreadableFile
from sudare.schema import Categorical, Limits, Numeric, Schema

MARKER = "73519"  # planted as a value, a text or a part of either; no error may hold it
NUMBER = float(MARKER)
SCHEMA = Schema(
    [Numeric("age", 0, 120), Categorical("smoker", ["yes", "no", "former"])], label=Categorical("ill", ["no", "yes"])
)
AGES, SMOKERS = [30.0, 41.0, 52.0], ["yes", "no", "former"]


def frame(**changed: Any) -> pd.DataFrame:
    return pd.DataFrame({"age": AGES, "smoker": SMOKERS, **changed})


def held(age: Any, smoker: Any = "yes") -> dict[str, Any]:
    """A table of three rows with the planted value in the last."""
    return {"age": [30.0, 41.0, age], "smoker": ["no", "no", smoker]}


IN_MEMORY: dict[str, tuple[Any, type[SudareError], str]] = {
    "too large": (held(NUMBER), OutOfDomain, "row 3"),
    "too small": (held(-NUMBER), OutOfDomain, "row 3"),
    "infinite": (held(float("inf")), OutOfDomain, "row 3"),
    "minus infinite": (held(float("-inf")), OutOfDomain, "row 3"),
    "not a number": (held(float("nan")), OutOfDomain, "row 3"),
    "none": (held(None), OutOfDomain, "row 3"),
    "unknown category": (held(1, MARKER), OutOfDomain, "row 3"),
    "missing category": (held(1, None), OutOfDomain, "row 3"),
    "empty category": (held(1, ""), OutOfDomain, "row 3"),
    "category with a space": (held(1, "yes "), OutOfDomain, "row 3"),
    "half a character": (held(1, "\ud800" + MARKER), ColumnMismatch, "'smoker'"),
    "text among numbers": (held(MARKER + "x"), ColumnMismatch, "'age'"),
    "number among texts": (held(1, int(MARKER)), ColumnMismatch, "'smoker'"),
    "truth among numbers": ({"age": [1, True], "smoker": ["no", "no"]}, ColumnMismatch, "'age'"),
    "huge whole number": (held(10**40 + int(MARKER)), ColumnMismatch, "'age'"),
    "pandas too large": (frame(age=[1.0, 2.0, NUMBER]), OutOfDomain, "row 3"),
    "pandas nullable": (frame(age=pd.array([1, 2, None], dtype="Int64")), OutOfDomain, "row 3"),
    "pandas truth": (frame(age=[True, False, True]), ColumnMismatch, "'age'"),
    "pandas nullable truth": (frame(age=pd.array([True, None, True], dtype="boolean")), ColumnMismatch, "'age'"),
    "pandas numbers as text": (frame(age=["1", "2", MARKER]), ColumnMismatch, "'age'"),
    "pandas mixed objects": (frame(smoker=pd.Series(["yes", 3, MARKER], dtype=object)), ColumnMismatch, "'smoker'"),
    "pandas number objects": (frame(age=pd.Series([1, 2, int(MARKER)], dtype=object)), ColumnMismatch, "objects"),
    "pandas decimal objects": (
        frame(age=pd.Series([decimal.Decimal(MARKER)] * 3, dtype=object)),
        ColumnMismatch,
        "objects",
    ),
    "pandas bytes": (frame(smoker=pd.Series([b"yes", b"no", MARKER.encode()])), ColumnMismatch, "'smoker'"),
    "pandas lists": (frame(smoker=pd.Series([["yes"], ["no"], [MARKER]])), ColumnMismatch, "'smoker'"),
    "pandas dates": (frame(age=pd.date_range("2020", periods=3)), ColumnMismatch, "'age'"),
    "pandas periods": (frame(age=pd.period_range("2020", periods=3)), ColumnMismatch, "extension"),
    "pandas complex": (frame(age=[1j, 2j, complex(NUMBER)]), ColumnMismatch, "'age'"),
    "pandas category of numbers": (frame(smoker=pd.Series([1, 2, 3]).astype("category")), ColumnMismatch, "'smoker'"),
    "pandas unknown category": (
        frame(smoker=pd.Series(["yes", "no", MARKER]).astype("category")),
        OutOfDomain,
        "row 3",
    ),
    "pandas two of a name": (pd.DataFrame([[1, "no", 2]], columns=["age", "smoker", "age"]), ColumnMismatch, "1 and 3"),
    "pandas levels": (
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("age", "x"), ("age", "y")])),
        ColumnMismatch,
        "'age'",
    ),
    "pandas label": (frame(ill=["no", "yes", MARKER]), OutOfDomain, "'ill', row 3"),
    "polars too large": (pl.DataFrame(held(NUMBER)), OutOfDomain, "row 3"),
    "polars NaN": (pl.DataFrame(held(float("nan"))), OutOfDomain, "row 3"),
    "polars null": (pl.DataFrame(held(None)), OutOfDomain, "row 3"),
    "polars unknown category": (pl.DataFrame(held(1, MARKER)), OutOfDomain, "row 3"),
    "polars structs": (pl.DataFrame({"age": [{"x": NUMBER}], "smoker": ["no"]}), ColumnMismatch, "nested"),
    "polars objects": (
        pl.DataFrame({"age": [1], "smoker": pl.Series([MARKER], dtype=pl.Object)}),
        ColumnMismatch,
        "'smoker'",
    ),
    "polars lazy": (pl.LazyFrame(held(1)), InvalidInput, "table"),
    "polars 128 bits": (pl.DataFrame({"age": pl.Series([1], dtype=pl.Int128), "smoker": ["no"]}), InvalidInput, "age"),
    "arrow dates": (pa.table({"age": [datetime.date(2020, 1, 1)], "smoker": ["no"]}), ColumnMismatch, "'age'"),
    "arrow binary": (pa.table({"age": [1], "smoker": [MARKER.encode()]}), ColumnMismatch, "'smoker'"),
    "arrow lists": (pa.table({"age": [[NUMBER]], "smoker": ["no"]}), ColumnMismatch, "nested"),
    "arrow extension": (
        pa.table(
            {"age": [1], "smoker": pa.array([MARKER], pa.string()).cast(pa.string()).view(pa.string())}
        ).set_column(1, "smoker", pa.ExtensionArray.from_storage(pa.json_(), pa.array([MARKER], pa.string()))),
        ColumnMismatch,
        "extension",
    ),
    "arrow two of a name": (pa.table([[1], [2]], names=["age", "age"]), ColumnMismatch, "columns 1 and 2"),
    "numbers for categories": (held(1, 1) | {"smoker": [1, 2, int(MARKER)]}, ColumnMismatch, "'smoker'"),
    "rows of matrices": ({"age": np.full((2, 2), NUMBER), "smoker": ["no", "no"]}, ColumnMismatch, "'age'"),
    "different lengths": ({"age": [1, 2], "smoker": ["no"]}, ColumnMismatch, "2 rows"),
    "scalar column": ({"age": NUMBER, "smoker": ["no"]}, ColumnMismatch, "'age'"),
    "a column is missing": (frame().rename(columns={"smoker": "Smoker"}), ColumnMismatch, "did you mean 'Smoker'"),
    "array for a table": (np.full((2, 2), NUMBER), InvalidInput, "table"),
    "number for a table": (NUMBER, InvalidInput, "table"),
    "none for a table": (None, InvalidInput, "table"),
    "list for a table": ([held(NUMBER)], InvalidInput, "table"),
}


@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_bad_table_is_refused_with_place_and_remedy_and_never_shown(name: str) -> None:
    table, kind, place = IN_MEMORY[name]
    assert_refused(lambda: SCHEMA.read(table), kind, place)


CSV: dict[str, tuple[bytes, type[SudareError], str]] = {
    "too large": (f"age,smoker\n1,no\n{MARKER},no\n".encode(), OutOfDomain, "row 2"),
    "a cell is no number": (f"age,smoker\n1,no\n{MARKER}x,no\n".encode(), OutOfDomain, "row 2"),
    "thousands": (f'age,smoker\n1,no\n"1,{MARKER}",no\n'.encode(), OutOfDomain, "row 2"),
    "space before a number": (b"age,smoker\n1,no\n 2,no\n", OutOfDomain, "row 2"),
    "nan": (b"age,smoker\n1,no\nnan,no\n", OutOfDomain, "row 2"),
    "inf": (b"age,smoker\n1,no\ninf,no\n", OutOfDomain, "row 2"),
    "hexadecimal": (b"age,smoker\n1,no\n0x10,no\n", OutOfDomain, "row 2"),
    "underscore": (b"age,smoker\n1,no\n1_0,no\n", OutOfDomain, "row 2"),
    "full-width digits": ("age,smoker\n1,no\n１２,no\n".encode(), OutOfDomain, "row 2"),
    "empty number": (b"age,smoker\n1,no\n,no\n", OutOfDomain, "row 2"),
    "NA where none is declared": (b"age,smoker\n1,no\nNA,no\n", OutOfDomain, "row 2"),
    "NA as category": (b"age,smoker\n1,no\n2,NA\n", OutOfDomain, "row 2"),
    "unknown category": (f"age,smoker\n1,no\n2,{MARKER}\n".encode(), OutOfDomain, "row 2"),
    "empty category": (b'age,smoker\n1,no\n2,""\n', OutOfDomain, "row 2"),
    "a cell too many": (f"age,smoker\n1,no\n2,no,{MARKER}\n".encode(), UnreadableFile, "line 3"),
    "a cell too few": (f"age,smoker\n1,no\n{MARKER}\n".encode(), UnreadableFile, "line 3"),
    "open quote": (f'age,smoker,note\n1,no,a\n2,no,"{MARKER}\n3,no,b\n'.encode(), UnreadableFile, "line 4"),
    "text after a quote": (f'age,smoker\n1,no\n2,"no"{MARKER}\n'.encode(), UnreadableFile, "line 3"),
    "line ends of an old Macintosh": (b"age,smoker\r1,no\r2,no\r", UnreadableFile, "line 1"),
    "not UTF-8": (f"age,smoker\n1,no\n{MARKER},".encode() + b"\xff\n", UnreadableFile, "line 3"),
    "CP932 undeclared": ("age,smoker\n1,no\n2,はい\n".encode("cp932"), UnreadableFile, "line 3"),
    "UTF-16": ("age,smoker\n1,no\n".encode("utf-16"), UnreadableFile, "line 1"),
    "empty file": (b"", UnreadableFile, "file"),
    "blank file": (b"\n\n\n", UnreadableFile, "file"),
    "no header": (f"30,no\n{MARKER},no\n".encode(), ColumnMismatch, "'age'"),
    "two of a name": (b"age,smoker,age\n1,no,2\n", ColumnMismatch, "columns 1 and 3"),
    "nameless columns": (b"age,smoker,,\n1,no,2,3\n", ColumnMismatch, "columns 3 and 4"),
    "a bad label": (f"age,smoker,ill\n1,no,no\n2,no,{MARKER}\n".encode(), OutOfDomain, "'ill', row 2"),
    "cell beyond the library's limit": (b'age,smoker,x\n1,no,"' + b"7" * 200_000 + b'"\n', UnreadableFile, "line 2"),
}


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzipped"])
@pytest.mark.parametrize("name", CSV)
def test_a_bad_csv_file_is_refused_with_place_and_remedy_and_never_shown(name: str, compressed: bool) -> None:
    content, kind, place = CSV[name]
    path = Path("table.csv.gz" if compressed else "table.csv")
    path.write_bytes(gzip.compress(content) if compressed else content)
    assert_refused(lambda: SCHEMA.read(path), kind, place)


def parquet_bytes(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def nested(depth: int) -> pa.Array:
    column = pa.array([1])
    for _ in range(depth):
        column = pa.StructArray.from_arrays([column], names=["x"])
    return column


GOOD = pa.table({"age": [30.0, 41.0], "smoker": ["yes", MARKER]})

FILES: dict[str, tuple[str, bytes, type[SudareError], str]] = {
    "parquet with an unknown category": ("t.parquet", parquet_bytes(GOOD), OutOfDomain, "row 2"),
    "parquet nested too deeply": ("t.parquet", parquet_bytes(pa.table({"age": nested(150)})), UnreadableFile, "file"),
    "parquet cut short": ("t.parquet", parquet_bytes(GOOD)[:-9], UnreadableFile, "file"),
    "parquet with a damaged footer": (
        "t.parquet",
        parquet_bytes(GOOD)[:-400] + bytes(392) + parquet_bytes(GOOD)[-8:],
        UnreadableFile,
        "file",
    ),
    "parquet with damaged pages": ("t.parquet", b"PAR1" + bytes(200) + parquet_bytes(GOOD)[204:], InvalidInput, ""),
    "parquet with a boundless footer": (
        "t.parquet",
        b"PAR1" + struct.pack("<I", 2**31) + b"PAR1",
        UnreadableFile,
        "file",
    ),
    "parquet that is text": ("t.parquet", b"age,smoker\n1,no\n", UnreadableFile, "file"),
    "parquet that is empty": ("t.parquet", b"", UnreadableFile, "file"),
    "parquet with lists": (
        "t.parquet",
        parquet_bytes(pa.table({"age": [[1]], "smoker": ["no"]})),
        ColumnMismatch,
        "nested",
    ),
    "parquet with texts for numbers": (
        "t.parquet",
        parquet_bytes(pa.table({"age": [MARKER], "smoker": ["no"]})),
        ColumnMismatch,
        "'age'",
    ),
    "parquet with an extension type": (
        "t.parquet",
        parquet_bytes(
            pa.table(
                {
                    "age": [1],
                    "smoker": pa.ExtensionArray.from_storage(pa.opaque(pa.string(), "a", "b"), pa.array(["no"])),
                }
            )
        ),
        ColumnMismatch,
        "extension",
    ),
    "gzip cut short": ("t.csv.gz", gzip.compress(b"age,smoker\n" + b"1,no\n" * 9999)[:-20], UnreadableFile, "file"),
    "gzip that is text": ("t.csv.gz", b"age,smoker\n1,no\n", UnreadableFile, "file"),
    "unknown format": ("t.xlsx", b"PK", UnreadableFile, ".parquet"),
    "pickle": ("t.pkl", pickle.dumps({"age": [1]}), UnreadableFile, ".parquet"),
    "JSON": ("t.json", b"[" * 100_000, UnreadableFile, ".parquet"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_with_place_and_remedy_and_never_shown(name: str) -> None:
    file, content, kind, place = FILES[name]
    Path(file).write_bytes(content)
    assert_refused(lambda: SCHEMA.read(file), kind, place)


@pytest.mark.parametrize("file", ["absent.csv", "absent.csv.gz", "absent.parquet", "folder.csv", "folder.parquet"])
def test_a_file_that_is_not_there_is_refused(file: str) -> None:
    if file.startswith("folder"):
        Path(file).mkdir()
    assert_refused(lambda: SCHEMA.read(file), UnreadableFile, file)


DECLARATIONS: dict[str, Callable[[], Any]] = {
    "number for a name": lambda: Numeric(7, 0, 1),  # type: ignore[arg-type]
    "no name": lambda: Numeric("", 0, 1),
    "half a character": lambda: Categorical("\ud800", ["a", "b"]),
    "null character": lambda: Categorical("smoker", ["yes", "no\0"]),
    "bounds swapped": lambda: Numeric("age", 120, 0),
    "bounds equal": lambda: Numeric("age", 1, 1),
    "infinite bound": lambda: Numeric("age", 0, float("inf")),
    "bound that is no number": lambda: Numeric("age", float("nan"), 1),
    "bound as text": lambda: Numeric("age", "0", 1),  # type: ignore[arg-type]
    "bound as truth": lambda: Numeric("age", False, True),
    "bound as none": lambda: Numeric("age", None, 1),  # type: ignore[arg-type]
    "bound beyond floats": lambda: Numeric("age", 0, 10**400),
    "infinite width": lambda: Numeric("age", -1e308, 1e308),
    "unknown treatment": lambda: Numeric("age", 0, 1, outside="drop"),  # type: ignore[arg-type]
    "substitute outside": lambda: Numeric("age", 0, 1, missing=2),
    "substitute as text": lambda: Numeric("age", 0, 1, missing="mean"),  # type: ignore[arg-type]
    "substitute as none": lambda: Numeric("age", 0, 1, missing=None),  # type: ignore[arg-type]
    "one category": lambda: Categorical("smoker", ["yes"]),
    "no category": lambda: Categorical("smoker", []),
    "category twice": lambda: Categorical("smoker", ["yes", "no", "yes"]),
    "empty category": lambda: Categorical("smoker", ["yes", ""]),
    "number as category": lambda: Categorical("smoker", ["yes", 1]),
    "truth as category": lambda: Categorical("smoker", [True, False]),
    "none as category": lambda: Categorical("smoker", ["yes", None]),
    "one text for categories": lambda: Categorical("smoker", "yes"),
    "set of categories": lambda: Categorical("smoker", {"yes", "no"}),
    "count of categories": lambda: Categorical("smoker", 3),
    "unknown substitute": lambda: Categorical("smoker", ["yes", "no"], missing="unknown"),
    "substitute none": lambda: Categorical("smoker", ["yes", "no"], missing=None),  # type: ignore[arg-type]
    "schema of nothing": lambda: Schema([]),
    "schema of names": lambda: Schema(["age"]),  # type: ignore[list-item]
    "schema of one attribute": lambda: Schema(Numeric("age", 0, 1)),  # type: ignore[arg-type]
    "schema with one name twice": lambda: Schema([Numeric("age", 0, 1), Numeric("age", 0, 2)]),
    "label among the attributes": lambda: Schema([Numeric("age", 0, 1)], label=Numeric("age", 0, 1)),
    "label by name": lambda: Schema([Numeric("age", 0, 1)], label="age"),  # type: ignore[arg-type]
    "unknown column": lambda: SCHEMA["agee"],
    "joined with itself": lambda: SCHEMA + SCHEMA,
    "two labels": lambda: SCHEMA + Schema([Numeric("x", 0, 1)], label=Numeric("y", 0, 1)),
    "limit of nothing": lambda: Limits(columns=0),
    "limit as truth": lambda: Limits(row_bytes=True),
    "unknown encoding": lambda: SCHEMA.read("t.csv", encoding="latin-1"),
    "encoding that is none": lambda: SCHEMA.read("t.csv", encoding="\ud800"),
    "missing texts as one text": lambda: SCHEMA.read("t.csv", missing_texts="NA"),
    "code beyond the categories": lambda: SCHEMA["smoker"].decode([0, 3]),  # type: ignore[union-attr]
    "negative code": lambda: SCHEMA["smoker"].decode([-1]),  # type: ignore[union-attr]
    "codes as floats": lambda: SCHEMA["smoker"].decode([1.0]),  # type: ignore[union-attr]
    "codes as truth": lambda: SCHEMA["smoker"].decode([True]),  # type: ignore[union-attr]
    "texts to scale": lambda: SCHEMA["age"].to_unit(["1"]),  # type: ignore[union-attr]
    "truth to scale": lambda: SCHEMA["age"].to_unit(True),  # type: ignore[union-attr]
    "too large to scale": lambda: SCHEMA["age"].to_unit([1, NUMBER]),  # type: ignore[union-attr]
    "NaN to scale": lambda: SCHEMA["age"].to_unit([1, float("nan")]),  # type: ignore[union-attr]
    "matrix to scale": lambda: SCHEMA["age"].to_unit([[1.0]]),  # type: ignore[union-attr]
    "mixed texts to encode": lambda: SCHEMA["smoker"].encode(["yes", 7]),  # type: ignore[union-attr]
    "unknown text to encode": lambda: SCHEMA["smoker"].encode(["yes", MARKER]),  # type: ignore[union-attr]
    "text itself to encode": lambda: SCHEMA["smoker"].encode(MARKER),  # type: ignore[union-attr]
    "NaN to write": lambda: SCHEMA.table({"age": [float("nan")]}, like={}),
    "undeclared column to write": lambda: SCHEMA.table({"id": [1.0]}, like={}),
    "kind of table unknown": lambda: SCHEMA.table({"age": [1.0]}, like=3),
    "columns of other lengths to write": lambda: SCHEMA.write({"age": [1.0], "smoker": [0, 1]}, "out.csv"),
    "columns of other lengths to a table": lambda: SCHEMA.table({"age": [1.0], "smoker": [0, 1]}, like=frame()),
    "unknown format to write": lambda: SCHEMA.write({"age": [1.0]}, "out.xlsx"),
    "folder that is not there": lambda: SCHEMA.write({"age": [1.0]}, "absent/out.csv"),
    "character that the encoding lacks": lambda: Schema([Categorical("é☃", ["a", "b"])]).write(
        {"é☃": [0]}, "out.csv", encoding="cp932"
    ),
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_a_bad_argument_is_refused_with_place_and_remedy(name: str) -> None:
    Path("t.csv").write_text("age,smoker\n1,no\n")
    assert_refused(DECLARATIONS[name], InvalidInput, "")
    assert not list(Path().glob(".*partial"))


def assert_refused(action: Callable[[], Any], kind: type[SudareError], place: str) -> None:
    with pytest.raises(kind) as caught:
        action()
    error = caught.value
    assert error.where
    assert error.remedy
    assert place in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    said = [str(error), repr(error), repr(error.args), repr(vars(error)), *traceback.format_exception_only(error)]
    assert not any(MARKER in text for text in said)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_zoo_is_large_enough() -> None:
    assert len(IN_MEMORY) + len(CSV) + len(FILES) + len(DECLARATIONS) >= 150


def test_a_marker_in_the_schema_put_aside_is_looked_at_without_being_made() -> None:
    class Planted(pa.ExtensionType):
        made = 0

        def __init__(self) -> None:
            super().__init__(pa.string(), "sudare.tests.planted")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: bytes) -> "Planted":
            Planted.made += 1
            return cls()

    pa.register_extension_type(Planted())
    try:
        planted = pa.ExtensionArray.from_storage(Planted(), pa.array(["no", "yes"]))
        nested = pa.StructArray.from_arrays([planted], names=["inside"])
        pq.write_table(pa.table({"age": [1.0, 2.0], "smoker": ["no", "yes"], "x": planted, "y": nested}), "t.parquet")
        pq.write_table(pa.table({"age": [1.0, 2.0], "smoker": planted}), "u.parquet")
        Planted.made = 0
        columns = SCHEMA.read("t.parquet")
        assert columns.unread == ("x", "y")
        assert_refused(lambda: SCHEMA.read("u.parquet"), ColumnMismatch, "extension")
        assert Planted.made == 0
        pq.ParquetFile("t.parquet")
        assert Planted.made > 0  # the trap is a real one
    finally:
        pa.unregister_extension_type("sudare.tests.planted")

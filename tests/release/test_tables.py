"""A released table is its plain columns: nothing hides in it, and a file of a stranger never unfolds without bound."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import InvalidParameter, ReleaseDamaged
from sudare.release.decoding import Room
from sudare.release.tables import TABLE, arrow_table, parquet, table_of
from sudare.release.values import TREE, from_files, to_files

HIDDEN = "HIDDENTOWN"


def frame_with_notes() -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1, 2]})
    frame.attrs["source"] = HIDDEN
    return frame


def rows_of_one_city() -> pd.DataFrame:
    frame = pd.DataFrame({"city": pd.Categorical(["A", HIDDEN, "A"])})
    return frame[frame.city == "A"]


def columns_with_notes() -> pa.Table:
    field = pa.field("a", pa.int64(), metadata={"note": HIDDEN})
    return pa.table([pa.array([1])], pa.schema([field], metadata={"note": HIDDEN}))


HIDING: dict[str, Callable[[], Any]] = {
    "notes of pandas": frame_with_notes,
    "a category without a row": rows_of_one_city,
    "a dictionary that was sliced": lambda: pa.table({"c": pa.array(["A", HIDDEN]).dictionary_encode()}).slice(0, 1),
    "a text that was sliced away": lambda: pa.table({"c": ["A", HIDDEN]}).slice(0, 1),
    "notes of a schema": columns_with_notes,
    "a category of polars": lambda: pl.DataFrame({"c": ["A", HIDDEN]}, schema={"c": pl.Categorical}).head(1),
    "an enumeration": lambda: pl.DataFrame({"c": ["A"]}, schema={"c": pl.Enum(["A", HIDDEN])}),
    "a value under a gap": lambda: pa.table({"c": pa.StringArray.from_buffers(
        2, pa.array(["A", HIDDEN]).buffers()[1], pa.array(["A", HIDDEN]).buffers()[2], pa.py_buffer(b"\x01"))}),
}  # fmt: skip


@pytest.mark.parametrize("hiding", HIDING)
def test_only_the_rows_that_are_there_are_written(hiding: str) -> None:
    content = parquet(HIDING[hiding]())
    assert HIDDEN.encode() not in content
    assert b"pandas" not in content


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_category_comes_back_as_its_text(kind: str) -> None:
    texts = pa.table({"city": pa.array(["A", "B", "A"]).dictionary_encode()})
    table = {"pandas": texts.to_pandas, "polars": lambda: pl.from_arrow(texts), "pyarrow": lambda: texts}[kind]()
    back = from_files(to_files(table))
    assert type(back) is type(table)
    assert list(back["city"].to_pylist() if kind == "pyarrow" else back["city"]) == ["A", "B", "A"]


def test_numbers_that_count_the_rows_are_left_out() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert arrow_table(frame[frame.a != 2]).column_names == ["a"]


REFUSED: dict[str, Callable[[], Any]] = {
    "names in the index": lambda: pd.DataFrame({"a": [1]}, index=[HIDDEN]),
    "a named index": lambda: pd.DataFrame({"a": [1]}, index=pd.Index([7], name="person")),
    "an index of two levels": lambda: pd.DataFrame({"a": [1]}, index=pd.MultiIndex.from_tuples([(1, 2)])),
    "mixed kinds": lambda: pd.DataFrame({"a": [1, HIDDEN]}, dtype=object),
    "lists": lambda: pl.DataFrame({"a": [[HIDDEN]]}),
    "nested columns": lambda: pa.table({"a": [{"x": HIDDEN}]}),
    "bytes": lambda: pa.table({"a": [HIDDEN.encode()]}),
    "a name twice": lambda: pa.table([[1], [2]], names=["a", "a"]),
}


@pytest.mark.parametrize("refused", REFUSED)
def test_what_is_no_plain_column_is_refused_without_its_values(refused: str) -> None:
    with pytest.raises(InvalidParameter, match="a release cannot hold") as error:
        to_files(REFUSED[refused]())
    assert HIDDEN not in str(error.value)
    assert error.value.remedy


def written(table: pa.Table, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **{"compression": "none", **options})
    return buffer.getvalue()


def read(content: bytes, kind: str = "pyarrow") -> Any:
    tree = json.dumps({"value": {"is": "table", "kind": kind}}).encode()
    return from_files({TREE: tree, TABLE: content})


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "packed": (lambda: written(pa.table({"a": ["x" * 9999] * 9}), compression="snappy"), "pyarrow"),
    "a name twice": (lambda: written(pa.table([[1], [2]], names=["a", "a"])), "polars"),
    "a decimal of 256 bits": (lambda: written(pa.table({"a": pa.array([1], pa.decimal256(60, 1))})), "polars"),
    "nested": (lambda: written(pa.table({"a": [{"x": [{"y": 1}]}]})), "pandas"),
    "a map": (lambda: written(pa.table({"a": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64()))})), "polars"),
    "no place on earth": (lambda: written(pa.table({"a": pa.array([1], pa.timestamp("s", "No/Where"))})), "pandas"),
    "nowhere in polars": (lambda: written(pa.table({"a": pa.array([1], pa.timestamp("s", "No/Where"))})), "polars"),
    "garbage": (lambda: b"PAR1garbagePAR1", "pandas"),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_table_is_refused_by_name(hostile: str) -> None:
    make, kind = HOSTILE[hostile]
    with pytest.raises(ReleaseDamaged) as refused:
        read(make(), kind)
    assert refused.value.where == TABLE


def test_what_a_stranger_notes_for_pandas_is_not_followed() -> None:
    table = pa.table({"a": [1]}).replace_schema_metadata({"pandas": "not json"})
    assert read(written(table), "pandas")["a"].tolist() == [1]


UNFOLDING: dict[str, Callable[[], pa.Table]] = {
    "texts": lambda: pa.table({"a": ["x" * 10_000] * 3000}),
    "gaps": lambda: pa.table({"a": pa.nulls(4_000_000, pa.int64())}),
}


@pytest.mark.parametrize("unfolding", UNFOLDING)
def test_a_small_file_that_unfolds_is_stopped_while_it_does(unfolding: str) -> None:
    content = written(UNFOLDING[unfolding]())
    assert len(content) < 100_000
    assert table_of(content, "pyarrow", Room()).num_rows
    with pytest.raises(ReleaseDamaged, match="unfolds to more"):
        table_of(content, "pyarrow", Room(20_000_000))


def test_arrays_and_table_are_counted_together() -> None:
    room = Room(1000)
    table_of(parquet(pa.table({"a": np.zeros(100)})), "pyarrow", room)
    assert room.left <= 200

"""Tables of awkward names, texts and numbers, through every kind of table and file: nothing changes, no identifier."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sudare.schema import Categorical, Columns, Numeric, Schema

AWKWARD = [
    *("0012", "12", "012", "1e5", "NA", "null", "NaN", "None", "nan", "True", "-", "--", "inf", "#N/A", "#"),
    *(
        "9007199254740993",
        "99999999999999999999",
        "1.0",
        "1,5",
        "0x1F",
        "1_000",
        "２０",
        "①",
        "髙",
        "高",
        "e\u0301",
        "é",
    ),
    *("=1+1", "'=1+1", "+81", "-1", "@x", "\t", "\r", "\n", "\r\n", " ", " x", "x ", '"', '""', "'", ",", ";", "\\"),
    *("\ufeff", "\u200b", "\u2028", "\x1a", "\x85", "\x7f", "𝔘", "👩‍👩‍👧", "\ufffd", "ソ", "~", "〜", "¥"),
]
TEXTS = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=6),
)
NUMBERS = st.floats(-1e300, 1e300)


@st.composite
def awkward_tables(draw: st.DrawFn) -> tuple[Schema, Columns]:
    names = draw(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
    rows = draw(st.integers(0, 6))
    attributes: list[Numeric | Categorical] = []
    columns: dict[str, Any] = {}
    for name in names:
        if draw(st.booleans()):
            low, high = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2, unique=True)))
            values = draw(st.lists(st.floats(low, high), min_size=rows, max_size=rows))
            attributes.append(Numeric(name, low, high))
            columns[name] = np.array(values, dtype=np.float64)
        else:
            categories = draw(st.lists(TEXTS, min_size=2, max_size=5, unique=True))
            codes = draw(st.lists(st.integers(0, len(categories) - 1), min_size=rows, max_size=rows))
            attributes.append(Categorical(name, categories))
            columns[name] = np.array(codes, dtype=np.int8)
    return Schema(attributes), Columns(columns)


def assert_same(left: Columns, right: Columns) -> None:
    assert list(left) == list(right)
    for name in left:
        assert left[name].dtype == right[name].dtype
        np.testing.assert_array_equal(left[name], right[name])
    assert left.unread == right.unread


ROUNDS = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@ROUNDS
@given(awkward_tables())
def test_tables_in_memory_come_back_unchanged(case: tuple[Schema, Columns]) -> None:
    schema, columns = case
    for like in (pd.DataFrame(), pl.DataFrame(), pa.table({}), {}):
        table = schema.table(columns, like=like)
        again = schema.read(table)
        assert_same(columns, again)
        assert type(table) is type(schema.table(again, like=table))


@ROUNDS
@given(awkward_tables(), st.sampled_from(["csv", "csv.gz", "parquet"]), st.booleans())
def test_files_come_back_unchanged(case: tuple[Schema, Columns], suffix: str, marked: bool) -> None:
    schema, columns = case
    path = Path(f"t.{suffix}")
    path.unlink(missing_ok=True)
    schema.write(columns, path, encoding="utf-8-sig" if marked else "utf-8")
    assert_same(columns, schema.read(path))


@ROUNDS
@given(awkward_tables())
def test_a_table_survives_the_whole_tour_and_so_does_its_schema(case: tuple[Schema, Columns]) -> None:
    schema, columns = case
    for path in (Path("s.toml"), Path("t.csv"), Path("t.parquet")):
        path.unlink(missing_ok=True)
    schema.save("s.toml")
    loaded = Schema.load("s.toml")
    assert loaded.hash == schema.hash
    loaded.write(columns, "t.csv")
    frame = loaded.table(loaded.read("t.csv"), like=pl.DataFrame())
    loaded.write(loaded.read(frame), "t.parquet")
    assert_same(columns, loaded.read(loaded.table(loaded.read("t.parquet"), like=pd.DataFrame())))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_that_pandas_and_polars_write_are_read_the_same(kind: str) -> None:
    texts = [text for text in AWKWARD if "\r" not in text]  # Polars writes a bare carriage return without quotes
    data = {"id": texts, "x": np.arange(len(texts)) / 7}
    schema = Schema([Categorical("id", texts), Numeric("x", 0, 100)])
    pandas, polars = pd.DataFrame(data), pl.DataFrame(data)
    if kind == "csv":
        pandas.to_csv("pandas.csv", index=False)
        polars.write_csv("polars.csv")
    else:
        pandas.to_parquet("pandas.parquet")
        polars.write_parquet("polars.parquet")
    for writer in ("pandas", "polars"):
        read = schema.read(f"{writer}.{kind}")
        assert read["id"].tolist() == list(range(len(texts)))
        np.testing.assert_array_equal(read["x"], data["x"])

import decimal
import gzip
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import ColumnMismatch, OutOfDomain, UnreadableFile
from sudare.schema import Categorical, Limits, Numeric, Schema

AGE, SMOKER = Numeric("age", 0, 120), Categorical("smoker", ["yes", "no", "former"])
SCHEMA = Schema([AGE, SMOKER])
AGES, SMOKERS = [30.0, 41.5, 120.0], ["yes", "no", "former"]


@pytest.mark.parametrize(
    "ages",
    [
        [30, 41, 120],
        np.array([30, 41, 120], dtype=np.uint8),
        np.array([30, 41, 120], dtype=">f8"),
        np.array([30, 41, 120], dtype=np.float16),
        pd.Series([30, 41, 120], dtype="Int64"),
        pd.Series([30, 41, 120], dtype="Float64"),
        pd.Series([30, 41, 120]).astype("category"),
        pd.Series([30, 41, 120], dtype=pd.ArrowDtype(pa.decimal128(6, 2))),
        pl.Series([decimal.Decimal(30), decimal.Decimal(41), decimal.Decimal(120)]),
        pl.Series([30, 41, 120], dtype=pl.UInt64),
        pa.array([30, 41, 120]).cast(pa.decimal256(40, 3)),
        pa.array([30, 41, 120], pa.float16()),
        pa.chunked_array([[30], [], [41, 120]]),
    ],
    ids=lambda ages: f"{type(ages).__module__}-{getattr(ages, 'dtype', getattr(ages, 'type', ''))}",
)
def test_numbers_of_any_library_become_float64(ages: Any) -> None:
    columns = SCHEMA.read({"age": ages, "smoker": SMOKERS})
    assert columns["age"].dtype == np.float64
    assert columns["age"].tolist() == [30, 41, 120]
    assert columns["smoker"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_of_any_library_give_the_same_columns(kind: Any) -> None:
    columns = SCHEMA.read(kind({"id": ["0012", "0013", "0014"], "smoker": SMOKERS, "age": AGES}))
    assert list(columns) == ["age", "smoker"]
    assert columns["age"].tolist() == AGES
    assert columns.unread == ("id",)
    assert columns.rows == 3


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize(
    "kind", [pd.DataFrame(), pl.DataFrame(), pa.table({}), {}, "csv", "csv.gz", "parquet"], ids=str
)
def test_tables_of_no_row_and_of_one_row_are_read(kind: Any, rows: int) -> None:
    table: Any = {"age": np.array(AGES[:rows]), "smoker": np.array([1] * rows, dtype=np.int8)}
    if isinstance(kind, str):
        SCHEMA.write(table, f"t.{kind}")
        table = f"t.{kind}"
    else:
        table = SCHEMA.table(table, like=kind)
    columns = SCHEMA.read(table)
    assert columns["age"].tolist() == AGES[:rows]
    assert columns["age"].dtype == np.float64
    assert columns["smoker"].dtype == np.int8
    assert columns.rows == rows


def test_a_column_whose_name_is_a_number_is_declared_by_its_text() -> None:
    frame = pd.DataFrame({0: AGES, 1: SMOKERS})
    columns = Schema([Numeric("0", 0, 120)]).read(frame)
    assert columns["0"].tolist() == AGES
    assert columns.unread == ("1",)


def test_the_label_is_read_where_the_table_has_it() -> None:
    schema = Schema([AGE], label=SMOKER)
    assert list(schema.read({"age": AGES, "smoker": SMOKERS})) == ["age", "smoker"]
    assert list(schema.read({"age": AGES})) == ["age"]


def test_a_table_shows_its_shape_and_no_value(caplog: pytest.LogCaptureFixture) -> None:
    columns = SCHEMA.read({"age": [73.5], "smoker": ["no"], "id": ["0012"]})
    logging.getLogger(__name__).warning("%s %r", columns, columns)
    assert "73.5" not in caplog.text
    assert "age: float64" in caplog.text


def test_read_arrays_are_our_own() -> None:
    ages = np.array(AGES)
    columns = SCHEMA.read({"age": ages, "smoker": SMOKERS})
    columns["age"][0] = 99
    assert ages[0] == 30


def test_missing_values_take_their_substitutes_in_every_kind_of_table() -> None:
    schema = Schema([Numeric("age", 0, 120, missing=50), Categorical("smoker", ["yes", "no"], missing="no")])
    data = {"age": [30.0, None, 41.0], "smoker": ["yes", "no", None]}
    Path("t.csv").write_text("age,smoker\n30,yes\n,no\n41,\n")
    pq.write_table(pa.table(data), "t.parquet")
    tables = [pd.DataFrame(data), pl.DataFrame(data), pa.table(data), data, "t.csv", "t.parquet"]
    for table in [*tables, pl.DataFrame({**data, "age": [30.0, float("nan"), 41.0]})]:
        columns = schema.read(table)
        assert columns["age"].tolist() == [30, 50, 41]
        assert columns["smoker"].tolist() == [0, 1, 1]


def test_clipping_happens_only_where_it_is_declared() -> None:
    schema = Schema([Numeric("age", 0, 120, outside="clip"), SMOKER])
    Path("t.csv").write_text("age,smoker\n-3,yes\n1e999,no\n")
    assert schema.read("t.csv")["age"].tolist() == [0, 120]
    with pytest.raises(OutOfDomain, match="row 1"):
        SCHEMA.read("t.csv")


def test_identifiers_stay_text_in_csv_files() -> None:
    texts = ["0012", "12", "NA", "null", "nan", "1e5", "True", "007", "-", "9007199254740993", " x", "x "]
    Path("t.csv").write_text("id\n" + "\n".join(texts) + "\n")
    attribute = Categorical("id", texts)
    assert attribute.decode(Schema([attribute]).read("t.csv")["id"]).tolist() == texts


def test_texts_for_missing_values_are_declared() -> None:
    schema = Schema([Numeric("age", 0, 120, missing=50), SMOKER])
    Path("t.csv").write_text("age,smoker\nNA,yes\n?,no\n,no\n")
    assert schema.read("t.csv", missing_texts=("NA", "?"))["age"].tolist() == [50, 50, 50]
    with pytest.raises(OutOfDomain, match="row 2"):
        schema.read("t.csv", missing_texts=["NA"])


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("年齢,喫煙\n30,はい\n", "utf-8"),
        ("\ufeff年齢,喫煙\n30,はい\n", "utf-8"),
        ("\ufeff年齢,喫煙\r\n30,はい\r\n", "utf-8-sig"),
        ("年齢,喫煙\r\n30,はい\r\n", "cp932"),
        ('"年齢","喫煙"\n\n30,"はい"', "UTF-8"),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_declared_encodings_are_read_with_or_without_their_mark(content: str, encoding: str, compressed: bool) -> None:
    raw = content.encode("cp932" if encoding == "cp932" else "utf-8")
    path = Path("t.csv.gz" if compressed else "t.csv")
    path.write_bytes(gzip.compress(raw) if compressed else raw)
    columns = Schema([Numeric("年齢", 0, 120), Categorical("喫煙", ["いいえ", "はい"])]).read(path, encoding=encoding)
    assert columns["年齢"].tolist() == [30]
    assert columns["喫煙"].tolist() == [1]


def test_a_cp932_character_whose_second_byte_is_a_backslash_or_a_quote_is_one_character() -> None:
    Path("t.csv").write_bytes("x\nソ\n表\n能\n".encode("cp932"))
    assert Schema([Categorical("x", ["表", "ソ", "能"])]).read("t.csv", encoding="cp932")["x"].tolist() == [1, 0, 2]


def test_line_breaks_and_quotes_inside_cells_are_kept() -> None:
    Path("t.csv").write_text('x,note\n"a\nb","say ""yes"", then\r\ngo"\n"c,d",\n')
    assert Schema([Categorical("x", ["a\nb", "c,d"])]).read("t.csv")["x"].tolist() == [0, 1]


def test_blank_lines_are_no_rows_but_missing_values_in_a_file_of_one_column() -> None:
    Path("two.csv").write_text("age,smoker\n\n30,yes\n\n\n41,no\n\n")
    assert SCHEMA.read("two.csv").rows == 2
    Path("one.csv").write_text('smoker\nyes\n\n""\n')
    assert Schema([Categorical("smoker", ["yes", "no"], missing="no")]).read("one.csv")["smoker"].tolist() == [0, 1, 1]


def test_the_row_number_counts_rows_not_lines_or_batches() -> None:
    lines = ["30,yes"] * 40_000
    Path("t.csv").write_text("age,smoker\n\n" + "\n".join(lines) + "\n\n130,yes\n")
    with pytest.raises(OutOfDomain, match="row 40001"):
        SCHEMA.read("t.csv")
    many = {"age": np.r_[np.full(300_000, 30.0), 130], "smoker": ["no"] * 300_001}
    pq.write_table(pa.table(many), "t.parquet", row_group_size=100_000)
    for table in (many, pd.DataFrame(many), pl.DataFrame(many), pa.table(many), "t.parquet"):
        with pytest.raises(OutOfDomain) as caught:
            SCHEMA.read(table)
        assert caught.value.row == 300_001


def test_decoded_bytes_are_limited_whatever_the_file_says() -> None:
    limits = Limits(decoded_bytes=100_000)
    with gzip.open("t.csv.gz", "wb") as file:
        file.write(b"age,smoker\n" + b"30,yes\n" * 1_000_000)
    pq.write_table(pa.table({"age": np.zeros(1_000_000), "smoker": ["yes"] * 1_000_000}), "t.parquet")
    assert os.path.getsize("t.csv.gz") < 20_000
    for path in ("t.csv.gz", "t.parquet"):
        with pytest.raises(UnreadableFile, match="unfolds to more than 100000 bytes"):
            SCHEMA.read(path, limits=limits)


@pytest.fixture
def counted_memory() -> Iterator[pa.MemoryPool]:
    usual = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(pa.system_memory_pool())
    pa.set_memory_pool(pool)
    yield pool
    pa.set_memory_pool(usual)


@pytest.mark.parametrize("encoding", ["DICTIONARY", "DELTA_BYTE_ARRAY", "PLAIN"])
def test_long_texts_that_a_parquet_file_packs_are_not_unfolded(encoding: str, request: pytest.FixtureRequest) -> None:
    table = pa.table({"smoker": ["x" * 50_000] * 2_000})
    options = {} if encoding == "DICTIONARY" else {"use_dictionary": False, "column_encoding": {"smoker": encoding}}
    pq.write_table(table, "t.parquet", compression="zstd", **options)
    assert os.path.getsize("t.parquet") < table.nbytes / 1000
    pool = request.getfixturevalue("counted_memory")
    with pytest.raises(OutOfDomain, match="row 1"):
        Schema([SMOKER]).read("t.parquet")
    assert pool.max_memory() < table.nbytes / 4


def test_texts_stored_as_differences_are_read() -> None:
    for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        options: dict[str, Any] = {"use_dictionary": False, "column_encoding": {"smoker": encoding}}
        pq.write_table(pa.table({"smoker": SMOKERS * 1000}), f"{encoding}.parquet", **options)
        assert Schema([SMOKER]).read(f"{encoding}.parquet")["smoker"].tolist() == [0, 1, 2] * 1000


def test_rows_and_columns_are_limited() -> None:
    Path("long.csv").write_text("age,smoker,note\n30,yes," + "x" * 2000 + "\n")
    Path("open.csv").write_text('age,smoker,note\n30,yes,"' + "x\n" * 1000)
    Path("wide.csv").write_text("age,smoker" + ",x" * 100 + "\n")
    for path, said in (("long.csv", "line 2"), ("open.csv", "a row is longer"), ("wide.csv", "more than 50 columns")):
        with pytest.raises(UnreadableFile, match=said):
            SCHEMA.read(path, limits=Limits(row_bytes=1500, columns=50))
    pq.write_table(pa.table({f"x{place}": [1] for place in range(60)}), "wide.parquet")
    with pytest.raises(UnreadableFile, match="more than 50 columns"):
        SCHEMA.read("wide.parquet", limits=Limits(columns=50))


def test_columns_that_are_not_declared_are_not_looked_at() -> None:
    awkward = {"lists": [[1], [2], [3]], "bytes": [b"\xff"] * 3, "nothing": [None] * 3, "huge": ["x" * 10**6] * 3}
    table = pa.table({"age": AGES, "smoker": SMOKERS, **awkward})
    pq.write_table(table, "t.parquet")
    for given in (table, table.to_pandas(), pl.from_arrow(table), "t.parquet"):
        assert SCHEMA.read(given, limits=Limits(decoded_bytes=10_000)).unread == tuple(awkward)


def test_durations_stay_durations_in_parquet_files() -> None:
    table = pa.table({"age": pa.array([1, 2, 3], pa.duration("s")), "smoker": SMOKERS})
    pq.write_table(table, "t.parquet")
    for given in (table, "t.parquet"):
        with pytest.raises(ValueError, match="dates or times"):
            SCHEMA.read(given)


def test_a_column_that_was_not_read_is_named_with_its_neighbors() -> None:
    columns = Schema([Numeric("age", 0, 120)]).read({"age": [30.0], "glucose": [90.0]})
    with pytest.raises(ColumnMismatch, match="'agee'") as refusal:
        columns["agee"]
    assert "age" in refusal.value.remedy
    assert columns.get("glucose") is None

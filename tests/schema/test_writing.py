import csv
import gzip
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sudare.errors import UnwritableFile
from sudare.randomness import NotPrivate
from sudare.schema import Categorical, Numeric, Schema, writing

SCHEMA = Schema([Numeric("age", 0, 120), Categorical("smoker", ["yes", "no"])])
COLUMNS = {"age": np.array([30.0, 41.5]), "smoker": np.array([1, 0], dtype=np.int8)}
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''=1", "'x", "x=1", "yes"]


@pytest.mark.parametrize("like", [pd.DataFrame({"x": [1]}), pl.DataFrame({"x": [1]}), pa.table({"x": [1]})], ids=type)
def test_the_kind_that_came_in_goes_out(like: Any) -> None:
    table = SCHEMA.table(COLUMNS, like=like)
    assert type(table) is type(like)
    smokers = table["smoker"]
    assert (smokers.to_pylist() if isinstance(table, pa.Table) else smokers.to_list()) == ["no", "yes"]


def test_pandas_gets_the_type_that_it_gives_text_itself() -> None:
    table = SCHEMA.table(COLUMNS, like=pd.DataFrame())
    pd.testing.assert_frame_equal(table, pd.DataFrame({"age": [30.0, 41.5], "smoker": ["no", "yes"]}))


def test_noisy_reports_outside_the_bounds_go_out_as_they_are() -> None:
    reports = np.array([-300.5, 1e6]).view(NotPrivate)
    assert SCHEMA.table({"age": reports}, like=pa.table({}))["age"].to_pylist() == [-300.5, 1e6]


def test_formulas_are_quoted_in_text_cells_and_names_but_not_in_numbers() -> None:
    schema = Schema([Categorical("=name", FORMULAS), Numeric("-x", -5, 5)])
    columns = {"=name": np.arange(len(FORMULAS)), "-x": np.linspace(-5, 5, len(FORMULAS))}
    schema.write(columns, "t.csv")
    with open("t.csv", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=name", "'-x"]
    assert not any(row[0].startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows)
    assert [float(row[1]) for row in rows] == columns["-x"].tolist()
    read = schema.read("t.csv")
    assert schema["=name"].decode(read["=name"]).tolist() == FORMULAS  # type: ignore[union-attr]
    np.testing.assert_array_equal(read["-x"], columns["-x"])


def test_formulas_may_be_left_as_they_are() -> None:
    schema = Schema([Categorical("x", ["=1+1", "-1"])])
    schema.write({"x": [0, 1]}, "t.csv", quote_formulas=False)
    assert Path("t.csv").read_text() == '"x"\n"=1+1"\n"-1"\n'
    assert schema.read("t.csv")["x"].tolist() == [0, 1]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932"])
@pytest.mark.parametrize("file", ["t.csv", "t.csv.gz"])
def test_files_are_written_in_the_declared_encoding(file: str, encoding: str) -> None:
    schema = Schema([Categorical("喫煙", ["いいえ", "はい"])])
    schema.write({"喫煙": [1, 0]}, file, encoding=encoding)
    raw = gzip.decompress(Path(file).read_bytes()) if file.endswith("gz") else Path(file).read_bytes()
    assert raw.decode(encoding) == '"喫煙"\n"はい"\n"いいえ"\n'
    assert schema.read(file, encoding=encoding)["喫煙"].tolist() == [1, 0]


def test_float32_numbers_are_written_as_short_as_they_are() -> None:
    SCHEMA.write({"age": np.array([0.1, 33.3], dtype=np.float32)}, "t.csv")
    assert Path("t.csv").read_text() == '"age"\n0.1\n33.3\n'


def test_the_same_columns_give_the_same_bytes_whatever_the_name_and_the_time() -> None:
    for suffix in ("csv", "csv.gz", "parquet"):
        SCHEMA.write(COLUMNS, f"a.{suffix}")
        SCHEMA.write(COLUMNS, f"b.{suffix}")
        assert Path(f"a.{suffix}").read_bytes() == Path(f"b.{suffix}").read_bytes()


def test_a_parquet_file_holds_plain_columns_that_others_read() -> None:
    SCHEMA.write(COLUMNS, "t.parquet")
    assert pl.read_parquet("t.parquet").to_dict(as_series=False) == {"age": [30.0, 41.5], "smoker": ["no", "yes"]}
    assert not pq.read_metadata("t.parquet").metadata


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "parquet"])
def test_a_file_is_never_written_over_another(suffix: str) -> None:
    path = Path(f"t.{suffix}")
    path.write_text("precious")
    with pytest.raises(UnwritableFile, match="never written over"):
        SCHEMA.write(COLUMNS, path)
    assert path.read_text() == "precious"
    dangling = Path(f"link.{suffix}")
    dangling.symlink_to("nowhere")
    with pytest.raises(UnwritableFile, match="never written over"):
        SCHEMA.write(COLUMNS, dangling)


def test_a_write_that_breaks_off_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class DiskFull(OSError):
        pass

    def full(descriptor: int) -> None:
        raise DiskFull(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for suffix in ("csv", "csv.gz", "parquet"):
        with pytest.raises(UnwritableFile, match="No space left"):
            SCHEMA.write(COLUMNS, f"t.{suffix}")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "_write_csv", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SCHEMA.write(COLUMNS, "t.csv")
    assert list(Path().iterdir()) == []


def test_the_file_has_the_rights_that_new_files_have_here() -> None:
    Path("plain").touch()
    SCHEMA.write(COLUMNS, "t.csv")
    assert stat.S_IMODE(os.stat("t.csv").st_mode) == stat.S_IMODE(os.stat("plain").st_mode)

import pickle
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from sudare.errors import ColumnMismatch, InvalidParameter, SudareWarning, UnreadableFile, UnwritableFile
from sudare.schema import Categorical, Numeric, Schema

AGE = Numeric("age", 0, 120, outside="clip", missing=40.5)
SMOKER = Categorical("smoker", ["yes", "no", "former"], missing="no")
ILL = Categorical("ill", ["no", "yes"])
SCHEMA = Schema([AGE, SMOKER], label=ILL)
AWKWARD = ['a"b', "c\\d", "e\nf", "g\rh", "\x7f", "\t", "= 1", "日本語", "𝔘", "[x]", "#", "'", "é", "e\u0301"]


def test_columns_are_found_by_name() -> None:
    assert SCHEMA["age"] is AGE
    assert SCHEMA["ill"] is ILL
    assert SCHEMA.names == ("age", "smoker")
    assert [column.name for column in SCHEMA] == ["age", "smoker", "ill"]
    assert "ill" in SCHEMA
    assert "weight" not in SCHEMA
    with pytest.raises(ColumnMismatch, match="did you mean 'smoker'"):
        SCHEMA["Smokers"]


def test_schemas_join_side_by_side() -> None:
    height = Numeric("height", 0, 3)
    assert SCHEMA + Schema([height]) == Schema([AGE, SMOKER, height], label=ILL)
    assert Schema([height]) + SCHEMA == Schema([height, AGE, SMOKER], label=ILL)
    with pytest.raises(ColumnMismatch, match="ill"):
        SCHEMA + Schema([Numeric("ill", 0, 1)])
    with pytest.raises(TypeError):
        SCHEMA + height  # type: ignore[operator]


def test_a_schema_file_says_the_same_when_it_is_read_again() -> None:
    awkward = Schema([Categorical(name, AWKWARD) for name in AWKWARD], label=Numeric("x", -1e-7, 1.5e300))
    for schema in (SCHEMA, awkward):
        path = Path(f"{schema.hash}.toml")
        schema.save(path)
        loaded = Schema.load(str(path))
        assert loaded == schema
        assert loaded.hash == schema.hash
        schema.save(path)  # the same content may stand there already


def test_a_schema_file_is_never_written_over_another() -> None:
    Path("schema.toml").write_text("precious")
    with pytest.raises(UnwritableFile, match="never written over"):
        SCHEMA.save("schema.toml")
    assert Path("schema.toml").read_text() == "precious"


def test_a_schema_written_by_hand_may_leave_out_what_is_refused_anyway() -> None:
    Path("s.toml").write_text('[[attributes]]\nkind = "numeric"\nname = "age"\nlow = 0\nhigh = 120.0\n')
    assert Schema.load("s.toml") == Schema([Numeric("age", 0, 120)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a schema is a list"),
        ("attributes = 3", "a schema is a list"),
        ("attributes = [3]", "attribute 1"),
        ("[[attributes]]\nname = 'x'", "kind"),
        ("[[attributes]]\nkind = 'number'", "kind"),
        ("[[attributes]]\nkind = 'numeric'\nname = 'x'\nlow = 0", "high is not declared"),
        ("[[attributes]]\nkind = 'categorical'\nname = 'x'", "categories is not declared"),
        ("[[attributes]]\nkind = 'numeric'\nname = 'x'\nlow = 0\nhihg = 1", "did you mean 'high'"),
        ("[[attributes]]\nkind = 'numeric'\nname = 'x'\nlow = 0\nhigh = inf", "high is not a finite number"),
        ("[[attributes]]\nkind = 'numeric'\nname = 'x'\nlow = 0\nhigh = true", "high is not a finite number"),
        ("[[attributes]]\nkind = ['numeric']", "kind"),
        ("[lable]\nname = 'x'", "did you mean 'label'"),
    ],
)
def test_a_schema_file_that_declares_something_else_is_refused(text: str, said: str) -> None:
    Path("s.toml").write_text(text)
    with pytest.raises(InvalidParameter, match=said):
        Schema.load("s.toml")


@pytest.mark.parametrize(
    "content", [b"a = [", b"a = 1\na = 2", b"\xff", b"a = " + b"[" * 100_000, b"age,smoker\n1,no\n", b"#" * 16_000_001]
)
def test_a_file_that_is_no_schema_is_refused(content: bytes) -> None:
    Path("s.toml").write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"s\.toml") as caught:
        Schema.load("s.toml")
    assert caught.value.__context__ is None
    with pytest.raises(UnreadableFile, match=r"absent\.toml"):
        Schema.load("absent.toml")


def test_the_hash_is_one_of_the_declaration_and_stays() -> None:
    assert Schema([Numeric("age", 0, 120)]).hash == Schema([Numeric("age", -0.0, 120.0)]).hash
    assert Schema([Numeric("age", 0, 120)]).hash == "9cf354a597b908c7e6d2d3ed3845521c87b9ec8df849d2f330fa8b8546fc1730"
    others = [Schema([Numeric("age", 0, 121)]), Schema([AGE]), Schema([AGE, SMOKER]), SCHEMA, Schema([SMOKER, AGE])]
    assert len({schema.hash for schema in others}) == len(others)


def test_a_schema_is_a_value() -> None:
    assert Schema.from_dict(SCHEMA.to_dict()) == SCHEMA
    assert pickle.loads(pickle.dumps(SCHEMA)) == SCHEMA
    assert len({SCHEMA, Schema([AGE, SMOKER], label=ILL)}) == 1
    names = {"Schema": Schema, "Numeric": Numeric, "Categorical": Categorical}
    assert eval(repr(SCHEMA), names) == SCHEMA  # noqa: S307


def test_the_notebook_form_escapes_what_was_declared() -> None:
    shown = Schema([Categorical("<script>", ["<b>", "&"])])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;b&gt;" in shown


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, dict])
def test_a_public_sample_gives_bounds_and_categories_and_says_so(kind: type) -> None:
    sample = kind({"age": [17.0, None, 64.5], "children": [3, 0, 1], "smoker": ["yes", "no", None]})
    with pytest.warns(SudareWarning, match="public sample") as said:
        schema = Schema.infer(sample, label="smoker")
    assert said[0].filename == __file__
    expected = [Numeric("age", 17, 64.5), Numeric("children", 0, 3)]
    assert schema == Schema(expected, label=Categorical("smoker", ["no", "yes"]))


@pytest.mark.filterwarnings("ignore::sudare.errors.SudareWarning")
@pytest.mark.parametrize(
    "sample",
    [{"x": [1, 1]}, {"x": ["a"]}, {"x": []}, {"x": [True, False]}, {"x": [float("nan")]}, {"x": [[1]]}, "sample.csv"],
)
def test_a_sample_that_shows_no_domain_is_refused(sample: object) -> None:
    with pytest.raises((ColumnMismatch, InvalidParameter)):
        Schema.infer(sample)
    with pytest.raises(ColumnMismatch, match="no such column"):
        Schema.infer({"x": [1, 2]}, label="y")

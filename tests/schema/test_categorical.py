import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sudare.errors import OutOfDomain
from sudare.randomness import NotPrivate, is_private
from sudare.schema import Categorical

SMOKER = Categorical("smoker", ["yes", "no", "former"])
TEXTS = ["no", "former", "yes", "no"]


@pytest.mark.parametrize(
    "column",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        np.array(TEXTS, dtype=np.dtypes.StringDType()),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="category"),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pl.Series(TEXTS, dtype=pl.Enum(["former", "no", "yes"])),
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([pa.array(TEXTS[:1]), pa.array(TEXTS[1:])]),
        pa.chunked_array([pa.array(TEXTS[:1]).dictionary_encode(), pa.array(TEXTS[1:]).dictionary_encode()]),
    ],
    ids=lambda column: f"{type(column).__module__}.{type(column).__name__}",
)
def test_text_of_any_library_becomes_the_same_codes(column: object) -> None:
    codes = SMOKER.encode(column)
    assert codes.dtype == np.int8
    assert codes.tolist() == [1, 2, 0, 1]
    assert SMOKER.decode(codes).tolist() == TEXTS


@pytest.mark.parametrize("count", [2, 126, 127, 128, 32_766, 32_767, 40_000])
def test_codes_have_the_type_that_pandas_takes(count: int) -> None:
    texts = [f"{number:05d}" for number in range(count)]
    codes = Categorical("code", texts).encode(texts)
    assert codes.dtype == pd.Categorical(texts, categories=texts).codes.dtype
    np.testing.assert_array_equal(codes, np.arange(count))


def test_missing_values_take_the_declared_category_in_every_disguise() -> None:
    attribute = Categorical("smoker", ["yes", "no"], missing="no")
    missing = [None, float("nan"), pd.NA, ""]
    assert attribute.encode(pd.Series(["yes", *missing], dtype=object)).tolist() == [0, 1, 1, 1, 1]
    assert attribute.encode(pa.nulls(2)).tolist() == [1, 1]
    packed = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["yes", None]))
    assert attribute.encode(packed).tolist() == [0, 1, 1]


def test_categories_are_compared_as_they_are_spelled() -> None:
    texts = ["1", "01", "é", "e\u0301", "１", "NA", "null", "nan", "None"]
    assert Categorical("x", texts).encode(np.array(texts)).tolist() == list(range(len(texts)))


def test_text_is_not_cut_at_a_null_character() -> None:
    with pytest.raises(OutOfDomain, match="row 2"):
        Categorical("x", ["a", "b"]).encode(np.array(["a", "a\0b"]))


def test_codes_marked_as_not_private_decode_to_marked_text() -> None:
    assert not is_private(SMOKER.decode(np.array([0, 1]).view(NotPrivate)))


def test_the_text_form_is_the_declaration_and_stays_short() -> None:
    assert eval(repr(SMOKER), {"Categorical": Categorical}) == SMOKER  # noqa: S307
    assert len(repr(Categorical("x", [str(number) for number in range(10_000)]))) < 200

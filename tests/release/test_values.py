"""A value comes back as it was, and a hostile file is refused by its name."""

import io
import json
import pickle
import zipfile
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sudare.errors import InvalidParameter, ReleaseDamaged
from sudare.estimate import Estimate
from sudare.randomness import NotPrivate, is_private
from sudare.release.values import ARRAYS, TABLE, TREE, from_files, is_all_private, to_files

finite = st.floats(allow_nan=False, allow_infinity=False)
estimates = st.builds(Estimate, finite, finite, finite, st.floats(0.01, 0.99), st.booleans())
leaves = st.none() | st.booleans() | st.integers() | finite | st.text() | estimates
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)


@given(trees)
def test_any_tree_of_estimates_and_plain_values_comes_back(value: Any) -> None:
    files = to_files(value)
    assert from_files(files) == value
    assert to_files(from_files(files)) == files


@given(
    hnp.arrays(
        st.sampled_from(["?", "i1", "u2", "i8", "f4", "f8", "U3"]), hnp.array_shapes(min_dims=0, min_side=0, max_dims=3)
    )
)
def test_any_array_comes_back_in_its_type_and_shape(array: np.ndarray[Any, Any]) -> None:
    back = from_files(to_files({"reports": array}))["reports"]
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


def test_an_estimate_of_shares_comes_back_as_arrays() -> None:
    shares = Estimate(np.array([0.25, 0.75]), np.array([0.2, 0.7]), np.array([0.3, 0.8]), 0.95)
    back = from_files(to_files(shares))
    assert isinstance(back.value, np.ndarray)
    assert back.to_dict() == shares.to_dict()


def test_the_mark_of_not_private_reports_comes_back() -> None:
    back = from_files(to_files({"a": np.zeros(2).view(NotPrivate), "b": np.zeros(2)}))
    assert (is_private(back["a"]), is_private(back["b"])) == (False, True)
    assert not is_all_private(back)


FRAMES = [
    pd.DataFrame({"city": ["a", "b"], "age": [1.5, 2.5]}),
    pl.DataFrame({"city": ["a", "b"], "age": [1.5, 2.5]}),
    pa.table({"city": ["a", "b"], "age": [1.5, 2.5]}),
]


@pytest.mark.parametrize("table", FRAMES, ids=["pandas", "polars", "pyarrow"])
def test_a_table_comes_back_as_the_kind_that_it_was(table: Any) -> None:
    back = from_files(to_files(table))
    assert type(back) is type(table)
    assert back.equals(table)


@pytest.mark.parametrize(
    "value",
    [
        {"x": float("nan")},
        {"x": 10**400},
        {"x": Estimate(float("inf"), 0.0, 1.0, 0.95)},
        {"x": np.array([object()])},
        {"x": np.array([1 + 2j])},
        {1: "a"},
        {"x": {1, 2}},
        {"x": b"bytes"},
        {"x": Fraction(1, 3)},
        {"x": pd.DataFrame({"a": [1]})},
        pl.LazyFrame({"a": [1]}),
        object(),
        [[[[[[[[[[1]]]]]]]]]],
    ],
    ids=repr,
)
def test_what_a_release_cannot_hold_is_refused_before_anything_is_written(value: Any) -> None:
    with pytest.raises(InvalidParameter, match="a release cannot hold"):
        to_files(value)


def test_a_value_holding_itself_is_refused() -> None:
    loop: dict[str, Any] = {}
    loop["again"] = loop
    with pytest.raises(InvalidParameter):
        to_files(loop)


def tree(node: Any) -> dict[str, bytes]:
    return {TREE: json.dumps({"value": node}).encode(), ARRAYS: to_files(np.zeros(3))[ARRAYS]}


@pytest.mark.parametrize(
    "node",
    [
        {"is": "array", "name": "../../etc/passwd", "private": True},
        {"is": "array", "name": "a0"},
        {"is": "array", "name": ["a0"], "private": True},
        {"is": "estimate", "value": "1", "low": 0, "high": 1, "confidence": 0.9},
        {"is": "estimate", "value": [1, 2], "low": 0, "high": 1, "confidence": 0.9, "private": True},
        {"is": "estimate", "value": 1, "low": 0, "high": 1, "confidence": 0.9, "private": "no"},
        {"is": "mapping", "items": [1]},
        {"is": "table", "kind": "os"},
        {"is": "table", "kind": "pandas"},
        {"is": ["mapping"]},
        {"is": "code"},
        {},
    ],
    ids=str,
)
def test_a_tree_that_says_something_senseless_is_refused(node: Any) -> None:
    with pytest.raises(ReleaseDamaged):
        from_files(tree(node))


def packed(content: bytes, name: str = "a0.npy") -> dict[str, bytes]:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return {**tree({"is": "array", "name": "a0", "private": True}), ARRAYS: buffer.getvalue()}


def test_an_array_of_objects_is_never_unpickled() -> None:
    class Boom:
        def __reduce__(self) -> Any:
            return (pytest.fail, ("code ran while reading",))

    content = io.BytesIO()
    np.save(content, np.array([Boom()], dtype=object), allow_pickle=True)
    for files in (packed(content.getvalue()), packed(pickle.dumps(1)), packed(b""), packed(b"x", "other.npy")):
        with pytest.raises(ReleaseDamaged, match="array"):
            from_files(files)


def test_an_array_file_that_is_none_is_refused() -> None:
    for content in (b"", b"PK\x03\x04", b"\x00" * 100):
        with pytest.raises(ReleaseDamaged):
            from_files({**tree({"is": "array", "name": "a0", "private": True}), ARRAYS: content})


def test_an_array_that_claims_to_be_huge_is_refused_before_it_is_read() -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    with pytest.raises(ReleaseDamaged):
        from_files(packed(header.getvalue()))


def header(text: str, body: bytes = bytes(400)) -> bytes:
    line = text.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + body


HEADERS = [
    "{'descr': '<i8', 'fortran_order': False, 'shape': (50L",
    "'''",
    "  {\n 1\n  2",
    "(" * 3000,
    "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,)}",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (True,)}",
    "{'descr': '<i8', 'fortran_order': True, 'shape': (5, 10)}",
    "{'descr': '<i8', 'fortran_order': False, 'shape': (49,)}",
    "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (50,)}",
    "{'descr': '|O', 'fortran_order': False, 'shape': (50,)}",
    "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (50,)}",
]


@pytest.mark.parametrize("text", HEADERS, ids=lambda text: text[:60])
def test_an_array_with_an_odd_header_is_refused_by_name(text: str) -> None:
    with pytest.raises(ReleaseDamaged) as refused:
        from_files(packed(header(text)))
    assert refused.value.where == ARRAYS


@pytest.mark.parametrize(("method", "skipped", "length"), [(zipfile.ZIP_DEFLATED, 0, 2), (zipfile.ZIP_LZMA, 9, 8)])
def test_an_array_that_does_not_unpack_is_refused_by_name(method: int, skipped: int, length: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a0.npy", header("{'descr': '<i8', 'fortran_order': False, 'shape': (50,)}"))
    content = bytearray(buffer.getvalue())
    start = content.find(b"a0.npy") + 6 + skipped
    content[start : start + length] = b"\xff" * length
    with pytest.raises(ReleaseDamaged) as refused:
        from_files({**tree({"is": "array", "name": "a0", "private": True}), ARRAYS: bytes(content)})
    assert refused.value.where == ARRAYS


def test_arrays_are_counted_as_often_as_the_value_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from sudare.release import decoding

    node = {"is": "array", "name": "a0", "private": True}
    files = tree([node] * 4)
    assert len(from_files(files)) == 4
    monkeypatch.setattr(decoding.Room.__init__, "__defaults__", (80,))
    with pytest.raises(ReleaseDamaged, match="unfolds to more") as refused:
        from_files(files)
    assert refused.value.where == ARRAYS


@pytest.mark.parametrize("content", [b'{"value": 1e999}', b'{"value": "\\ud800"}', b'{"value": 1' + b"0" * 400 + b"}"])
def test_a_number_or_a_letter_that_no_file_can_hold_is_refused_by_name(content: bytes) -> None:
    with pytest.raises(ReleaseDamaged) as refused:
        from_files({TREE: content})
    assert refused.value.where == TREE


def test_a_table_file_that_is_none_is_refused() -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [1]}), buffer)
    for content in (b"", b"PAR1", buffer.getvalue()[:-9]):
        with pytest.raises(ReleaseDamaged):
            from_files({**tree({"is": "table", "kind": "pyarrow"}), TABLE: content})

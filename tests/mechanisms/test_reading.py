"""Values are read completely before anything is drawn: one that does not fit is found wherever it stands."""

import math

import numpy as np
import pytest

from sudare.errors import InvalidParameter, OutOfDomain
from sudare.mechanisms.reading import code_values, unit_values

ROWS = 71  # more than the widest vector, and no multiple of any


def sealed(column: np.ndarray) -> np.ndarray:
    view = column.view()
    view.flags.writeable = False
    return view


LAYOUTS = {
    "its own": lambda column: column,
    "read-only": sealed,
    "strided": lambda column: np.repeat(column, 3)[::3],
    "reversed": lambda column: column[::-1].copy()[::-1],
    "unaligned": lambda column: np.frombuffer(b"." + column.tobytes(), column.dtype, offset=1),
}

layouts = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
kinds = pytest.mark.parametrize("kind", [np.float32, np.float64])


@kinds
@layouts
def test_one_value_off_the_unit_interval_is_found_in_every_row(kind, layout):
    over, under = np.nextafter(kind([1, -1]), kind([2, -2]))
    for bad in (math.nan, -math.nan, math.inf, -math.inf, over, under):
        for row in range(ROWS):
            column = np.zeros(ROWS, kind)
            column[row] = bad
            with pytest.raises(OutOfDomain, match=rf"row {row + 1}\b"):
                unit_values(layout(column))


@kinds
@layouts
def test_the_whole_unit_interval_is_let_through_unchanged(kind, layout):
    values = layout(np.linspace(-1, 1, ROWS, dtype=kind))
    writable = values.flags.writeable
    assert unit_values(values) is values
    assert values.flags.writeable == writable
    assert len(unit_values(layout(np.zeros(0, kind)))) == 0


@pytest.mark.parametrize("values", [np.ma.array([0.5, 9.0], mask=[False, True]), np.array([1], "timedelta64[D]")])
def test_hidden_values_and_durations_are_no_numbers(values):
    for read in (unit_values, lambda array: code_values(array, 3)):
        with pytest.raises(InvalidParameter, match="remedy"):
            read(values)


def test_foreign_byte_order_is_read_in_the_own_one():
    assert code_values(np.array([0, 2], ">i8"), 3).dtype == np.int64
    assert unit_values(np.array([0.5], ">f8")).dtype == np.float64

"""Values are read once, completely, before anything is drawn: what does not fit is refused by row, never printed."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, OutOfDomain
from sudare.guarantees.exact import exact, exact_whole

_MOST_CATEGORIES = 1 << 16


def unit_values(values: Any) -> NDArray[Any]:
    """Return the values as a float array on [-1, 1]; float32 stays float32.

    Examples
    --------
    >>> unit_values([0.5, -1.0])
    array([ 0.5, -1. ])
    """
    array = _one_dimensional(values)
    if array.dtype not in (np.float32, np.float64):
        if array.dtype.kind not in "iuf":
            raise _wrong_kind(
                array, "numbers on [-1, 1]", "scale the column with its attribute: schema[name].to_unit(…)"
            )
        array = array.astype(np.float64)
    if _any_outside(_sealed(array)):
        row = int(np.argmin((array >= -1) & (array <= 1))) + 1
        raise OutOfDomain(
            column="values", row=row, allowed="-1 to 1", remedy="scale the column with its attribute's to_unit"
        )
    return array


def unit_value(value: Any) -> float:
    """Return one number on [-1, 1].

    Examples
    --------
    >>> unit_value("0.5")
    0.5
    """
    number = exact(value, name="value")
    if abs(number) > 1:
        raise InvalidParameter("the value is not on [-1, 1]", where="value", remedy="scale it with to_unit first")
    return float(number)


def category_count(categories: Any) -> int:
    """Return how many categories there are, or refuse a number that no response can tell apart.

    Examples
    --------
    >>> category_count(3)
    3
    """
    count = exact_whole(categories, name="categories", least=2)
    if count > _MOST_CATEGORIES:
        raise InvalidParameter(
            f"more than {_MOST_CATEGORIES} categories",
            where="categories",
            remedy="group rare categories in the schema; so many cannot be told apart from noise",
        )
    return count


def code_values(values: Any, categories: int) -> NDArray[Any]:
    """Return the values as integer codes 0 … categories − 1, in their own integer type.

    Examples
    --------
    >>> code_values([0, 2], categories=3)
    array([0, 2])
    """
    array = _one_dimensional(values)
    if array.size == 0 and array.dtype == np.float64:
        array = array.astype(np.int64)  # the type that NumPy gives an empty list
    if array.dtype.kind not in "iu":
        raise _wrong_kind(array, "whole-number codes", "read the column through its schema: schema.read(table)[name]")
    if categories - 1 > np.iinfo(array.dtype).max:
        array = array.astype(np.int64)  # the reports need room for every category
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.size and not (array.min() >= 0 and array.max() < categories):
        row = int(np.argmin((array >= 0) & (array < categories))) + 1
        raise OutOfDomain(
            column="values",
            row=row,
            allowed=f"codes 0 to {categories - 1}",
            remedy="read the column through its schema, which numbers the categories",
        )
    return array


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that is read-only, whatever the array is: one compiled loop serves both."""
    view = array.view()
    view.flags.writeable = False
    return view


@njit(cache=True, nogil=True)
def _any_outside(numbers):  # type: ignore[no-untyped-def]  # pragma: no cover
    # One pass without a branch, so that it runs at the rate of memory; a NaN makes the comparison false.
    outside = 0
    for row in range(len(numbers)):
        outside += not (abs(numbers[row]) <= 1)
    return outside > 0


def _one_dimensional(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidParameter(
            "a masked array hides values that would be randomized all the same",
            where="values",
            remedy="fill in what is masked, or leave it out: values.compressed()",
        )
    # np.asarray also sheds the mark of an array subclass: inputs are not reports.
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty((0, 0))  # a ragged list of lists, whatever else it may be
    if array.ndim != 1:
        raise InvalidParameter(
            "one column is randomized at a time, and this is none",
            where="values",
            remedy="hand in one column as a one-dimensional array",
        )
    return array


def _wrong_kind(array: NDArray[Any], allowed: str, remedy: str) -> InvalidParameter:
    return InvalidParameter(f"values of type {array.dtype} are not {allowed}", where="values", remedy=remedy)


def writable(block: NDArray[Any]) -> NDArray[Any]:
    """Return the block in the one memory layout for which the compiled loops exist."""
    return block if block.flags.writeable and block.flags.c_contiguous else block.copy()

"""Any column, of any library, as Arrow: the one shape in which columns are checked."""

from typing import Any

import numpy as np

from sudare.schema.refusals import attempted, is_text, kind_in_words, wrong_kind


def arrow_column(values: Any, name: str) -> Any:
    """Return a list, an array or a column of pandas, Polars or Arrow as an Arrow chunked array; NaN means missing.

    Examples
    --------
    >>> arrow_column(["0012", None], "id").to_pylist()
    ['0012', None]
    """
    import pyarrow as pa

    column = attempted(_converted, values)
    if column is None:
        raise wrong_kind(name, "mixed or unsupported values", "turn it into one column of numbers, or one of text")
    if _of_objects(values) and not (is_text(column.type) or pa.types.is_null(column.type)):
        found = f"Python objects ({kind_in_words(column.type)})"
        raise wrong_kind(name, found, "give the column a type of its own, such as .astype(float) or .astype(str)")
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _converted(values: Any) -> Any:
    import narwhals as nw
    import pyarrow as pa

    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, (list, tuple)):
        return pa.array(values, from_pandas=True)
    if isinstance(values, np.ndarray):
        return pa.array(_readable(values), from_pandas=True)
    return nw.from_native(values, series_only=True).to_arrow()


def _readable(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind in "UT":
        return array.tolist()  # Arrow would cut fixed-width text at a null character
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _of_objects(values: Any) -> bool:
    return str(getattr(values, "dtype", "")) in ("object", "Object")  # NumPy's and pandas' name, and that of Polars

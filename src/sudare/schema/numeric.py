"""A number with declared bounds, and the only scaling between its own unit and [-1, 1]."""

import math
import warnings
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, OutOfDomain, SudareWarning
from sudare.estimate import Estimate
from sudare.schema.names import checked_text
from sudare.schema.refusals import attempted, is_number, is_text, kind_in_words, wrong_kind

_PLAIN_NUMBER = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True, repr=False)
class Numeric:
    """A column of numbers between two declared bounds, which are public knowledge and never looked up in the data.

    Parameters
    ----------
    name
        The column.
    low, high
        Finite bounds, both allowed as values.
    outside
        "refuse" a value outside the bounds, or "clip" it to the nearer one.
    missing
        "refuse" a missing value (null or NaN), or the number between the bounds that stands in for it.

    Examples
    --------
    >>> age = Numeric("age", low=0, high=120, outside="clip")
    >>> age.to_unit(np.array([0.0, 30.0, 150.0]))
    array([-1. , -0.5,  1. ])
    """

    name: str
    low: float
    high: float
    outside: Literal["refuse", "clip"] = "refuse"
    missing: Literal["refuse"] | float = "refuse"

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "name", checked_text(self.name, what="the name of a Numeric"))
        keep(self, "low", self._finite(self.low, "low"))
        keep(self, "high", self._finite(self.high, "high"))
        if not (self.low < self.high and math.isfinite(self.high - self.low)):
            raise self._refused(
                "low is not below high by a finite width", "high", "declare a low bound below the high one"
            )
        if self.outside not in ("refuse", "clip"):
            raise self._refused("there is no such treatment", "outside", 'choose outside="refuse" or outside="clip"')
        if not isinstance(self.missing, str):
            keep(self, "missing", self._finite(self.missing, "missing"))
        if self.missing != "refuse" and not self._holds(self.missing):
            remedy = f'choose missing="refuse" or a number from {self._allowed}'
            raise self._refused("the substitute lies outside the bounds", "missing", remedy)

    def _finite(self, value: Any, argument: str) -> float:
        number = None
        if isinstance(value, (int, float, np.integer, np.floating, Decimal, Fraction)) and not isinstance(value, bool):
            number = attempted(float, value)
        if number is None or not math.isfinite(number):
            remedy = "declare a public bound as a number, such as 120 without quotes"
            raise self._refused(f"{argument} is not a finite number", argument, remedy)
        if isinstance(value, np.generic):
            warnings.warn(
                f"Numeric {self.name!r}: {argument} is a NumPy number, as if it was computed from the data. What is "
                "looked up there tells about the person who has it: write down a number that everyone may know",
                SudareWarning,
                stacklevel=4,
            )
        return number + 0.0  # -0.0 and 0.0 are one bound, hence one hash

    def _refused(self, what: str, argument: str, remedy: str) -> InvalidParameter:
        return InvalidParameter(what, where=f"Numeric {self.name!r}, {argument}", remedy=remedy)

    def _holds(self, value: float | str) -> bool:
        return not isinstance(value, str) and self.low <= value <= self.high

    @property
    def _allowed(self) -> str:
        return f"{plain(self.low)} to {plain(self.high)}"

    @overload
    def to_unit(self, values: float) -> float: ...
    @overload
    def to_unit(self, values: Any) -> NDArray[Any]: ...

    def to_unit(self, values: Any) -> float | NDArray[Any]:
        """Scale values to [-1, 1]; float32 stays float32. What is outside the bounds or missing goes as declared.

        Examples
        --------
        >>> Numeric("age", 0, 120).to_unit(60)
        0.0
        """
        given = self._numbers(values)
        scaled = self.checked(given)
        scaled -= self.low
        scaled /= self.high - self.low
        scaled *= 2
        scaled -= 1
        return _as_given(scaled, given)

    @overload
    def from_unit(self, values: Estimate) -> Estimate: ...
    @overload
    def from_unit(self, values: float) -> float: ...
    @overload
    def from_unit(self, values: Any) -> NDArray[Any]: ...

    def from_unit(self, values: Any) -> Estimate | float | NDArray[Any]:
        """Scale from [-1, 1] to the column's own unit: numbers, arrays, or an `Estimate` with its interval.

        Noisy reports beyond [-1, 1] are carried on along the same line; what lies in [-1, 1] ends inside the bounds.

        Examples
        --------
        >>> Numeric("age", 0, 120).from_unit(np.array([-1.0, 0.0, 1.5]))
        array([  0.,  60., 150.])
        """
        if isinstance(values, Estimate):
            return values.mapped(self.from_unit)
        given = self._numbers(values)
        unit = given.astype(np.float64)
        scaled = (1 - unit) / 2 * self.low + (1 + unit) / 2 * self.high
        inside = np.abs(unit) <= 1
        # Rounding may pass a bound by its last digit, and the value would be refused when it is read again.
        scaled = np.clip(scaled, np.where(inside, self.low, -np.inf), np.where(inside, self.high, np.inf))
        return _as_given(scaled, given)

    def checked(self, values: NDArray[Any], first_row: int = 1) -> NDArray[np.float64]:
        """Return numbers as fresh float64 inside the bounds, or refuse the first that does not fit.

        Examples
        --------
        >>> Numeric("age", 0, 120, outside="clip").checked(np.array([30, 130]))
        array([ 30., 120.])
        """
        low, high = (_as_stored(bound, values.dtype) for bound in (self.low, self.high))
        numbers = values.astype(np.float64)
        absent = np.isnan(numbers)
        if absent.any():
            numbers[absent] = self._substitute(absent, first_row)
        beyond = (numbers < low) | (numbers > high)
        if self.outside == "refuse" and beyond.any():
            remedy = f'correct it, or declare Numeric({self.name!r}, ..., outside="clip") to clip on reading'
            raise OutOfDomain(column=self.name, row=_first(beyond, first_row), allowed=self._allowed, remedy=remedy)
        return np.clip(numbers, self.low, self.high, out=numbers)

    def _substitute(self, absent: NDArray[np.bool_], first_row: int) -> float:
        if not isinstance(self.missing, str):
            return self.missing
        raise OutOfDomain(
            column=self.name,
            row=_first(absent, first_row),
            allowed=self._allowed,
            remedy=f"fill it in, or declare Numeric({self.name!r}, ..., missing=...) with a public, typical number",
            problem="a value is missing or not a number",
        )

    def read(self, column: Any, first_row: int = 1, *, spelled: bool = False) -> NDArray[np.float64]:
        """Return an Arrow array as `checked` numbers; `spelled` numbers stand as text, as in a CSV file.

        Examples
        --------
        >>> import pyarrow as pa
        >>> Numeric("age", 0, 120).read(pa.array(["30", "41.5"]), spelled=True)
        array([30. , 41.5])
        """
        import pyarrow as pa

        if spelled and is_text(column.type):
            column = self._parsed(column, first_row)
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if not (is_number(column.type) or pa.types.is_null(column.type)):
            raise wrong_kind(self.name, kind_in_words(column.type), _remedy(column.type))
        if not pa.types.is_floating(column.type):
            column = column.cast(pa.float64(), safe=False)  # a measure keeps 53 bits; identifiers are text
        return self.checked(column.to_numpy(zero_copy_only=False), first_row)

    def _parsed(self, texts: Any, first_row: int) -> Any:
        import pyarrow as pa
        import pyarrow.compute as compute

        position = compute.index(compute.match_substring_regex(texts, _PLAIN_NUMBER), False).as_py()
        if position >= 0:
            raise OutOfDomain(
                column=self.name,
                row=first_row + position,
                allowed=self._allowed,
                remedy="write plain numbers such as 12.5, without spaces, units or separators of thousands",
                problem="a cell is not a number",
            )
        return texts.cast(pa.float64())

    def _numbers(self, values: Any) -> NDArray[Any]:
        array = attempted(np.asanyarray, values)
        if array is None or array.dtype.kind not in "iuf" or array.ndim > 1:
            remedy = "hand in one column, read by its schema"
            raise wrong_kind(self.name, "something else than one row of numbers", remedy)
        if isinstance(array, np.ma.MaskedArray):
            return np.asarray(np.ma.filled(array.astype(np.float64), np.nan))
        return np.asanyarray(array)

    def described(self) -> tuple[str, str, str, str]:
        """Return name, what is allowed, and what happens outside of it and to missing values, in words."""
        return self.name, self._allowed, self.outside, str(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as plain text and numbers.

        Examples
        --------
        >>> Numeric("age", 0, 120, missing=45).to_dict()["missing"]
        45
        """
        missing = self.missing if isinstance(self.missing, str) else plain(self.missing)
        bounds = {"low": plain(self.low), "high": plain(self.high)}
        return {"name": self.name, "kind": "numeric", **bounds, "outside": self.outside, "missing": missing}

    def __repr__(self) -> str:
        said = {"outside": self.outside, "missing": self.missing}
        extra = "".join(f", {name}={value!r}" for name, value in said.items() if value != "refuse")
        return f"Numeric({self.name!r}, {plain(self.low)}, {plain(self.high)}{extra})"


def plain(number: float) -> int | float:
    """Return a whole number without its decimal point, as people write it.

    Examples
    --------
    >>> plain(120.0), plain(0.5)
    (120, 0.5)
    """
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _as_stored(bound: float, kind: np.dtype[Any]) -> float:
    # A float32 column holds 0.1 as 0.100000001: its own rounding of a bound counts as the bound.
    if kind not in (np.float16, np.float32):
        return bound
    with np.errstate(over="ignore"):
        stored = float(kind.type(bound))
    return stored if math.isfinite(stored) else bound


def _first(rows: NDArray[np.bool_], first_row: int) -> int:
    return first_row + int(np.argmax(rows))


def _as_given(scaled: NDArray[np.float64], given: NDArray[Any]) -> float | NDArray[Any]:
    if not given.ndim:
        return float(scaled)
    return scaled.astype(np.float32, copy=False) if given.dtype == np.float32 else scaled


def _remedy(kind: Any) -> str:
    import pyarrow.types as is_a

    if is_a.is_boolean(kind):
        return "declare it Categorical and write the values as text, or turn them into 0 and 1 first"
    if is_text(kind):
        return "declare it Categorical, or turn the column into numbers before reading"
    return "turn the column into numbers before reading, such as years or days since a public date"

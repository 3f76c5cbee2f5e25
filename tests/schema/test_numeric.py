import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import OutOfDomain, SudareWarning
from sudare.estimate import Estimate
from sudare.randomness import NotPrivate, is_private
from sudare.schema import Numeric

AGE = Numeric("age", 0, 120)


@st.composite
def declared_values(draw: st.DrawFn) -> tuple[Numeric, np.ndarray]:
    ends = st.floats(-1e300, 1e300, allow_subnormal=True)
    low, high = sorted(draw(st.lists(ends, min_size=2, max_size=2, unique=True)))
    if not low < high or not np.isfinite(high - low):
        low, high = 0.0, 1.0
    values = draw(st.lists(st.floats(low, high), max_size=20))
    return Numeric("x", low, high), np.array([low, high, *values])


@given(declared_values())
def test_scaling_lands_in_the_unit_interval_and_comes_back_inside_the_bounds(case: tuple[Numeric, np.ndarray]) -> None:
    attribute, values = case
    unit = attribute.to_unit(values)
    assert unit.min() == -1
    assert unit.max() == 1
    back = attribute.from_unit(unit)
    assert attribute.low == back[0]
    assert attribute.high == back[1]
    np.testing.assert_array_equal(attribute.checked(back), back)
    span = attribute.high - attribute.low
    magnitude = max(abs(attribute.low), abs(attribute.high))
    assert np.abs(back - values).max() <= 8 * (np.spacing(span) + np.spacing(magnitude))


@given(declared_values())
def test_scaling_never_turns_an_order_around(case: tuple[Numeric, np.ndarray]) -> None:
    attribute, values = case
    assert (np.diff(attribute.to_unit(np.sort(values))) >= 0).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scaling_keeps_the_float_type(kind: type) -> None:
    values = np.array([0, 41.3, 120], dtype=kind)
    unit = AGE.to_unit(values)
    assert unit.dtype == kind
    assert AGE.from_unit(unit).dtype == kind
    assert np.abs(unit).max() <= 1


@pytest.mark.parametrize("kind", [np.int8, np.uint64, np.int64, np.float16])
def test_other_numbers_become_float64(kind: type) -> None:
    assert AGE.to_unit(np.array([0, 60, 120], dtype=kind)).dtype == np.float64


def test_a_float32_rounding_of_a_bound_is_the_bound() -> None:
    attribute = Numeric("x", -0.1, 0.1)
    values = np.array([-0.1, 0.1], dtype=np.float32)
    assert float(values[1]) > 0.1
    np.testing.assert_array_equal(attribute.checked(values), [-0.1, 0.1])
    with pytest.raises(OutOfDomain):
        attribute.checked(np.nextafter(values, np.float32(1)))


def test_an_infinite_float16_is_not_taken_for_a_bound_that_float16_cannot_hold() -> None:
    with pytest.raises(OutOfDomain):
        Numeric("x", 0, 1e6).checked(np.array([np.inf], dtype=np.float16))


def test_scalars_come_back_as_scalars() -> None:
    assert AGE.to_unit(30) == -0.5
    assert isinstance(AGE.from_unit(-0.5), float)


def test_what_is_outside_or_missing_goes_as_declared() -> None:
    attribute = Numeric("age", 0, 120, outside="clip", missing=60)
    np.testing.assert_array_equal(attribute.to_unit([-np.inf, np.nan, 1e9]), [-1, 0, 1])


def test_a_masked_value_is_a_missing_one() -> None:
    masked = np.ma.masked_array([30, 40], mask=[False, True])
    np.testing.assert_array_equal(Numeric("age", 0, 120, missing=60).to_unit(masked), [-0.5, 0])
    with pytest.raises(OutOfDomain, match="row 2"):
        AGE.to_unit(masked)


def test_an_estimate_is_scaled_with_its_interval_and_its_mark() -> None:
    scaled = AGE.from_unit(Estimate(value=0.0, low=-0.5, high=1.25, confidence=0.95, private=False))
    assert scaled == Estimate(value=60.0, low=30.0, high=135.0, confidence=0.95, private=False)
    many = AGE.from_unit(Estimate(np.zeros(2), np.full(2, -1.0), np.ones(2), 0.95))
    np.testing.assert_array_equal(many.high, [120, 120])


def test_reports_outside_are_carried_on_along_the_same_line() -> None:
    np.testing.assert_allclose(AGE.from_unit(np.array([-3.0, 2.0])), [-120, 180])


def test_arrays_marked_as_not_private_keep_the_mark() -> None:
    marked = np.array([0.0, 0.5]).view(NotPrivate)
    assert not is_private(AGE.from_unit(marked))
    assert not is_private(AGE.to_unit(marked))
    assert is_private(AGE.to_unit(np.zeros(2)))


def test_scaling_leaves_the_given_array_as_it_was() -> None:
    values = np.array([10.0, 150.0, np.nan])
    before = values.copy()
    Numeric("age", 0, 120, outside="clip", missing=1).to_unit(values)
    np.testing.assert_array_equal(values, before)


def test_the_text_form_is_the_declaration() -> None:
    for attribute in (AGE, Numeric("x", -0.5, 1e20, outside="clip", missing=0.25)):
        assert eval(repr(attribute), {"Numeric": Numeric}) == attribute  # noqa: S307


@pytest.mark.parametrize("argument", ["low", "high", "missing"])
def test_a_bound_that_looks_computed_is_told(argument):
    bounds = {
        "low": 0,
        "high": 120,
        "missing": 40,
        argument: np.float64({"low": 0, "high": 120, "missing": 40}[argument]),
    }
    with pytest.warns(SudareWarning, match="everyone may know") as told:
        Numeric("age", **bounds)
    assert told[0].filename == __file__

"""The laws reject what is wrong by one percent, and say by name what is wrong."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from sudare.errors import LawBroken
from sudare.guarantees import LocalDP
from sudare.mechanisms import (
    Mechanism,
    OptimizedUnaryEncoding,
    Piecewise,
    RandomizedResponse,
    TwoPoint,
    unit_values,
)
from sudare.testing import check_mechanism
from sudare.testing import mechanism_laws as laws

TINY_TO_LARGE = ["0.000001", "0.01", "0.5", "1", "4", "20", "39"]
DRAWN = ["0.5", "1", "2", "4"]


class Stand(Mechanism):
    """Passes everything on to a right mechanism; what is planted overrides one thing."""

    def __init__(self, inner):
        self.inner = inner
        self.epsilon = inner.epsilon

    guarantee = property(lambda self: self.inner.guarantee)
    inputs = property(lambda self: self.inner.inputs)
    outputs = property(lambda self: self.inner.outputs)
    categories = property(lambda self: self.inner.categories)
    proved_epsilon = property(lambda self: self.inner.proved_epsilon)

    def weights(self):
        return self.inner.weights()

    def randomize(self, values, source=None):
        return self.inner.randomize(values, source)

    def frequencies(self, outputs):
        return self.inner.frequencies(outputs)

    def expected_error(self, rows):
        return self.inner.expected_error(rows)

    def identity(self):
        return self.inner.identity()


def planted_epsilon(kind, epsilon, error):
    """A mechanism that charges `epsilon` and works with `epsilon` times (1 + error)."""
    return kind(Fraction(epsilon) * Fraction(100 + error, 100))


@pytest.mark.parametrize("epsilon", TINY_TO_LARGE)
@pytest.mark.parametrize(
    "kind", [lambda e: RandomizedResponse(2, e), lambda e: RandomizedResponse(16, e), TwoPoint], ids=["2", "16", "two"]
)
def test_a_table_off_by_one_percent_is_found_at_every_epsilon(kind, epsilon):
    stand = Stand(planted_epsilon(kind, epsilon, +1 if epsilon != "0.000001" else +2))
    stand.epsilon = Fraction(epsilon)
    stand.__class__ = type("Planted", (Stand,), {"guarantee": property(lambda self: LocalDP(self.epsilon))})
    with pytest.raises(LawBroken, match="epsilon is proved"):
        laws.epsilon_is_proved(stand)


@pytest.mark.parametrize("epsilon", TINY_TO_LARGE)
def test_an_epsilon_that_is_not_used_is_found(epsilon):
    stand = Stand(RandomizedResponse(4, Fraction(epsilon)))
    stand.epsilon = Fraction(epsilon) * Fraction(102, 100)
    with pytest.raises(LawBroken, match="epsilon is used"):
        laws.epsilon_is_used(stand)


class DrawsAnother(Stand):
    """The table is right, the sampler is that of another mechanism."""

    def __init__(self, inner, sampler):
        super().__init__(inner)
        self.sampler = sampler

    def randomize(self, values, source=None):
        reports = self.sampler.randomize(values, source)
        cells = np.searchsorted(self.sampler.outputs.astype(reports.dtype), reports)
        return self.inner.outputs.astype(reports.dtype)[cells]


@pytest.mark.parametrize("error", [-1, +1])
@pytest.mark.parametrize("epsilon", DRAWN)
@pytest.mark.parametrize("kind", [lambda e: RandomizedResponse(2, e), TwoPoint], ids=["response", "two-point"])
def test_draws_off_by_one_percent_in_epsilon_are_found(kind, epsilon, error):
    with pytest.raises(LawBroken, match="draws follow the table"):
        laws.draws_follow_the_table(DrawsAnother(kind(epsilon), planted_epsilon(kind, epsilon, error)))


@dataclass(frozen=True, init=False)
class Stretched(TwoPoint):
    """Reports that are one percent too large: ε is kept, the mean is not."""

    def __init__(self, epsilon):
        super().__init__(epsilon)
        self.__dict__["reach"] = TwoPoint(epsilon).reach * 1.01


@pytest.mark.parametrize("epsilon", DRAWN)
def test_a_bias_of_one_percent_is_found(epsilon):
    with pytest.raises(LawBroken, match="estimates are unbiased"):
        laws.estimates_are_unbiased(Stretched(epsilon))


class Planted(RandomizedResponse):
    """A right mechanism whose one method is overridden below."""


def planted(**methods):
    return type("Planted", (RandomizedResponse,), methods)(3, "1")


def stateful(self, values, source=None):
    self.__dict__["drawn"] = self.__dict__.get("drawn", 0) + 1
    return (RandomizedResponse.randomize(self, values, source) + self.__dict__["drawn"]) % 3


def forgets_the_row(self, values, source=None):
    return RandomizedResponse.randomize(self, values, None if source is None else type(source)(source.seed))


DEFECTS = {
    "every report is possible": planted(weights=lambda self: [[2, 0, 0], [0, 2, 0], [0, 0, 2]]),
    "the table is complete": planted(weights=lambda self: [[2, 1], [1, 2]]),
    "epsilon is proved": planted(guarantee=property(lambda self: LocalDP("0.5"))),
    "reports are outputs": planted(randomize=lambda s, v, source=None: np.full(len(v), 3)),
    "any number of rows": planted(randomize=lambda s, v, source=None: np.zeros(max(1, len(v)), int)),
    "batches do not matter": planted(randomize=forgets_the_row),
    "reading changes nothing": planted(
        frequencies=lambda s, r: s.__dict__.update(epsilon=Fraction(2)) or RandomizedResponse(3, "1").frequencies(r)
    ),
    "hostile values are refused": planted(
        randomize=lambda s, v, source=None: (
            RandomizedResponse(3, "1").randomize(np.clip(v.astype(int), 0, 2), source)
            if v.dtype != object and v.dtype.kind in "biu"
            else RandomizedResponse(3, "1").randomize(v, source)
        )
    ),
}


@pytest.mark.parametrize("law", DEFECTS)
def test_each_planted_defect_breaks_the_law_that_names_it(law):
    with pytest.raises(LawBroken) as broken:
        check_mechanism(DEFECTS[law])
    assert broken.value.law == law


def leaks_one_category(self, values, source=None):
    return np.where(values == 1, values, np.asarray(RandomizedResponse.randomize(self, values, source)))


def tilts_the_others(self, outputs, confidence=0.95):
    estimate = RandomizedResponse.frequencies(self, outputs, confidence)
    shares = np.asarray(estimate.value)
    return replace(estimate, value=shares + 0.3 * (shares < shares.max()))


class SignCoin(TwoPoint):
    """Uses the sign of a value alone."""

    def randomize(self, values, source=None):
        return super().randomize(np.where(unit_values(values) < 0, -1.0, 1.0), source)


class Nearest(Piecewise):
    """Rounds a value to the nearest input, always to the same side."""

    def randomize(self, values, source=None):
        numbers, last = unit_values(values), len(self.inputs) - 1
        nearest = np.rint((numbers + 1) / 2 * last) * 2 / last - 1
        return super().randomize(np.clip(nearest, -1, 1).astype(numbers.dtype), source)


class LeaksBetween(Piecewise):
    """Reports every value that is no input of the table by one certain output."""

    def randomize(self, values, source=None):
        reports = np.asarray(super().randomize(values, source))
        between = ~np.isin(unit_values(values), self.inputs)
        return np.where(between, self.outputs[-1], reports).astype(reports.dtype)


class TwiceTheProduct(TwoPoint):
    def products(self, left, right, other=None, confidence=0.95):
        return super().products(left, right, other, confidence).mapped(lambda value: 2 * value)


class SquareAndOne(Piecewise):
    def second_moment(self, outputs, confidence=0.95):
        return super().second_moment(outputs, confidence).mapped(lambda value: value + 1)


class NoInterval(TwoPoint):
    def mean(self, outputs, confidence=0.95):
        estimate = super().mean(outputs, confidence)
        return replace(estimate, low=estimate.value, high=estimate.value)


class TooConfident(TwoPoint):
    def expected_error(self, rows):
        return super().expected_error(rows) / 3


QUIETER = {
    "every input is drawn from its row": [type("P", (RandomizedResponse,), {"randomize": leaks_one_category})(8, "1")],
    "estimates are unbiased": [type("P", (RandomizedResponse,), {"frequencies": tilts_the_others})(4, "1")],
    "products and squares are unbiased": [TwiceTheProduct("1"), SquareAndOne("1")],
    "intervals cover": [NoInterval("1")],
}


@pytest.mark.parametrize(("law", "mechanism"), [(law, one) for law, several in QUIETER.items() for one in several])
def test_defects_that_the_first_and_last_input_do_not_show_are_found(law, mechanism):
    with pytest.raises(LawBroken) as broken:
        check_mechanism(mechanism)
    assert broken.value.law == law


@pytest.mark.parametrize("mechanism", [SignCoin("1"), Nearest("1"), LeaksBetween("1"), TooConfident("1")])
def test_defects_between_the_inputs_and_errors_that_are_hidden_are_found(mechanism):
    with pytest.raises(LawBroken):
        check_mechanism(mechanism)


def test_a_mechanism_with_a_memory_is_found():
    with pytest.raises(LawBroken):
        check_mechanism(planted(randomize=stateful))


def test_a_third_partys_mechanism_passes_by_the_public_names_alone():
    class Warner(Mechanism):
        """Warner's response for yes or no, written on top of the public two-point coin."""

        def __init__(self, epsilon):
            self.epsilon = Fraction(epsilon)
            self._coin = RandomizedResponse(2, epsilon)

        inputs = property(lambda self: np.array([0, 1]))
        outputs = property(lambda self: np.array([0, 1]))

        def weights(self):
            return self._coin.weights()

        def randomize(self, values, source=None):
            return self._coin.randomize(values, source)

        def frequencies(self, outputs):
            return self._coin.frequencies(outputs)

        def expected_error(self, rows):
            return self._coin.expected_error(rows)

        def identity(self):
            return {"mechanism": "Warner", "epsilon": str(self.epsilon)}

    check_mechanism(Warner("1"))


def test_bits_are_checked_too():
    check_mechanism(OptimizedUnaryEncoding(6, "2"))

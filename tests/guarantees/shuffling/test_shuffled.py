"""What `shuffled` promises: the best valid bound by itself, never above the local ε; only a named bound refuses."""

import itertools
from fractions import Fraction

import pytest
from tests.guarantees.shuffling.all_but_one_alike import AllButOneAlike

from sudare.errors import BoundNotValid, InvalidParameter
from sudare.guarantees import LocalDP, compose
from sudare.guarantees.shuffling import BOUNDS

DELTA = Fraction(1, 10**10)


def record(epsilon, reports, outputs=2):
    return compose([LocalDP(Fraction(epsilon) / reports, outputs=outputs)] * reports)


def epsilon_of(epsilon, reports, rows, bound=None, delta=DELTA):
    return float(record(epsilon, reports).shuffled(rows, delta, bound).epsilon)


# rows, local ε, closed form, stronger clone, blanket for 6, 12 and 100 reports; all at δ = 1e-10.
FIGURES = [
    (10**4, 1, 0.264, 0.0675, 0.0275, 0.0191, 0.0063),
    (10**4, 2, 0.600, 0.173, 0.0748, 0.0515, 0.0169),
    (10**4, 4, None, 0.605, 0.289, 0.189, 0.0586),
    (10**4, 8, None, 8.0, 2.99, 1.54, 0.356),
    (10**5, 2, 0.231, 0.0524, 0.0227, 0.0156, 0.0051),
    (10**5, 4, 0.639, 0.178, 0.0876, 0.0573, 0.0178),
    (10**5, 8, None, 1.97, 0.859, 0.452, 0.106),
    (10**6, 4, 0.248, 0.0540, 0.0267, 0.0174, 0.0054),
    (10**6, 8, None, 0.448, 0.260, 0.137, 0.0322),
]


@pytest.mark.parametrize(("rows", "epsilon", "closed", "clone", "six", "twelve", "hundred"), FIGURES)
def test_the_known_figures_are_reached(rows, epsilon, closed, clone, six, twelve, hundred):
    if closed is not None:
        assert epsilon_of(epsilon, 6, rows, "closed-form") == pytest.approx(closed, rel=0.005)
    assert epsilon_of(epsilon, 6, rows, "stronger-clone") == pytest.approx(clone, rel=0.005)
    for reports, blanket in ((6, six), (12, twelve), (100, hundred)):
        assert epsilon_of(epsilon, reports, rows, "blanket") == pytest.approx(blanket, rel=0.02)


@pytest.mark.parametrize(("rows", "epsilon"), [(10**4, 1), (10**4, 2), *itertools.product((10**5, 10**6), (1, 2, 4))])
@pytest.mark.parametrize(("reports", "gain"), [(6, 7), (12, 11), (100, 35)])
def test_the_gain_over_the_closed_form(rows, epsilon, reports, gain):
    assert epsilon_of(epsilon, reports, rows, "closed-form") >= gain * epsilon_of(epsilon, reports, rows)


@pytest.mark.parametrize(("rows", "epsilon"), [(10**4, 1), (10**5, 4), (10**5, 8), (10**6, 2)])
def test_one_binary_report_makes_the_blanket_equal_to_the_stronger_clone(rows, epsilon):
    blanket, clone = (epsilon_of(epsilon, 1, rows, bound) for bound in ("blanket", "stronger-clone"))
    assert blanket == pytest.approx(clone, rel=1e-4)


@pytest.mark.parametrize(
    ("rows", "epsilon", "reports"),
    [(10**4, 1, 1), (10**4, 2, 6), (10**4, 4, 12), (10**5, 4, 6), (10**6, 2, 100), (10**6, 4, 6)],
)
def test_no_bound_is_below_what_holds_when_all_others_are_alike(rows, epsilon, reports):
    truth = AllButOneAlike(epsilon, reports, rows).epsilon(float(DELTA))
    for bound in ("stronger-clone", "blanket"):
        assert truth <= epsilon_of(epsilon, reports, rows, bound)
    # The lower bound has teeth: it is not far below, so an error of that size would be found.
    assert truth > 0.4 * epsilon_of(epsilon, reports, rows)


def test_a_composition_of_binary_reports_finds_the_blanket_by_itself():
    promise = record(2, 6).shuffled(rows=10**4, delta="1e-10")
    assert promise.bound == "blanket"
    assert promise == record(2, 6).shuffled(rows=10**4, delta="1e-10", bound="blanket")
    assert (promise.delta, promise.neighbors) == (DELTA, "replace-one")
    assert promise.assuming == ("rows shuffled, order forgotten",)
    assert promise.otherwise == LocalDP(2)


def test_two_outputs_are_never_assumed():
    assert record(2, 6, outputs=None).shuffled(10**4, "1e-10").bound == "stronger-clone"
    mixed = compose([LocalDP(1, outputs=2), LocalDP(1)])
    assert mixed.shuffled(10**4, "1e-10").bound == "stronger-clone"


@pytest.mark.parametrize("rows", [1, 2, 3, 10, 1000, 10**7, 10**15])
@pytest.mark.parametrize(("epsilon", "reports"), [("1e-6", 1), ("1e-6", 6), (1, 3), (40, 1), (40, 1000), (700, 50)])
def test_no_promise_is_above_the_local_one(rows, epsilon, reports):
    for outputs, delta in itertools.product((None, 2), ("1e-50", "1e-10", "0.4")):
        promise = record(epsilon, reports, outputs).shuffled(rows, delta)
        assert 0 <= promise.epsilon <= Fraction(epsilon)
        assert (promise.bound is None) == (promise.epsilon == Fraction(epsilon))
        assert promise.delta == Fraction(delta)


def test_a_local_promise_of_nothing_stays_nothing():
    assert compose([LocalDP(0, outputs=2)] * 2).shuffled(10, "1e-6").epsilon == 0


@pytest.mark.parametrize("bound", ["closed-form", "stronger-clone", "blanket"])
def test_more_rows_more_delta_and_less_epsilon_never_cost_more(bound):
    in_rows = [epsilon_of(1, 6, rows, bound) for rows in (2 * 10**3, 10**4, 3 * 10**4, 10**6, 10**7)]
    in_delta = [epsilon_of(1, 6, 10**4, bound, delta) for delta in ("1e-20", "1e-10", "1e-6", "1e-3")]
    in_epsilon = [epsilon_of(epsilon, 6, 10**4, bound) for epsilon in ("2", "1.9", "1", "0.1", "0.001")]
    for falling in (in_rows, in_delta, in_epsilon):
        assert falling == sorted(falling, reverse=True)
        assert len(set(falling)) == len(falling)


def test_unequal_reports_cost_more_than_equal_ones_of_the_same_sum():
    unequal = compose([LocalDP(epsilon, outputs=2) for epsilon in ("0.1", "0.2", "0.3", "1.4")])
    assert unequal.shuffled(10**4, "1e-10").epsilon > record(2, 4).shuffled(10**4, "1e-10").epsilon


@pytest.mark.parametrize("rows", [10**4, 10**6])
def test_many_different_reports_cost_within_one_percent_of_the_sum_over_all_of_them(rows):
    from sudare.guarantees.shuffling import blanket, record_law

    epsilons = [Fraction(j, 30) for j in range(1, 11)]
    all_points = record_law.RecordLaw.of(epsilons)
    gathered = record_law.RecordLaw.of(epsilons, most_atoms=500)
    assert len(all_points.points) == 2**10
    assert len(gathered.points) <= 501
    epsilon = blanket.blanket_epsilon(epsilons, rows, DELTA)
    exact, snapped = (blanket.log_blanket_delta(law, rows, epsilon) for law in (all_points, gathered))
    assert exact <= snapped <= exact + 0.02  # of δ, whose logarithm is -23: under 0.1 % of ε


def test_epsilon_is_a_decimal_rounded_up():
    epsilon = record(1, 6).shuffled(10**4, "1e-10").epsilon
    assert 10**12 % epsilon.denominator == 0


def refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert caught.value.where
    assert caught.value.remedy


def test_only_a_bound_asked_for_by_name_refuses():
    refused(BoundNotValid, lambda: record(4, 6).shuffled(10**4, "1e-10", "closed-form"))
    refused(BoundNotValid, lambda: record(4, 6, outputs=None).shuffled(10**4, "1e-10", "blanket"))
    refused(BoundNotValid, lambda: compose([LocalDP(1, 2), LocalDP(1, 3)]).shuffled(10**4, "1e-10", "blanket"))
    refused(InvalidParameter, lambda: record(4, 6).shuffled(10**4, "1e-10", "best"))
    for bound in (None, "stronger-clone"):
        assert record(4, 6, outputs=None).shuffled(10**4, "1e-10", bound).epsilon < 4
    assert set(BOUNDS) == {"closed-form", "stronger-clone", "blanket"}


@pytest.mark.parametrize("rows", [0, -1, 2.0, True, "10", None])
def test_rows_are_a_whole_number_of_at_least_one(rows):
    refused(InvalidParameter, lambda: LocalDP(1).shuffled(rows, "1e-10"))


@pytest.mark.parametrize("delta", [0, 1, -1, 2, "nan", float("nan"), True, None])
def test_delta_lies_between_zero_and_one(delta):
    refused(InvalidParameter, lambda: LocalDP(1).shuffled(100, delta))

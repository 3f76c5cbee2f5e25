"""The laws of a mechanism: ε proved from the table, draws that follow the table, estimates without bias.

The statistical laws draw as often as a planted error of one percent needs to be found, and raise a false alarm about
once in 100,000 runs.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import LawBroken, SudareError
from sudare.guarantees.exact import exp_lower_bound
from sudare.mechanisms import Mechanism, NumericMechanism
from sudare.mechanisms.proof import worst_ratio
from sudare.randomness import Seeded
from sudare.testing.draws import (
    FEW_DRAWS,
    FEWEST_DRAWS,
    RUN_ROWS,
    RUNS,
    SIGMAS,
    WIDE_SIGMAS,
    allowance,
    constant_estimate,
    drawn_cells,
    drawn_cells_of,
    enough_draws,
    estimated,
    moments,
    repeated_estimates,
    squared_terms,
)

_PLANTED = 0.01  # the relative error, in ε or in the mean, that the draws are to find
_ROUND_OFF = 1e-9


def check_mechanism(mechanism: Mechanism) -> None:
    """Run every law; the first that does not hold is raised as `LawBroken`, with the law's name.

    Examples
    --------
    >>> from sudare.mechanisms import RandomizedResponse
    >>> check_mechanism(RandomizedResponse(3, "1"))
    """
    for law in MECHANISM_LAWS:
        law(mechanism)


def epsilon_is_proved(mechanism: Mechanism) -> None:
    """No weight ratio of the table is above e^ε, and the promise charges what the mechanism names."""
    if mechanism.guarantee.epsilon != mechanism.epsilon:
        raise LawBroken("epsilon is proved", "the guarantee charges another ε than the mechanism names")
    table = mechanism.weights()
    if len({sum(row) for row in table}) != 1:
        raise LawBroken("epsilon is proved", "the rows of the table have different sums")
    if worst_ratio(table) > exp_lower_bound(mechanism.epsilon):
        raise LawBroken("epsilon is proved", "two inputs make one report more than e^ε apart")
    if mechanism.proved_epsilon > mechanism.epsilon:
        raise LawBroken("epsilon is proved", "the proof reaches further than the ε that is charged")


def epsilon_is_used(mechanism: Mechanism) -> None:
    """The proof reaches 99 % of ε: whoever pays for ε gets it."""
    if mechanism.proved_epsilon < mechanism.epsilon * 99 / 100:
        raise LawBroken("epsilon is used", "the table keeps less than 99 % of the ε that is charged")


def every_report_is_possible(mechanism: Mechanism) -> None:
    """No report rules out an input: every weight is at least one word."""
    if any(weight < 1 for row in mechanism.weights() for weight in row):
        raise LawBroken("every report is possible", "a report cannot come from one of the inputs")


def the_table_is_complete(mechanism: Mechanism) -> None:
    """Rows stand for ascending inputs, columns for ascending outputs."""
    table = mechanism.weights()
    shape = (len(table), {len(row) for row in table})
    if shape != (len(mechanism.inputs), {len(mechanism.outputs)}):
        raise LawBroken("the table is complete", "its shape is not inputs × outputs")
    if not (np.all(np.diff(mechanism.inputs) > 0) and np.all(np.diff(mechanism.outputs) > 0)):
        raise LawBroken("the table is complete", "inputs or outputs are not ascending")


def reports_are_outputs(mechanism: Mechanism) -> None:
    """Every report is exactly one of the outputs."""
    for values in _sample_columns(mechanism):
        reports = np.asarray(mechanism.randomize(values))
        if not np.isin(reports, mechanism.outputs.astype(reports.dtype)).all():
            raise LawBroken("reports are outputs", "a report is none of the outputs")


def any_number_of_rows(mechanism: Mechanism) -> None:
    """None, one, or all equal: as many reports as values."""
    for values in _sample_columns(mechanism):
        for rows in (0, 1, len(values)):
            if len(mechanism.randomize(values[:rows])) != rows:
                raise LawBroken("any number of rows", f"{rows} values do not give {rows} reports")


def batches_do_not_matter(mechanism: Mechanism) -> None:
    """Any split into batches gives the same bytes, since a row's words depend on its address alone."""
    for values in _sample_columns(mechanism):
        whole = np.asarray(mechanism.randomize(values, Seeded(1)))
        for size in (1, 7, 64):
            starts = range(0, len(values), size)
            parts = [mechanism.randomize(values[i : i + size], Seeded(1, first_row=i)) for i in starts]
            if np.concatenate(parts).tobytes() != whole.tobytes():
                raise LawBroken("batches do not matter", f"batches of {size} rows give other reports")


def reading_changes_nothing(mechanism: Mechanism) -> None:
    """Properties, proofs and estimates leave the mechanism and its arrays as they were."""
    values = _sample_columns(mechanism)[-1]
    before = (repr(mechanism), values.tobytes(), mechanism.identity())
    reports = np.asarray(mechanism.randomize(values, Seeded(2)))
    drawn = reports.tobytes()
    estimated(mechanism, reports), mechanism.weights(), mechanism.proved_epsilon, mechanism.expected_error(10)
    again = np.asarray(mechanism.randomize(values, Seeded(2)))
    if before != (repr(mechanism), values.tobytes(), mechanism.identity()) or drawn != reports.tobytes():
        raise LawBroken("reading changes nothing", "an estimate or a proof changed the mechanism or its arrays")
    if again.tobytes() != drawn:
        raise LawBroken("reading changes nothing", "the same words give other reports after reading")


def draws_follow_the_table(mechanism: Mechanism) -> None:
    """For three inputs, the mean of ln(weight) over many draws is that of the table, at 4.5 σ.

    It is the statistic that a wrong ε moves most: by one percent of its own variance for one percent in ε.
    """
    table = mechanism.weights()
    for row in _three_of(len(table)):
        # A row of equal weights has no score of its own; that of another row tells its reports apart.
        scored = table[row] if len(set(table[row])) > 1 else table[0]
        scores = np.array([math.log(weight) for weight in scored])
        expected, variance = moments(scores, table[row])
        draws = enough_draws(variance, shift=_PLANTED * variance)
        mean = sum(scores[cells].sum() for cells in drawn_cells(mechanism, row, draws)) / draws
        if abs(mean - expected) > allowance(variance, float(np.ptp(scores)), draws) + _ROUND_OFF:
            raise LawBroken("draws follow the table", f"{draws} draws differ from it", where=f"input {row + 1}")


def every_input_is_drawn_from_its_row(mechanism: Mechanism) -> None:
    """Each input, and for numbers each of some values between the inputs, is reported as its rows say, cell by cell.

    A value between two inputs is reported as a mixture of theirs: no report is likelier, or rarer, than under both.
    """
    table = np.array([[float(weight) for weight in row] for row in mechanism.weights()])
    shares = table / table.sum(axis=1, keepdims=True)
    for row in _some_of(len(table)):
        _expect_shares(mechanism, mechanism.inputs[row], shares[row], shares[row], where=f"input {row + 1}")
    if isinstance(mechanism, NumericMechanism):
        for value in _between(mechanism):
            right = int(np.searchsorted(mechanism.inputs, value))
            ends = shares[right - 1 : right + 1]
            _expect_shares(mechanism, value, ends.min(axis=0), ends.max(axis=0), where="a value between two inputs")


def estimates_are_unbiased(mechanism: Mechanism) -> None:
    """Many reports of one input estimate that input, at 4.5 σ; of categories, all shares."""
    variance = mechanism.expected_error(1) ** 2
    draws = enough_draws(variance, shift=_PLANTED)
    allowed = allowance(variance, _reach(mechanism), draws) + _ROUND_OFF
    for row in _three_of(len(mechanism.inputs)):
        estimate, truth = constant_estimate(mechanism, mechanism.inputs[row], draws)
        if np.abs(estimate - truth).max() > allowed:
            raise LawBroken("estimates are unbiased", f"{draws} reports miss their input", where=f"input {row + 1}")


def values_between_inputs_are_unbiased(mechanism: Mechanism) -> None:
    """Reports of values that are no inputs of the table estimate them too, at 4.5 σ: nothing is rounded to one side."""
    if not isinstance(mechanism, NumericMechanism):
        return
    variance = mechanism.expected_error(1) ** 2
    for value in _between(mechanism):
        estimate, truth = constant_estimate(mechanism, value, FEWEST_DRAWS)
        if np.abs(estimate - truth).max() > allowance(variance, _reach(mechanism), FEWEST_DRAWS) + _ROUND_OFF:
            raise LawBroken("values between inputs are unbiased", f"{FEWEST_DRAWS} reports miss their value")


def intervals_cover_and_errors_are_told(mechanism: Mechanism) -> None:
    """Over 300 columns the intervals cover as often as they say, and estimates stray no further than was told."""
    for row in _three_of(len(mechanism.inputs)):
        covered, strayed = repeated_estimates(mechanism, mechanism.inputs[row])
        if covered < RUNS * 0.95 - SIGMAS * math.sqrt(RUNS * 0.95 * 0.05):
            raise LawBroken(
                "intervals cover", f"{covered} of {RUNS} intervals hold the truth", where=f"input {row + 1}"
            )
        # The standard deviation of 300 estimates is itself uncertain by 1/√600 of itself, and by one rare report.
        rare = _reach(mechanism) * SIGMAS / (RUN_ROWS * math.sqrt(RUNS))
        if strayed > mechanism.expected_error(RUN_ROWS) * (1 + SIGMAS / math.sqrt(2 * RUNS)) + rare:
            raise LawBroken(
                "errors are told", "estimates stray further than expected_error says", where=f"input {row + 1}"
            )


def products_and_squares_are_unbiased(mechanism: Mechanism) -> None:
    """Where it estimates x·y or x², many reports of one input do so without bias, at 4.5 σ of their own spread."""
    if not isinstance(mechanism, NumericMechanism):
        return
    for row in _three_of(len(mechanism.inputs)):
        truth = float(mechanism.inputs[row]) ** 2
        for what, terms in squared_terms(mechanism, mechanism.inputs[row]):
            # What one report that is rarely far off can do to the mean, whether it was seen or not.
            rare = 2 * mechanism.reach**2 / RUN_ROWS
            if abs(terms.mean() - truth) > allowance(float(terms.var()), rare, len(terms)) + _ROUND_OFF:
                raise LawBroken("products and squares are unbiased", f"{what} misses x²", where=f"input {row + 1}")


def hostile_values_are_refused(mechanism: Mechanism) -> None:
    """What is no value of the domain is refused with a remedy; nothing is drawn for it."""
    numbers: list[Any] = [[math.nan], [math.inf], [1.5], [-1.0000001], ["a"], [None], [True], [[0.0]], [1j]]
    codes: list[Any] = [[-1], [10**6], [0.5], ["a"], [None], [[0]], [True]]
    for values in numbers if isinstance(mechanism, NumericMechanism) else codes:
        try:
            mechanism.randomize(np.array(values))
        except SudareError as error:
            if not error.remedy:
                raise LawBroken("hostile values are refused", "the refusal names no remedy") from None
            continue
        raise LawBroken("hostile values are refused", "a value outside the domain was randomized")


MECHANISM_LAWS: tuple[Callable[[Mechanism], None], ...] = (
    the_table_is_complete,
    every_report_is_possible,
    epsilon_is_proved,
    epsilon_is_used,
    reports_are_outputs,
    any_number_of_rows,
    batches_do_not_matter,
    reading_changes_nothing,
    hostile_values_are_refused,
    every_input_is_drawn_from_its_row,
    draws_follow_the_table,
    estimates_are_unbiased,
    values_between_inputs_are_unbiased,
    intervals_cover_and_errors_are_told,
    products_and_squares_are_unbiased,
)


def _sample_columns(mechanism: Mechanism) -> list[NDArray[Any]]:
    """Return short columns: all equal at either end, and all inputs in turn, also between the points of a grid."""
    if isinstance(mechanism, NumericMechanism):
        mixed = np.linspace(-1, 1, 201)
        return [np.full(201, -1.0), np.full(201, 1.0), mixed.astype(np.float32), mixed]
    categories = getattr(mechanism, "categories", len(mechanism.inputs))
    return [np.zeros(201, np.int64), np.full(201, categories - 1), np.arange(201) % categories]


def _reach(mechanism: Mechanism) -> float:
    """Return how far apart two reports can move the estimate of one row: for shares, up to about 1 / (keep − other)."""
    numeric = isinstance(mechanism, NumericMechanism)
    return float(np.ptp(mechanism.outputs)) if numeric else 1 + 2 * mechanism.expected_error(1)


def _three_of(count: int) -> list[int]:
    """Return the first, the middle and the last index."""
    return sorted({0, count // 2, count - 1})


def _some_of(count: int) -> list[int]:
    """Return all indices, or 64 of them, evenly apart."""
    return sorted(set(np.linspace(0, count - 1, min(count, 64)).astype(int).tolist()))


def _between(mechanism: Mechanism) -> list[float]:
    """Return values between two inputs of the table: near the ends, in the middle, and a quarter of the way."""
    inputs = mechanism.inputs
    places = [(left, share) for left, share in zip(_three_of(len(inputs) - 1), (0.5, 0.25, 0.9), strict=False)]
    return [float(inputs[left] + share * (inputs[left + 1] - inputs[left])) for left, share in places]


def _expect_shares(
    mechanism: Mechanism, value: float, least: NDArray[np.float64], most: NDArray[np.float64], *, where: str
) -> None:
    draws = FEW_DRAWS
    counts = np.bincount(np.concatenate(list(drawn_cells_of(mechanism, value, draws))), minlength=len(least))
    # Bernstein, cell by cell; wide enough that many cells together raise no alarm either.
    room = WIDE_SIGMAS * np.sqrt(draws * most) + WIDE_SIGMAS**2
    if (counts > draws * most + room).any() or (counts < draws * least - room).any():
        raise LawBroken("every input is drawn from its row", f"{draws} draws differ from the table", where=where)

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
from sudare.testing.draws import allowance, constant_estimate, drawn_cells, enough_draws, estimated, moments

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


def estimates_are_unbiased(mechanism: Mechanism) -> None:
    """Many reports of one input estimate that input, at 4.5 σ."""
    variance = mechanism.expected_error(1) ** 2
    draws = enough_draws(variance, shift=_PLANTED)
    allowed = allowance(variance, _reach(mechanism), draws) + _ROUND_OFF
    for row in _three_of(len(mechanism.inputs)):
        estimate, truth = constant_estimate(mechanism, row, draws)
        if abs(estimate - truth) > allowed:
            raise LawBroken("estimates are unbiased", f"{draws} reports miss their input", where=f"input {row + 1}")


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
    draws_follow_the_table,
    estimates_are_unbiased,
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

"""The bound on E[S⁺] is never below the truth and hardly above it, from one draw to a million and far into the tail."""

import math

import numpy as np
import pytest
from scipy import special

from sudare.guarantees.shuffling.positive_part import Draw, log_positive_part


def exact(values, weights, mass, rows):
    """Return E[S⁺] by summing over how often each value was drawn."""

    def over(place, left, total, log_probability):
        if place == len(values):
            return max(total, 0.0) * math.exp(log_probability + left * math.log1p(-mass) - math.lgamma(left + 1))
        log_weight = math.log(mass * weights[place])
        return math.fsum(
            over(place + 1, left - k, total + k * values[place], log_probability + k * log_weight - math.lgamma(k + 1))
            for k in range(left + 1)
        )

    return over(0, rows, 0.0, math.lgamma(rows + 1))


@pytest.mark.parametrize("rows", [1, 2, 3, 10, 25])
@pytest.mark.parametrize("mass", [1e-6, 0.1, 0.9])
@pytest.mark.parametrize(
    ("values", "weights"),
    [([-1.0, 1.0], [0.5, 0.5]), ([-3.0, 0.5, 1.0], [0.25, 0.5, 0.25]), ([-500.0, -1.0, 0.7], [0.1, 0.7, 0.2])],
)
def test_it_is_an_upper_bound_within_one_percent_for_few_draws(values, weights, mass, rows):
    truth = exact(values, weights, mass, rows)
    bound = math.exp(log_positive_part(Draw(np.array(values), np.log(weights), mass), rows))
    assert truth * (1 - 1e-12) <= bound <= 1.01 * truth


@pytest.mark.parametrize("rows", [1000, 10**5])
@pytest.mark.parametrize("drift", [0.0, 0.3, 2.0, 6.0, 12.0])
def test_it_is_an_upper_bound_within_one_percent_for_many_draws(rows, drift):
    """Coins that are tossed every time but one in 10¹²: S is a binomial, whose tail is known."""
    step = drift / math.sqrt(rows)
    heads = np.arange(rows + 1, dtype=np.float64)
    log_law = special.gammaln(rows + 1) - special.gammaln(heads + 1) - special.gammaln(rows - heads + 1)
    sums = (1 - step) * heads - (1 + step) * (rows - heads)
    truth = float(np.maximum(sums, 0) @ np.exp(log_law - rows * math.log(2)))
    coin = Draw(np.array([-1 - step, 1 - step]), np.log([0.5, 0.5]), 1 - 1e-12)
    bound = math.exp(log_positive_part(coin, rows))
    assert truth * (1 - 1e-6) <= bound <= 1.01 * truth


def test_a_sum_that_is_never_positive_has_no_positive_part():
    assert log_positive_part(Draw(np.array([-2.0, -1.0]), np.log([0.5, 0.5]), 0.5), 10) == -math.inf

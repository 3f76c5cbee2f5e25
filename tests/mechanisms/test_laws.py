"""Every mechanism goes through the same public suite."""

import pytest

from sudare.errors import InvalidParameter
from sudare.mechanisms import Hybrid, Laplace, OptimizedUnaryEncoding, Piecewise, RandomizedResponse, TwoPoint, rebuilt
from sudare.testing import MECHANISM_LAWS

EPSILONS = ["0.000001", "0.01", "0.5", "1", "4", "20", "40"]
FINITE = [
    *(RandomizedResponse(2, epsilon) for epsilon in EPSILONS),
    *(RandomizedResponse(16, epsilon) for epsilon in EPSILONS),
    RandomizedResponse(300, "1/3"),
    *(OptimizedUnaryEncoding(5, epsilon) for epsilon in EPSILONS),
    *(kind(epsilon) for epsilon in EPSILONS for kind in (TwoPoint, Piecewise, Hybrid, Laplace)),
]


@pytest.mark.parametrize("law", MECHANISM_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("mechanism", FINITE, ids=repr)
def test_the_law_holds(mechanism, law):
    law(mechanism)


@pytest.mark.parametrize("mechanism", FINITE, ids=repr)
def test_its_identity_rebuilds_it(mechanism):
    assert rebuilt(mechanism.identity()) == mechanism


@pytest.mark.parametrize(
    "identity",
    [
        {},
        {"mechanism": "Magic", "epsilon": "1"},
        {"mechanism": "NumericMechanism"},
        {"mechanism": "Mechanism"},
        {"mechanism": "TwoPoint"},
        {"mechanism": "TwoPoint", "epsilon": "one"},
        {"mechanism": "TwoPoint", "epsilon": "1", "secret": "2"},
        {"mechanism": "RandomizedResponse", "epsilon": "1"},
        {"mechanism": "RandomizedResponse", "epsilon": "1", "categories": "3.5"},
        {"mechanism": "RandomizedResponse", "epsilon": "1", "categories": "many"},
        {"mechanism": ["TwoPoint"], "epsilon": "1"},
    ],
    ids=repr,
)
def test_what_describes_no_mechanism_is_refused(identity):
    with pytest.raises(InvalidParameter, match="remedy"):
        rebuilt(identity)

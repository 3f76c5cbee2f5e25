"""One value in, one noisy value out; one file a mechanism, each with the proof of its ε."""

from sudare.mechanisms.hybrid import Hybrid
from sudare.mechanisms.laplace import Laplace
from sudare.mechanisms.mechanism import Mechanism, rebuilt
from sudare.mechanisms.numeric import NumericMechanism
from sudare.mechanisms.optimized_unary_encoding import OptimizedUnaryEncoding
from sudare.mechanisms.piecewise import Piecewise
from sudare.mechanisms.proof import proved_epsilon, worst_ratio
from sudare.mechanisms.randomized_response import RandomizedResponse
from sudare.mechanisms.reading import code_values, unit_values
from sudare.mechanisms.simplex import project_to_simplex
from sudare.mechanisms.two_point import TwoPoint

__all__ = [
    "Hybrid",
    "Laplace",
    "Mechanism",
    "NumericMechanism",
    "OptimizedUnaryEncoding",
    "Piecewise",
    "RandomizedResponse",
    "TwoPoint",
    "code_values",
    "project_to_simplex",
    "proved_epsilon",
    "rebuilt",
    "unit_values",
    "worst_ratio",
]

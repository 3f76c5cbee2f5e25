"""Promises as values: what is promised, to whom, on which assumption; how promises add up, and what shuffling gains."""

from sudare.guarantees.budget import Budget
from sudare.guarantees.composition import Composition, compose
from sudare.guarantees.exact import share
from sudare.guarantees.promises import ApproximateDP, Guarantee, Hidden, LocalDP, from_dict

__all__ = [
    "ApproximateDP",
    "Budget",
    "Composition",
    "Guarantee",
    "Hidden",
    "LocalDP",
    "compose",
    "from_dict",
    "share",
]

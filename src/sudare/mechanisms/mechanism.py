"""What every randomizing mechanism is: a frozen record that draws, proves its ε, and estimates from its reports.

The proof is a table of integers: row x, column y counts the words of the secure stream that turn input x into report y.
Every ratio within a column is a rational number, compared with a rational lower bound of e^ε.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from inspect import isabstract, signature
from typing import Any, ClassVar

from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.guarantees import LocalDP
from sudare.guarantees.exact import exact, exact_whole
from sudare.mechanisms.proof import proved_epsilon
from sudare.randomness import Source

Table = Sequence[Sequence[int]]


class Mechanism(ABC):
    """One value in, one noisy value out; whoever subclasses it can be put under the laws of `sudare.testing`.

    A subclass is a frozen dataclass whose fields are the parameters, `epsilon` among them.

    Examples
    --------
    >>> from sudare.mechanisms import RandomizedResponse
    >>> survey = RandomizedResponse(categories=2, epsilon="1")
    >>> survey.guarantee
    LocalDP(epsilon=Fraction(1, 1), outputs=2)
    >>> survey.proved_epsilon <= survey.epsilon
    True
    """

    epsilon: Fraction
    _known: ClassVar[dict[str, type["Mechanism"]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        Mechanism._known.setdefault(cls.__name__, cls)  # a later class cannot pose as an earlier one

    @property
    def guarantee(self) -> LocalDP:
        """The promise for one report, charged at `epsilon`."""
        return LocalDP(self.epsilon)

    @property
    @abstractmethod
    def inputs(self) -> NDArray[Any]:
        """The inputs that the rows of `weights()` stand for, ascending."""

    @property
    @abstractmethod
    def outputs(self) -> NDArray[Any]:
        """The reports that the columns of `weights()` stand for, ascending; every report is exactly one of them."""

    @abstractmethod
    def weights(self) -> Table:
        """Return the exact table: how many words of the stream turn each input into each report.

        Examples
        --------
        >>> from sudare.mechanisms import RandomizedResponse
        >>> (keep, other), _ = RandomizedResponse(2, "1").weights()
        >>> keep + other == 2**32, keep / other < 2.718281828459045
        (True, True)
        """

    @property
    def proved_epsilon(self) -> Fraction:
        """What rational arithmetic over the table proves; at most `epsilon`."""
        return proved_epsilon(self.weights(), self.epsilon)

    @abstractmethod
    def randomize(self, values: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Return one report for each value; without a source under a fresh key that nobody keeps, charging nothing.

        Examples
        --------
        >>> import numpy as np
        >>> from sudare.mechanisms import RandomizedResponse
        >>> reports = RandomizedResponse(2, "1").randomize(np.array([0, 1, 1]))
        >>> len(reports), set(reports.tolist()) <= {0, 1}
        (3, True)
        """

    @abstractmethod
    def expected_error(self, rows: int) -> float:
        """Return the worst-case standard error that the noise of `rows` reports brings, from public facts alone.

        Examples
        --------
        >>> from sudare.mechanisms import Piecewise
        >>> round(Piecewise("1").expected_error(4000), 3)  # the 95 % interval reaches up to about twice as far
        0.036
        """

    @abstractmethod
    def identity(self) -> dict[str, str]:
        """Return name and parameters as text; `rebuilt` makes the same mechanism of them.

        Examples
        --------
        >>> from sudare.mechanisms import Piecewise
        >>> Piecewise("1/2").identity()
        {'mechanism': 'Piecewise', 'epsilon': '1/2'}
        """


def rebuilt(identity: Mapping[str, str]) -> Mechanism:
    """Make the mechanism that `.identity()` described, to prove its ε once more.

    Examples
    --------
    >>> from sudare.mechanisms import TwoPoint
    >>> rebuilt(TwoPoint("1/3").identity()) == TwoPoint("1/3")
    True
    """
    kind = Mechanism._known.get(str(identity.get("mechanism"))) if isinstance(identity, Mapping) else None
    if kind is None or isabstract(kind):
        raise InvalidParameter(
            "this mechanism is not known here",
            where="mechanism",
            remedy="import the package that defines it, then try again",
        )
    parameters = {name: _whole(value) if name == "categories" else value for name, value in identity.items()}
    del parameters["mechanism"]
    if set(parameters) != set(signature(kind).parameters):
        raise InvalidParameter(
            "these are not the parameters of this mechanism",
            where=kind.__name__,
            remedy="hand in what its identity() returned, unchanged",
        )
    return kind(**parameters)


def _whole(text: str) -> int:
    number = exact(text, name="categories")
    return exact_whole(number.numerator if number.denominator == 1 else 0, name="categories")

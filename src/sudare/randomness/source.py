"""Who pays for the words: nobody's key, a receipt's key, or a repeatable one for tests."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter
from sudare.randomness.secrets import secret_bytes
from sudare.randomness.words import Words


class Randomizer(Protocol):
    """What a source needs to know of a mechanism before it hands out a word.

    Examples
    --------
    >>> from sudare.mechanisms import TwoPoint
    >>> coin: Randomizer = TwoPoint("1")
    >>> coin.identity()
    {'mechanism': 'TwoPoint', 'epsilon': '1'}
    """

    @property
    def guarantee(self) -> Any:
        """The promise that is to be covered."""

    def identity(self) -> Mapping[str, str]:
        """Name and parameters, enough to build the mechanism again."""


class Source(Protocol):
    """Hands out the words for one column of values, once it is satisfied that they are paid for.

    Examples
    --------
    >>> free: Source = Fresh()
    """

    def bind(self, mechanism: Randomizer, values: NDArray[Any]) -> Words:
        """Return the stream for these values under this mechanism, or refuse before a word is drawn."""


@dataclass(frozen=True)
class Fresh:
    """Words under a new key that nobody keeps: nothing is charged and nothing can be repeated.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.mechanisms import TwoPoint
    >>> len(TwoPoint("1").randomize(np.zeros(3), Fresh()))
    3
    """

    def bind(self, mechanism: Randomizer, values: NDArray[Any]) -> Words:  # noqa: ARG002
        """Return a stream that was never used and never will be again."""
        return Words(secret_bytes(16))


@dataclass(frozen=True)
class Seeded:
    """Words that anybody who knows the seed can repeat: for tests; all that comes out is marked not private.

    Examples
    --------
    >>> from sudare.mechanisms import RandomizedResponse
    >>> import numpy as np
    >>> yes_or_no = RandomizedResponse(2, "1")
    >>> first = yes_or_no.randomize(np.zeros(5, int), Seeded(7))
    >>> bool((first == yes_or_no.randomize(np.zeros(5, int), Seeded(7))).all())
    True
    """

    seed: int
    column: str = ""
    first_row: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise InvalidParameter("a seed is a whole number", where="seed", remedy="hand in an int")
        if isinstance(self.first_row, bool) or not isinstance(self.first_row, int) or self.first_row < 0:
            raise InvalidParameter("rows are numbered from 0", where="first_row", remedy="hand in an int of 0 or more")

    def bind(self, mechanism: Randomizer, values: NDArray[Any]) -> Words:  # noqa: ARG002
        """Return the stream of this seed and column."""
        key = hashlib.sha256(f"sudare seed {self.seed} {self.column}".encode()).digest()[:16]
        return Words(key, self.first_row, private=False)


@dataclass(frozen=True)
class Recorded:
    """Exactly the given words, in order, in the width that the mechanism reads: for tests of what a word does.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.mechanisms import TwoPoint
    >>> lowest_and_highest = Recorded(np.array([0, 2**32 - 1], np.uint32))
    >>> np.sign(np.asarray(TwoPoint("1").randomize(np.zeros(2), lowest_and_highest)))
    array([ 1., -1.])
    """

    words: NDArray[Any]

    def bind(self, mechanism: Randomizer, values: NDArray[Any]) -> Words:  # noqa: ARG002
        """Return the recorded stream."""
        return _RecordedWords(key=b"", private=False, recorded=np.ascontiguousarray(self.words))


@dataclass(frozen=True)
class _RecordedWords(Words):
    recorded: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.uint64))

    def _stream(self, first_byte: int) -> "_RecordedStream":
        return _RecordedStream(self.recorded.view(np.uint8)[first_byte:])


class _RecordedStream:
    def __init__(self, recorded: NDArray[np.uint8]) -> None:
        self._left = recorded

    def fill(self, buffer: NDArray[np.uint8]) -> None:
        if len(self._left) < len(buffer):
            raise InvalidParameter(
                "the recording holds fewer words than the rows need",
                where="Recorded.words",
                remedy=f"record at least {len(buffer) - len(self._left)} bytes more",
            )
        buffer[:], self._left = self._left[: len(buffer)], self._left[len(buffer) :]


def opened(source: Source | None, mechanism: Randomizer, values: NDArray[Any]) -> Words:
    """Return the words for these values: from the source, or under a fresh key where none is given.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.mechanisms import TwoPoint
    >>> opened(None, TwoPoint("1"), np.zeros(3)).private
    True
    """
    if source is None:
        return Fresh().bind(mechanism, values)
    if not callable(getattr(source, "bind", None)):
        raise InvalidParameter(
            "this is no source of randomness",
            where="source",
            remedy="draw under a charge with receipt.source(column), or leave the source out",
        )
    return source.bind(mechanism, values)

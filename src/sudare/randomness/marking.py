"""What was drawn from a repeatable source says so for as long as it lives as an array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class NotPrivate(np.ndarray):
    """Reports from a seeded, recorded or simulated source; slices and arithmetic keep the mark.

    Examples
    --------
    >>> import numpy as np
    >>> reports = np.zeros(3).view(NotPrivate)
    >>> is_private(reports[:2] + 1)
    False
    """

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        # What NumPy joins, stacks or picks from marked and unmarked arrays is marked.
        result = super().__array_function__(func, types, args, kwargs)
        return _marked_within(result)

    def __repr__(self) -> str:
        return f"{np.asarray(self)!r}  # not private"

    def __reduce__(self) -> Any:
        return _marked, (np.asarray(self),)


def kept_mark(array: NDArray[Any], *, private: bool) -> NDArray[Any]:
    """Return the array, marked unless what it was computed from is private.

    Examples
    --------
    >>> import numpy as np
    >>> is_private(kept_mark(np.zeros(2), private=False))
    False
    """
    return array if private else array.view(NotPrivate)


def _marked_within(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return result.view(NotPrivate)
    if isinstance(result, (list, tuple)) and type(result) in (list, tuple):
        return type(result)(_marked_within(part) for part in result)
    return result


def _marked(array: NDArray[Any]) -> NDArray[Any]:
    return array.view(NotPrivate)


def is_private(*arrays: Any) -> bool:
    """Return whether none of the arrays carries the mark.

    Examples
    --------
    >>> import numpy as np
    >>> is_private(np.zeros(3))
    True
    """
    return not any(isinstance(array, NotPrivate) for array in arrays)

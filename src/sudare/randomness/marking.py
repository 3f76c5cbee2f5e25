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

    def __repr__(self) -> str:
        return f"{np.asarray(self)!r}  # not private"

    def __reduce__(self) -> Any:
        return _marked, (np.asarray(self),)


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

"""People who do not exist: the synthetic health table of the tour, the same on every machine.

Its numbers come from a public key, so nothing here is secret and nothing is drawn for privacy. Diabetes grows with age
and with smoking, and it raises glucose.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.randomness import Words

ROWS = 4000
COLUMNS = ("age", "glucose", "smoker", "diabetes")
_PUBLIC_KEY = b"synthetic people"
_DRAWS = 8


def patients(rows: int = ROWS) -> dict[str, NDArray[Any]]:
    """Return the table, one array a column; more rows leave the first ones as they were.

    Examples
    --------
    >>> table = patients(3)
    >>> sorted(table), len(table["age"])
    (['age', 'diabetes', 'glucose', 'smoker'], 3)
    """
    words = Words(_PUBLIC_KEY).take(rows, np.uint32, per_row=_DRAWS).reshape(rows, _DRAWS).astype(np.int64)
    draws = words.T * np.array([37, 38, 100, 100, 21, 21, 61, 31])[:, np.newaxis] >> 32  # each below its number
    age = 18 + draws[0] + draws[1]
    smoker = _smoker(age, hundredth=draws[2])
    percent = np.clip((age - 30) // 3 + np.where(smoker == "yes", 4, 0), 2, 22)
    diabetic = draws[3] < percent
    glucose = 68 + draws[4] + draws[5] + age // 6 + np.where(diabetic, 30 + draws[6] + draws[7], 0)
    return {"age": age, "glucose": glucose, "smoker": smoker, "diabetes": np.where(diabetic, "yes", "no")}


def _smoker(age: NDArray[np.int64], hundredth: NDArray[np.int64]) -> NDArray[np.str_]:
    former = np.clip((age - 18) // 2, 2, 30)
    return np.where(hundredth < 19, "yes", np.where(hundredth < 19 + former, "former", "no"))


def as_csv(table: dict[str, NDArray[Any]]) -> str:
    """Return the table as CSV text.

    Examples
    --------
    >>> as_csv(patients(2)).splitlines()[0]
    'age,glucose,smoker,diabetes'
    """
    lines = [",".join(COLUMNS)]
    lines += [",".join(map(str, row)) for row in zip(*(table[name].tolist() for name in COLUMNS), strict=True)]
    return "\n".join(lines) + "\n"

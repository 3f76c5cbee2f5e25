"""The ledger of who names none: `$SUDARE_LEDGER`, else `./sudare.ledger`."""

import os
import warnings

from sudare.errors import InvalidParameter, SudareWarning
from sudare.ledger.ledger import Ledger
from sudare.ledger.place import Place


def default_ledger(ledger: Ledger | None = None) -> Ledger:
    """Return the given ledger, else the one of the environment, else the one of this folder, made if absent.

    Examples
    --------
    >>> ledger = Ledger.simulation()
    >>> default_ledger(ledger) is ledger
    True
    """
    if isinstance(ledger, Ledger):
        return ledger
    if ledger is not None:
        raise InvalidParameter(
            "this is no ledger", where="ledger", remedy='open one: ledger=Ledger.open("study.ledger")'
        )
    path = Place.of(os.environ.get("SUDARE_LEDGER") or "sudare.ledger").path
    if not path.exists():
        opened = Ledger.open(path)
        warnings.warn(
            f"a new ledger without a ceiling was made: {path}. To set a ceiling, open it yourself:"
            f' Ledger.open({str(path)!r}, ceilings={{"patients": ("3", 0)}})',
            SudareWarning,
            stacklevel=3,
        )
        return opened
    return Ledger.open(path)

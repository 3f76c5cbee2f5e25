"""Where run keys come from; and what a simulation says when it finds itself in another process."""

import hashlib
import hmac
import os
import warnings
from typing import Any

from sudare.errors import InvalidParameter, SudareWarning
from sudare.ledger.keys import RunKey
from sudare.randomness import secret_bytes

_ID_BYTES = 16


class SecretRuns:
    """Run keys that nobody can guess."""

    private = True

    def run_key(self, number: int) -> RunKey:  # noqa: ARG002
        """Return the key of a new charge, under a receipt id that was never used."""
        return RunKey(secret_bytes(_ID_BYTES).hex())


class SimulatedRuns:
    """Run keys of a simulation: with a seed, the same charges in the same order have the same keys.

    Examples
    --------
    >>> SimulatedRuns(7).run_key(0).receipt == SimulatedRuns(7).run_key(0).receipt
    True
    """

    private = False

    def __init__(self, seed: int | None) -> None:
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise InvalidParameter("a seed is a whole number", where="seed", remedy="hand in an int, or nothing")
        self.seed = seed
        self.name = secret_bytes(_ID_BYTES).hex()
        self._process = os.getpid()

    def run_key(self, number: int) -> RunKey:
        """Return the key of the charge with this number."""
        if self._process != os.getpid():
            self._process = os.getpid()
            warn_of_another_process()
        if self.seed is None:
            return SecretRuns().run_key(number)
        return RunKey(self._bytes("receipt", number)[:_ID_BYTES].hex(), self._bytes("key", number))

    def _bytes(self, what: str, number: int) -> bytes:
        return hmac.digest(f"sudare simulation {self.seed}".encode(), f"{what} {number}".encode(), hashlib.sha256)


def warn_of_another_process(*_: Any) -> None:
    """Say that a simulation does not count across processes."""
    warnings.warn(
        "a simulation counts in each process by itself: what is charged here is not seen by the process that made it",
        SudareWarning,
        stacklevel=2,
    )

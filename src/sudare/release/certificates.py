"""The proof of ε of each mechanism that was used, in a form that a stranger repeats from public knowledge alone."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from sudare.mechanisms import Mechanism, rebuilt
from sudare.release.record import Draw

_LARGEST_TABLE = 1 << 20


def certificate(identity: Mapping[str, str]) -> dict[str, Any]:
    """Prove the ε of a mechanism and return the proof's facts.

    Examples
    --------
    >>> from sudare.mechanisms import RandomizedResponse
    >>> certificate(RandomizedResponse(2, "1").identity())["epsilon"]
    '1'
    """
    mechanism = rebuilt(dict(identity))
    return {
        "mechanism": dict(identity),
        "epsilon": str(mechanism.epsilon),
        "proved_epsilon": str(mechanism.proved_epsilon),
        "table_sha256": _table_hash(mechanism),
    }


def certificates(draws: Iterable[Draw]) -> list[dict[str, Any]]:
    """Return one certificate for each different mechanism."""
    different = {tuple(sorted(draw.mechanism.items())): draw.mechanism for draw in draws}
    return [certificate(identity) for identity in different.values()]


def _table_hash(mechanism: Mechanism) -> str | None:
    if mechanism.inputs.size * mechanism.outputs.size > _LARGEST_TABLE:
        return None  # its mechanism proves ε from the rows that differ, without the table
    digest = hashlib.sha256()
    for row in mechanism.weights():
        digest.update((",".join(map(str, row)) + "\n").encode())
    return digest.hexdigest()

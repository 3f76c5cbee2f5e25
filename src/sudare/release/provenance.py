"""Where a release came from: versions, the declared schema, parameters; never a value of a table."""

import platform
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from sudare.errors import InvalidParameter
from sudare.schema import Schema
from sudare.version import __version__

_LONGEST_LIST = 20
_LONGEST_TEXT = 1000
_LARGEST = 10**300
_LONGEST_LISTED_TEXT = 100


def described(provenance: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the plain facts: the versions of now, the schema with its hash, and everything else as parameters."""
    if isinstance(provenance, Schema):
        raise _refused("provenance", 'write provenance={"schema": schema}')
    if provenance is not None and not isinstance(provenance, Mapping):
        raise _refused("provenance", 'hand in a mapping, such as {"schema": schema, "method": "local reports"}')
    given = dict(provenance or {})
    schema = given.pop("schema", None)
    versions = {"sudare": __version__, "numpy": np.__version__, "python": platform.python_version()}
    facts: dict[str, Any] = {"versions": versions, "parameters": _plain(given, "provenance")}
    if isinstance(schema, Schema):
        facts |= {"schema": schema.to_dict(), "schema_sha256": schema.hash}
    elif schema is not None:
        raise _refused("provenance['schema']", "hand in the Schema that the table was read with")
    return facts


def _plain(value: Any, place: str) -> Any:
    if isinstance(value, str) and len(value) <= _LONGEST_TEXT:
        return value
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < _LARGEST):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float) and np.isfinite(value):
        return value
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {name: _plain(one, f"{place}[{name!r}]") for name, one in value.items()}
    if isinstance(value, (list, tuple)) and len(value) <= _LONGEST_LIST and all(map(_is_name, value)):
        return list(value)
    raise _refused(place, "write down how the value was made; data go into the value, through a mechanism")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_LISTED_TEXT


def _refused(place: str, remedy: str) -> InvalidParameter:
    return InvalidParameter(
        f"provenance holds short texts, single numbers, and lists of at most {_LONGEST_LIST} names",
        where=place,
        remedy=remedy,
    )

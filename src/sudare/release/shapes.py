"""What the JSON files of a release look like; a file that looks otherwise is refused by name before it is read on."""

from typing import Any

from sudare.release.folder import damaged

# A type; [shape] for a list; {name: shape} for the names that must be there; {str: shape} for any names.
USE = {"kind": str, "receipt": str, "column": str, "mechanism": str, "parts": [int]}
_DRAW = {"column": str, "mechanism": {str: str}, "parts": [int], "rows": int}
_CERTIFICATE = {"mechanism": {str: str}, "epsilon": str, "proved_epsilon": str}
_PROVENANCE = {"versions": {"sudare": str}, "parameters": dict}
_SHAPES: dict[str, Any] = {
    "chain.json": {"uses": [{"sequence": int, "body": str}]},
    "mechanisms.json": {"columns": [_DRAW], "certificates": [_CERTIFICATE]},
    "provenance.json": _PROVENANCE,
}


def refuse_other_shape(facts: Any, name: str, shape: Any = None) -> None:
    """Refuse facts that are not of the shape of the file of this name, or of the shape that is given.

    Examples
    --------
    >>> refuse_other_shape({"uses": 5}, "chain.json")
    Traceback (most recent call last):
        ...
    sudare.errors.ReleaseDamaged: the file does not say what such a file says
      where:  chain.json
      remedy: ask whoever handed out the release for the whole folder again
    """
    if not _fits(facts, shape or _SHAPES.get(name, dict)):
        raise damaged(name, "the file does not say what such a file says")


def _fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, type):
        return isinstance(value, shape) and not (shape is int and isinstance(value, bool))
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(one, shape[0]) for one in value)
    if not isinstance(value, dict):
        return False
    if str in shape:
        return all(_fits(one, shape[str]) for one in value.values())
    return all(name in value and _fits(value[name], inner) for name, inner in shape.items())

"""What a column may be: one of two kinds."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sudare.errors import InvalidParameter
from sudare.schema.categorical import Categorical
from sudare.schema.names import nearest
from sudare.schema.numeric import Numeric

Attribute = Numeric | Categorical

KINDS: dict[str, type[Numeric] | type[Categorical]] = {"numeric": Numeric, "categorical": Categorical}


def attribute_from_dict(facts: Any, where: str) -> Attribute:
    """Read the declaration of one column; a key that nothing reads is refused, with the nearest one that is read."""
    if not isinstance(facts, Mapping) or facts.get("kind") not in list(KINDS):  # a list compares what has no hash
        raise InvalidParameter(
            "this is no known kind of attribute", where=where, remedy='write kind = "numeric" or kind = "categorical"'
        )
    kind = KINDS[facts["kind"]]
    known = {field.name: field for field in fields(kind)}
    refuse_unknown_keys(facts, ["kind", *known], where)
    required = [name for name in ("name", "low", "high", "categories") if name in known]
    absent = [name for name in required if name not in facts]
    if absent:
        raise InvalidParameter(f"{absent[0]} is not declared", where=where, remedy=f"declare {', '.join(required)}")
    return kind(**{key: value for key, value in facts.items() if key != "kind"})


def refuse_unknown_keys(facts: Mapping[str, Any], known: list[str], where: str) -> None:
    """Refuse a key that nothing reads: it may be a misspelled bound."""
    for key in facts:
        if key not in known:
            remedy = f"{nearest(str(key), known)}the keys are {', '.join(known)}"
            raise InvalidParameter(f"there is no key {key!r}", where=where, remedy=remedy)

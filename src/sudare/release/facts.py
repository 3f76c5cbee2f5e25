"""The plain facts that a card is drawn from; drawn again from a folder they must come out the same."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sudare.estimate import Estimate
from sudare.guarantees import Budget, Guarantee
from sudare.guarantees.budget import readable
from sudare.ledger import Receipt, fingerprint
from sudare.mechanisms import NumericMechanism, rebuilt
from sudare.release.findings import OUTSIDE
from sudare.release.parts import Part, parts_of
from sudare.release.record import Draw
from sudare.schema import Categorical, Numeric, Schema
from sudare.texts import LANGUAGES

_MOST_ROWS = 1000


def card_facts(
    value: Any,
    receipt: Receipt,
    provenance: Mapping[str, Any],
    draws: Sequence[Draw],
    *,
    notices: Sequence[str],
    private: bool,
) -> dict[str, Any]:
    """Return everything on the card but what the ledger showed at the moment of saving."""
    schema = Schema.from_dict(provenance["schema"]) if "schema" in provenance else None
    # A value without a name is that of the one column that was drawn.
    named = list(_named(value, draws[0].column if len(draws) == 1 else receipt.purpose))
    return {
        "title": receipt.purpose,
        "private": private,
        "notices": list(notices),
        "subjects": receipt.subjects,
        "promise": {language: receipt.guarantee.sentence(language) for language in LANGUAGES},
        "guarantee": receipt.guarantee.to_dict(),
        "guarantee_kinds": _kinds(receipt.guarantee),
        "results": [_result(name, one, schema, draws) for name, one in named if _is_result(one)],
        "contents": [_content(name, one) for name, one in named if not _is_result(one)],
        "mechanisms": [_expected(draw, schema) for draw in draws if draw.rows],
        "receipt": {"id": receipt.id, "time": receipt.time},
        "outside": [vouched(parts_of(value, draws)), *OUTSIDE, "signer"],
        "provenance": {
            **provenance["versions"],
            **({"schema_sha256": provenance["schema_sha256"]} if schema is not None else {}),
            **provenance["parameters"],
        },
    }


def vouched(parts: Sequence[Part]) -> str:
    """Return the name of what only the signer can vouch for about these parts."""
    return "reports" if parts and all(part.tie == "reports" for part in parts) else "value"


def ledger_facts(receipt: Receipt, head: Mapping[str, Any], budget: Mapping[str, Budget | None]) -> dict[str, Any]:
    """Return what the ledger showed: its key, how far it had come, and the budget."""
    key = fingerprint(receipt.public_key)
    facts: dict[str, Any] = {
        "ledger": {"id": receipt.ledger, "key": key, "sequence": receipt.sequence, "head": head["head"]},
        "verify": f"sudare verify . --key {key}",
    }
    if budget.get("charged") is not None:
        facts["budget"] = {name: _amount(amount) for name, amount in budget.items()}
    return facts


def _amount(amount: Budget | None) -> dict[str, Any] | None:
    if amount is None:
        return None
    about = float(amount.epsilon) if amount.epsilon < 10**300 else 1e300
    return {"epsilon": readable(amount.epsilon), "delta": readable(amount.delta), "about": about}


def _kinds(guarantee: Guarantee) -> list[str]:
    return sorted({part.kind for part in guarantee.parts})


def _named(value: Any, name: str, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield name, value
        return
    for key, one in value.items():
        yield from _named(one, f"{prefix}{key}", f"{prefix}{key} / ")


def _is_result(value: Any) -> bool:
    return isinstance(value, Estimate) and np.ndim(value.value) <= 1


def _result(name: str, estimate: Estimate, schema: Schema | None, draws: Sequence[Draw]) -> dict[str, Any]:
    columns = [np.atleast_1d(np.asarray(one, np.float64)) for one in (estimate.value, estimate.low, estimate.high)]
    attribute = schema[name] if schema is not None and name in schema else None
    labels = _labels(np.ndim(estimate.value), len(columns[0]), attribute)
    rows = [
        dict(zip(("label", "value", "low", "high"), row, strict=True))
        for row in zip(labels, *(column.tolist() for column in columns), strict=True)
    ]
    shares = isinstance(attribute, Categorical) or any(draw.column == name and _tells_shares(draw) for draw in draws)
    facts: dict[str, Any] = {
        "name": name,
        "unit": "share" if shares and np.ndim(estimate.value) == 1 else "mean",
        "confidence": estimate.confidence,
        "rows": rows[:_MOST_ROWS],
    }
    if isinstance(attribute, Numeric):
        facts["domain"] = [attribute.low, attribute.high]
    return facts


def _labels(dimensions: int, count: int, attribute: Any) -> list[str]:
    if isinstance(attribute, Categorical) and len(attribute.categories) == count:
        return list(attribute.categories)
    return [""] if dimensions == 0 else [str(place) for place in range(count)]


def _tells_shares(draw: Draw) -> bool:
    return not isinstance(rebuilt(dict(draw.mechanism)), NumericMechanism)


def _content(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, Estimate):
        return {"name": name, "kind": "array", "type": "Estimate", "shape": list(np.shape(value.value))}
    if isinstance(value, np.ndarray):
        return {"name": name, "kind": "array", "type": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, (bool, str)) or value is None:
        return {"name": name, "kind": "text", "text": str(value)}
    if isinstance(value, (int, float, np.generic)):
        return {"name": name, "kind": "number", "value": float(value)}
    if isinstance(value, (list, tuple)):
        return {"name": name, "kind": "array", "type": "list", "shape": [len(value)]}
    kind = type(value).__module__.partition(".")[0]
    return {"name": name, "kind": "table", "type": kind, "shape": [int(length) for length in value.shape]}


def _expected(draw: Draw, schema: Schema | None) -> dict[str, Any]:
    mechanism = rebuilt(dict(draw.mechanism))
    error, unit = mechanism.expected_error(draw.rows), "share"
    if isinstance(mechanism, NumericMechanism):
        attribute = schema[draw.column] if schema is not None and draw.column in schema else None
        unit = "own" if isinstance(attribute, Numeric) else "scale"
        error *= (attribute.high - attribute.low) / 2 if isinstance(attribute, Numeric) else 1.0
    return {
        "column": draw.column,
        "mechanism": draw.mechanism["mechanism"],
        "epsilon": readable(mechanism.epsilon),
        "rows": draw.rows,
        "expected_error": error,
        "unit": unit,
    }

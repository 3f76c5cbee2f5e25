"""The ledger as text, as HTML and as plain facts."""

import html as markup
from collections.abc import Sequence
from typing import Any

from sudare.guarantees.budget import Budget, readable
from sudare.ledger.entries import Entry, Range
from sudare.ledger.history import Charge, History
from sudare.ledger.signing import fingerprint

_HEADINGS = ("subjects", "spent", "ceiling", "left", "charges")
_LAST_CHARGES = 5


def text(history: History, path: str | None) -> str:
    """Return the ledger as a small table, with its last charges below."""
    rows = [_HEADINGS, *_rows(history)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    last = [f"  {line}" for line in _last(history)]
    return "\n".join([_title(history, path), *lines, *(["last charges:", *last] if last else [])])


def html(history: History, path: str | None) -> str:
    """Return the same as an HTML table."""
    head = "".join(f"<th>{markup.escape(heading)}</th>" for heading in _HEADINGS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{markup.escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(history)
    )
    last = "".join(f"<li>{markup.escape(line)}</li>" for line in _last(history))
    title = markup.escape(_title(history, path))
    return (
        f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><ul>{last}</ul>"
    )


def export(history: History, kept: Sequence[Entry], ranges: Sequence[Range]) -> dict[str, Any]:
    """Return everything that the ledger holds; run keys and the signing key are not in it."""
    entries = [
        {"sequence": entry.sequence, "body": entry.body, "hash": entry.hash, "signature": entry.signature}
        for entry in kept
    ]
    return {
        "id": history.ledger,
        "public_key": history.public_key,
        "fingerprint": fingerprint(history.public_key),
        "simulated": history.simulated,
        "subjects": _subjects(history),
        "entries": entries,
        "ranges": [vars(drawn) for drawn in ranges],
    }


def _title(history: History, path: str | None) -> str:
    if history.simulated:
        return "Ledger in memory, a simulation: not private, and this process counts by itself"
    return f"Ledger {path} (key {fingerprint(history.public_key)})"


def _rows(history: History) -> list[tuple[str, ...]]:
    accounts = history.accounts
    counts = _counts(history)
    return [
        (
            name,
            _cell(accounts.paid(name)),
            _cell(accounts.ceilings.get(name)),
            _cell(accounts.left(name)),
            str(counts.get(name, 0)),
        )
        for name in accounts.subjects()
    ]


def _cell(budget: Budget | None) -> str:
    if budget is None:
        return "-"
    return str(budget) if budget.delta else f"ε = {readable(budget.epsilon)}"


def _counts(history: History) -> dict[str, int]:
    counts: dict[str, int] = {}
    for charge in history.charges.values():
        counts[charge.subjects] = counts.get(charge.subjects, 0) + 1
    return counts


def _last(history: History) -> list[str]:
    return [_line(charge) for charge in list(history.charges.values())[-_LAST_CHARGES:]]


def _line(charge: Charge) -> str:
    cost = "no ε, recorded only" if charge.budget is None else str(charge.budget)
    request = "" if charge.request is None else f", request {charge.request!r}"
    return f"{charge.time}  {charge.subjects}: {cost} ({charge.purpose}{request})"


def _subjects(history: History) -> dict[str, dict[str, Any]]:
    accounts, counts = history.accounts, _counts(history)
    return {
        name: {
            "spent": _plain(accounts.paid(name)),
            "ceiling": _plain(accounts.ceilings.get(name)),
            "left": _plain(accounts.left(name)),
            "charges": counts.get(name, 0),
        }
        for name in accounts.subjects()
    }


def _plain(budget: Budget | None) -> dict[str, str] | None:
    return None if budget is None else {"epsilon": str(budget.epsilon), "delta": str(budget.delta)}

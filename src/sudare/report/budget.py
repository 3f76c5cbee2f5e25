"""A budget for the eye: tiles with the amounts, and a bar."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from sudare.report import page
from sudare.report.charts import budget_bar
from sudare.report.numbers import plain
from sudare.texts import say


def budget(amounts: Mapping[str, Any], names: Sequence[str], language: str) -> str:
    """Return tiles for these names and the bar; an amount has its exact text and, for the bar, about how much it is.

    Examples
    --------
    >>> two, three = ({"epsilon": text, "delta": "0", "about": float(text)} for text in "23")
    >>> "ε = 3" in budget({"spent": two, "ceiling": three}, ["spent", "ceiling"], "en")
    True
    """
    known = [name for name in names if amounts.get(name) is not None or name == "ceiling"]
    tiles = [(say(f"card.budget.{name}", language), amount_text(amounts.get(name), language)) for name in known]
    return page.facts(tiles, "tiles") + _bar(amounts, language)


def amount_text(amount: Mapping[str, Any] | None, language: str) -> str:
    """Return an amount in words."""
    if amount is None:
        return say("card.budget.no_ceiling", language)
    delta = f", δ = {amount['delta']}" if amount["delta"] != "0" else ""
    return f"ε = {amount['epsilon']}{delta}"


def _bar(amounts: Mapping[str, Any], language: str) -> str:
    charged = amounts["charged"]["about"] if "charged" in amounts else 0.0
    before = max(amounts["spent"]["about"] - charged, 0.0)
    ceiling = None if amounts.get("ceiling") is None else amounts["ceiling"]["about"]
    title = say("card.budget_bar", language, before=plain(before), charged=plain(charged))
    keys = ["before", *(["charged"] if "charged" in amounts else []), *([] if ceiling is None else ["left"])]
    legend = " ".join(
        f'<span><i class="swatch {key}"></i>{html.escape(say(f"card.budget.key_{key}", language))}</span>'
        for key in keys
    )
    return f"<figure>{budget_bar(before, charged, ceiling, title)}<figcaption>{legend}</figcaption></figure>"

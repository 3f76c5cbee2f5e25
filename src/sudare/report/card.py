"""The card of a release: what was promised, what it cost, what came out, how to check it; for people, on one page."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sudare.report import page
from sudare.report.budget import budget
from sudare.report.charts import MOST_ROWS, Interval, interval_chart, share_chart
from sudare.report.numbers import moment, percent, plain
from sudare.texts import catalogue, say, translated

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Card:
    """A card drawn from plain facts: `.html` is a page of its own, `.to_dict()` the same facts for machines.

    Examples
    --------
    >>> facts = {"title": "mean age", "promise": {"en": "…", "ja": "…"}, "private": True, "subjects": "patients"}
    >>> card = Card(facts)
    >>> "mean age" in card.html, card.to_dict() == facts
    (True, True)
    """

    facts: Facts

    @property
    def html(self) -> str:
        """The whole page, in both languages, with the language of the facts shown first."""
        bodies = {language: _body(self.facts, language) for language in ("en", "ja")}
        return page.page(self.facts["title"], bodies, self.facts.get("language", "en"))

    def to_dict(self) -> dict[str, Any]:
        """Return the facts."""
        return dict(self.facts)

    def _repr_html_(self) -> str:
        # A frame keeps the notebook's style and the card's apart; the sandbox lets nothing in it run.
        title, whole = html.escape(self.facts["title"]), html.escape(self.html)
        style = "width:100%;height:44rem;border:0"
        return f'<iframe sandbox title="{title}" style="{style}" srcdoc="{whole}"></iframe>'


def _body(facts: Facts, language: str) -> str:
    sections = (_not_private, _promise, _result, _expected, _budget, _checks, _provenance)
    parts = [_header(facts, language), *(draw(facts, language) for draw in sections)]
    footer = f"<footer><p>{html.escape(say('card.footer', language))}</p></footer>"
    return "\n".join(part for part in [*parts, footer] if part)


def _header(facts: Facts, language: str) -> str:
    when = facts.get("receipt", {}).get("time", "")
    lead = say("card.about", language, subjects=facts["subjects"])
    if when:
        lead += say("card.lead_separator", language) + say("card.charged_at", language, time=moment(when, language))
    return (
        f'<header><p class="kicker">{say("card.kicker", language)}</p>'
        f"<h1>{html.escape(facts['title'])}</h1>{page.paragraph(lead, 'lead')}</header>"
    )


def _not_private(facts: Facts, language: str) -> str:
    reasons = [say(f"card.notice.{name}", language) for name in facts.get("notices", ())]
    if facts["private"]:
        return page.section(say("card.notices", language), page.bullets(reasons)) if reasons else ""
    text = page.paragraph(say("card.not_private_text", language))
    return page.section(say("card.not_private", language), text, page.bullets(reasons), kind="warning")


def _promise(facts: Facts, language: str) -> str:
    known = catalogue(language)
    kinds = [kind for kind in facts.get("guarantee_kinds", ()) if f"card.against.{kind}" in known]
    pairs = [(say("card.protected", language), say("card.protected_each", language, subjects=facts["subjects"]))]
    pairs += [(say("card.against_whom", language), say(f"card.against.{kind}", language)) for kind in kinds]
    rests = [say(f"card.rests.{kind}", language) for kind in kinds if f"card.rests.{kind}" in known]
    rests += [translated(text, language) for text in facts.get("assumptions", ())]
    assumption = f"<h3>{say('card.rests_on', language)}</h3>{page.bullets(rests)}" if rests else ""
    sentence = page.paragraph(facts["promise"][language], "promise")
    return page.section(say("card.promise", language), sentence, page.facts(pairs), assumption)


def _result(facts: Facts, language: str) -> str:
    groups = facts.get("results", ())
    parts = [_group(group, language) for group in groups]
    for confidence in sorted({group["confidence"] for group in groups}):
        parts.append(page.paragraph(say("card.interval_note", language, confidence=percent(confidence)), "note"))
    others = [_content(content, language) for content in facts.get("contents", ())]
    parts += [page.facts(others)] if others else []
    return page.section(say("card.result", language), *parts) if parts else ""


def _group(group: Facts, language: str) -> str:
    rows = [Interval(row["label"], row["value"], row["low"], row["high"]) for row in group["rows"]]
    title = say("card.group", language, name=group["name"], unit=say(f"card.unit.{group['unit']}", language))
    if group["unit"] == "share":
        chart = share_chart(rows, title, language)
    else:
        chart = interval_chart(rows, title, language, domain=group.get("domain"))
    names = [say(f"card.column.{name}", language) for name in ("value", "low", "high")]
    cells = [[row.label, *_three(row)] for row in rows[:MOST_ROWS]]
    numbers = page.table(title, ["", *names], cells, amounts=(1, 2, 3))
    left_out = len(rows) - MOST_ROWS
    more = page.paragraph(say("card.more_rows", language, count=left_out), "note") if left_out > 0 else ""
    summary = f"<summary>{say('card.as_table', language)}</summary>"
    return f"<h3>{html.escape(title)}</h3><figure>{chart}</figure><details>{summary}{numbers}</details>{more}"


def _three(row: Interval) -> list[str]:
    half = (row.high - row.low) / 2
    return [plain(number, half) for number in (row.value, row.low, row.high)]


def _content(content: Facts, language: str) -> tuple[str, str]:
    shape = " × ".join(plain(length) for length in content.get("shape", ()))
    text = say(f"card.content.{content['kind']}", language, type=content.get("type", ""), shape=shape)
    return content["name"], text if content["kind"] != "number" else plain(content["value"])


def _expected(facts: Facts, language: str) -> str:
    rows = facts.get("mechanisms", ())
    if not rows:
        return ""
    names = [say(f"card.column.{name}", language) for name in ("column", "mechanism", "epsilon", "rows", "error")]
    cells = [
        [row["column"], row["mechanism"], row["epsilon"], plain(row["rows"]), _error(row, language)] for row in rows
    ]
    table = page.table(say("card.expected_note", language), names, cells, amounts=(2, 3, 4))
    return page.section(say("card.expected", language), table)


def _error(row: Facts, language: str) -> str:
    error = plain(row["expected_error"], row["expected_error"])
    return say(f"card.error.{row['unit']}", language, error=error)


def _budget(facts: Facts, language: str) -> str:
    if not facts.get("budget"):
        return ""
    drawn = budget(facts["budget"], ("charged", "spent", "left", "ceiling"), language)
    ledger = facts.get("ledger", {})
    names = [name for name in ("id", "key", "sequence") if name in ledger]
    pairs = [(say(f"card.ledger.{name}", language), _short(str(ledger[name]))) for name in names]
    return page.section(say("card.budget_title", language), drawn, page.facts(pairs))


def _short(name: str) -> str:
    return f"{name[:16]}…" if len(name) == 64 else name  # all of a hash is in the JSON


def _checks(facts: Facts, language: str) -> str:
    command = facts.get("verify")
    if not command:
        return ""
    parts = [
        page.paragraph(say("card.check_text", language)),
        f"<pre><code>{html.escape(command)}</code></pre>",
        page.paragraph(say("card.check_key", language)),
        f"<h3>{say('card.cannot_check', language)}</h3>",
        page.bullets(say(f"check.outside.{name}", language) for name in facts.get("outside", ())),
    ]
    return page.section(say("card.check", language), *parts)


def _provenance(facts: Facts, language: str) -> str:
    pairs = _flat(facts.get("provenance", {}))
    return page.section(say("card.provenance", language), page.facts(pairs)) if pairs else ""


def _flat(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    if not isinstance(value, Mapping):
        return [(prefix, ", ".join(map(str, value)) if isinstance(value, list) else str(value))]
    return [
        pair for name, inner in value.items() for pair in _flat(inner, f"{prefix} · {name}" if prefix else str(name))
    ]

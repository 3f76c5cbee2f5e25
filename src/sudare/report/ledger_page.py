"""The page of a ledger: for each group of people what was spent and what is left, then every charge."""

import html
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from sudare.report import page
from sudare.report.budget import budget
from sudare.report.numbers import moment
from sudare.texts import LANGUAGES, say

Facts = Mapping[str, Any]


def ledger_page(facts: Facts, language: str = "en") -> str:
    """Return the page, drawn from plain facts.

    Examples
    --------
    >>> facts = {"path": "study.ledger", "key": "6668-7aad", "private": True, "subjects": {}, "charges": []}
    >>> "study.ledger" in ledger_page(facts)
    True
    """
    # The whole path would hand the names of users and servers to whoever reads the page.
    facts = {**facts, "path": PurePath(facts["path"]).name}
    bodies = {one: _body(facts, one) for one in LANGUAGES}
    return page.page(facts["path"] or say("ledger_page.kicker", language), bodies, language)


def _body(facts: Facts, language: str) -> str:
    key = page.facts([(say("card.ledger.key", language), facts["key"])])
    header = (
        f'<header><p class="kicker">{say("ledger_page.kicker", language)}</p>'
        f"<h1>{html.escape(facts['path'] or say('ledger_page.in_memory', language))}</h1>{key}</header>"
    )
    parts = [header, *([] if facts["private"] else [_not_private(language)])]
    parts += [
        page.section(name, budget(amounts, ("spent", "left", "ceiling"), language))
        for name, amounts in facts["subjects"].items()
    ]
    return "\n".join([*parts, _charges(facts, language)])


def _not_private(language: str) -> str:
    text = page.paragraph(say("card.notice.simulation", language))
    return page.section(say("card.not_private", language), text, kind="warning")


def _charges(facts: Facts, language: str) -> str:
    heading = say("ledger_page.charges", language)
    if not facts["charges"]:
        return page.section(heading, page.paragraph(say("ledger_page.none", language)))
    columns = ("time", "subjects", "purpose", "epsilon", "delta")
    names = [say(f"ledger_page.column.{name}", language) for name in columns]
    rows = [[moment(one["time"], language), *(one[name] for name in columns[1:])] for one in facts["charges"]]
    table = page.table(say("ledger_page.note", language), names, rows, amounts=(3, 4))
    promises = dict.fromkeys(one["promise"][language] for one in facts["charges"])
    return page.section(heading, table, f"<h3>{say('card.promise', language)}</h3>", page.bullets(promises))

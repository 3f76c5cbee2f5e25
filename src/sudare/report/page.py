"""One HTML file that needs nothing: no network, no script, both languages inside, light and dark, screen and paper."""

import html
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources

from sudare.errors import InvalidParameter
from sudare.texts import LANGUAGES, say

# Nothing may be fetched and nothing may run, even where a text had slipped through unescaped.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_MOST_NARROW_COLUMNS = 4


def page(title: str, bodies: Mapping[str, str], language: str = "en") -> str:
    """Return a whole page; `bodies` holds the same content as HTML in each language, `language` is shown first.

    Examples
    --------
    >>> whole = page("Mean age", {"en": "<h1>Mean age</h1>", "ja": "<h1>平均年齢</h1>"})
    >>> "<script" in whole, "://" in whole
    (False, False)
    """
    if language not in LANGUAGES:
        raise InvalidParameter(
            "there is no text in this language", where="language", remedy=f"choose one of {', '.join(LANGUAGES)}"
        )
    choices = "".join(_choice(one, checked=one == language) for one in LANGUAGES)
    labels = "".join(
        f'<label for="language-{one}" lang="{one}">{say("page.own_name", one)}</label>' for one in LANGUAGES
    )
    nav = f'<nav aria-label="{say("page.languages", language)}">{labels}</nav>'
    mains = "\n".join(f'<main lang="{one}">\n{bodies[one]}\n</main>' for one in LANGUAGES)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" href="data:,">\n<title>{html.escape(title)}</title>\n<style>\n{_style()}</style>\n</head>\n'
        f"<body>\n{choices}\n{nav}\n{mains}\n</body>\n</html>\n"
    )


def section(heading: str, *parts: str, kind: str = "") -> str:
    """Return a section; the heading is text, the parts are HTML.

    Examples
    --------
    >>> section("a < b", "<p>so it is</p>")
    '<section><h2>a &lt; b</h2><p>so it is</p></section>'
    """
    opening = f'<section class="{kind}">' if kind else "<section>"
    return f"{opening}<h2>{html.escape(heading)}</h2>{''.join(parts)}</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of text.

    Examples
    --------
    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f"<p{_of_kind(kind)}>{html.escape(text)}</p>"


def bullets(texts: Iterable[str]) -> str:
    """Return a list of texts.

    Examples
    --------
    >>> bullets(["one"])
    '<ul><li>one</li></ul>'
    """
    return f"<ul>{''.join(f'<li>{html.escape(text)}</li>' for text in texts)}</ul>"


def facts(pairs: Iterable[tuple[str, str]], kind: str = "facts") -> str:
    """Return names with their values; `kind` "tiles" shows them large, side by side.

    Examples
    --------
    >>> facts([("ε", "1")])
    '<dl class="facts"><div><dt>ε</dt><dd>1</dd></div></dl>'
    """
    opening, closing = ("<div>", "</div>")
    rows = (f"{opening}<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>{closing}" for name, value in pairs)
    return f"<dl{_of_kind(kind)}>{''.join(rows)}</dl>"


def table(caption: str, names: Sequence[str], rows: Iterable[Sequence[str]], amounts: Sequence[int] = ()) -> str:
    r"""Return a table of texts; the first cell of a row names it, and `amounts` are the columns that hold numbers.

    One of more than four columns is stacked on a narrow screen: each cell then says the name of its column.

    Examples
    --------
    >>> "<th scope=\"row\">age</th>" in table("Means", ["column", "mean"], [["age", "47"]], amounts=[1])
    True
    """
    head = "".join(
        f'<th scope="col"{_of_kind("amount" if at in amounts else "")}>{html.escape(name)}</th>'
        for at, name in enumerate(names)
    )
    stacked = len(names) > _MOST_NARROW_COLUMNS
    said = names if stacked else [""] * len(names)
    body = "".join(
        f"<tr>{''.join(_cell(at, text, at in amounts, said[at]) for at, text in enumerate(row))}</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table{_of_kind("stacked" if stacked else "")}><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(at: int, text: str, amount: bool, name: str) -> str:
    tag = 'th scope="row"' if at == 0 else "td"
    said = f' data-name="{html.escape(name)}"' if name and at else ""
    return f"<{tag}{_of_kind('amount' if amount else '')}{said}>{html.escape(text)}</{tag[:2]}>"


def _of_kind(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _choice(language: str, *, checked: bool) -> str:
    mark = " checked" if checked else ""
    name = say("page.own_name", language)
    return f'<input class="choice" type="radio" name="language" id="language-{language}" aria-label="{name}"{mark}>'


@lru_cache(maxsize=1)
def _style() -> str:
    return resources.files(__package__).joinpath("style.css").read_text(encoding="utf-8")

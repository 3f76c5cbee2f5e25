"""Texts of strangers on a terminal: what would move its cursor or turn its reading direction is spelled out."""

import re

# Control and format letters, line ends of any kind, halves of letters; a space of any width is no danger.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_HIDDEN_IN_JSON = re.compile(_HIDDEN.pattern.replace("\x00-\x1f", "\x00-\x09\x0b-\x1f"))


def visible(text: str) -> str:
    r"""Return a text in which nothing acts on a terminal: one line, and every letter of it seen.

    Examples
    --------
    >>> print(visible("card.html\nthe release holds\x1b[8m"))
    card.html\nthe release holds\x1b[8m
    """
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(document: str) -> str:
    r"""Return a JSON document that says the same, with such letters written as JSON escapes.

    Examples
    --------
    >>> print(visible_json('{"name": "\x9b8m"}'))
    {"name": "\u009b8m"}
    """
    return _HIDDEN_IN_JSON.sub(_escaped, document)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

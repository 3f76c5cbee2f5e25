"""Promises, cards and pages in words: English and Japanese, one file a language, the same keys in both."""

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from sudare.errors import InvalidParameter

LANGUAGES = ("en", "ja")


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> dict[str, str]:
    """Return all texts of one language, by dotted key."""
    if language not in LANGUAGES:
        raise InvalidParameter(
            "there is no text in this language", where="language", remedy=f"choose one of {', '.join(LANGUAGES)}"
        )
    with resources.files(__package__).joinpath(f"{language}.toml").open("rb") as file:
        return dict(_flat(tomllib.load(file)))


def say(key: str, language: str = "en", /, **facts: Any) -> str:
    """Return one text with the facts filled in.

    Examples
    --------
    >>> say("assumption.rows_shuffled")
    'rows shuffled, order forgotten'
    """
    return catalogue(language)[key].format(**facts)


def _flat(table: dict[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, value in table.items():
        key = f"{prefix}{name}"
        rows += _flat(value, f"{key}.") if isinstance(value, dict) else [(key, value)]
    return rows


def translated(text: str, language: str) -> str:
    """Return a fixed English phrase (an assumption, a party) in another language, or as it is where none is known.

    Examples
    --------
    >>> translated("rows shuffled, order forgotten", "ja")
    '行はシャッフル済み、元の順序は破棄済み'
    """
    if language == "en":
        return text
    known = next((key for key, value in catalogue("en").items() if value == text), None)
    return text if known is None else catalogue(language)[known]

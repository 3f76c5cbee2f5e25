"""English and Japanese say the same things."""

import re
from string import Formatter

import pytest

from sudare.texts import LANGUAGES, catalogue


def facts(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_texts(language: str) -> None:
    assert catalogue(language).keys() == catalogue("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_asks_for_the_same_facts(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert {key for key in english if facts(english[key]) != facts(other[key])} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_but_for_separators(language: str) -> None:
    assert {key for key, text in catalogue(language).items() if not text and not key.endswith("_separator")} == set()


def words_of(text: str) -> list[str]:
    around_facts = "".join(piece for piece, _, _, _ in Formatter().parse(text))
    return re.findall("[A-Za-z]{3,}", around_facts)


def test_no_english_sentence_was_left_in_japanese() -> None:
    english, japanese = catalogue("en"), catalogue("ja")
    sentences = {key for key, text in english.items() if len(words_of(text)) > 2}
    assert {key for key in sentences if not re.search("[\u3040-\u30ff\u4e00-\u9fff]", japanese[key])} == set()

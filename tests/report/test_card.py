"""A card says the same in both languages, and nothing that it is given can break it."""

import copy
import re
from typing import Any

import pytest
from tests.report.pages import complaints, read

from sudare.guarantees import ApproximateDP, LocalDP
from sudare.report import Card, ledger_page
from sudare.texts import LANGUAGES, say

PROMISE = LocalDP("1")


def amount(epsilon: str) -> dict[str, Any]:
    return {"epsilon": epsilon, "delta": "0", "about": float(epsilon)}


FACTS: dict[str, Any] = {
    "title": "mean age and smoking",
    "private": True,
    "notices": [],
    "subjects": "patients",
    "promise": {language: PROMISE.sentence(language) for language in LANGUAGES},
    "guarantee_kinds": ["local-dp"],
    "results": [
        {"name": "age", "unit": "mean", "confidence": 0.95, "domain": [0, 120], "rows": [
            {"label": "", "value": 47.25, "low": 45.5, "high": 49.0}]},
        {"name": "smoker", "unit": "share", "confidence": 0.95, "rows": [
            {"label": label, "value": 0.3, "low": 0.2, "high": 0.4} for label in ("yes", "no", "former")]},
    ],
    "contents": [
        {"name": "reports", "kind": "array", "type": "int64", "shape": [4000]},
        {"name": "people", "kind": "number", "value": 4000.0},
    ],
    "mechanisms": [
        {"column": "age", "mechanism": "Piecewise", "epsilon": "1", "rows": 40, "expected_error": 2.17, "unit": "own"}],
    "budget": {"charged": amount("1"), "spent": amount("2"), "ceiling": amount("3"), "left": amount("1")},
    "ledger": {"id": "ab" * 32, "key": "1234-5678", "sequence": 1, "head": "cd" * 32},
    "receipt": {"id": "r", "time": "2026-11-18T09:05:00+00:00"},
    "verify": "sudare verify . --key 1234-5678",
    "outside": ["origin", "signer"],
    "provenance": {"sudare": "0.1.0", "parameters": {"rows": 4000}},
}  # fmt: skip


def changed(**facts: Any) -> dict[str, Any]:
    return {**copy.deepcopy(FACTS), **facts}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_card_needs_nothing_and_is_well_formed(language: str) -> None:
    assert complaints(Card(changed(language=language)).html) == []


def test_both_languages_have_the_same_parts_and_the_same_numbers() -> None:
    whole = Card(FACTS).html
    english, japanese = (re.search(f'<main lang="{one}">(.*?)</main>', whole, re.DOTALL)[1] for one in LANGUAGES)  # type: ignore[index]
    assert re.findall(r"</?(\w+)", english) == re.findall(r"</?(\w+)", japanese)
    assert read(whole).headings["en"] == read(whole).headings["ja"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_promise_its_assumption_and_the_check_are_on_the_card(language: str) -> None:
    words = " ".join(read(Card(FACTS).html).texts[language])
    for text in (
        PROMISE.sentence(language),
        say("card.rests.local-dp", language),
        say("card.against.local-dp", language),
        say("check.outside.origin", language),
        "sudare verify . --key 1234-5678",
        "ε = 3",
    ):
        assert text in words


def test_an_assumption_of_the_promise_itself_is_listed() -> None:
    shuffled = ApproximateDP("0.5", "1e-6", "replace-one", ("rows shuffled, order forgotten",))
    facts = changed(assumptions=list(shuffled.assuming), guarantee_kinds=["approximate-dp"])
    assert say("assumption.rows_shuffled", "ja") in " ".join(read(Card(facts).html).texts["ja"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_private_says_so_before_anything_else(language: str) -> None:
    found = read(Card(changed(private=False, notices=["simulation", "repeatable"])).html)
    words = found.texts[language]
    assert words.index(say("card.not_private", language)) < words.index(say("card.promise", language))
    assert say("card.notice.repeatable", language) in words


def test_what_is_private_does_not_cry_wolf() -> None:
    assert say("card.not_private") not in Card(FACTS).html


def test_no_ceiling_is_said_and_not_shown_as_zero() -> None:
    facts = changed(budget={"charged": amount("1"), "spent": amount("1"), "ceiling": None, "left": None})
    assert say("card.budget.no_ceiling") in read(Card(facts).html).texts["en"]


@pytest.mark.parametrize("place", ["title", "subjects", "verify"])
def test_a_text_from_outside_never_becomes_markup(place: str) -> None:
    nasty = "</h1><script>fetch('x')</script><img src=x onerror=y>"
    assert complaints(Card(changed(**{place: nasty})).html) == []


def test_texts_deep_in_the_facts_never_become_markup() -> None:
    nasty = "\"'><svg onload=x>"
    facts = changed(provenance={nasty: {nasty: [nasty]}}, assumptions=[nasty], promise={"en": nasty, "ja": nasty})
    facts["results"][1]["name"] = facts["results"][1]["rows"][0]["label"] = facts["contents"][0]["name"] = nasty
    facts["mechanisms"][0]["column"] = facts["ledger"]["key"] = nasty
    assert complaints(Card(facts).html) == []


def test_a_card_without_budget_errors_or_results_is_still_a_card() -> None:
    few = {name: FACTS[name] for name in ("title", "private", "subjects", "promise")}
    assert complaints(Card(few).html) == []


def test_a_notebook_shows_the_card_in_a_frame_where_nothing_runs() -> None:
    frame = Card(FACTS)._repr_html_()
    assert frame.startswith("<iframe sandbox ")
    assert frame.count("<") == 2


def test_the_facts_come_back() -> None:
    assert Card(FACTS).to_dict() == FACTS


LEDGER: dict[str, Any] = {
    "path": "study.ledger",
    "key": "1234-5678",
    "private": True,
    "subjects": {"patients": {"spent": amount("1"), "left": amount("2"), "ceiling": amount("3")},
                 "staff": {"spent": amount("0"), "left": None, "ceiling": None}},
    "charges": [{"time": "2026-11-18T09:05:00+00:00", "subjects": "patients", "purpose": "<b>age</b>", "epsilon": "1",
                 "delta": "0", "promise": {language: PROMISE.sentence(language) for language in LANGUAGES}}],
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_a_ledger_shows_every_group_and_every_charge(language: str) -> None:
    whole = ledger_page(LEDGER, language)
    words = read(whole).texts[language]
    assert complaints(whole) == []
    assert {"patients", "staff", "<b>age</b>", "ε = 2", PROMISE.sentence(language)} <= set(words)


def test_the_page_of_a_ledger_names_the_file_and_not_where_it_lies() -> None:
    whole = ledger_page({**LEDGER, "path": "server-7/ada/study.ledger"})
    assert "study.ledger" in read(whole).texts["en"]
    assert "ada" not in whole
    assert "server-7" not in whole


def test_a_wide_table_names_its_columns_in_each_cell_for_a_narrow_screen() -> None:
    whole = Card(FACTS).html
    assert f'data-name="{say("card.column.error")}">' in whole
    assert "standard error" in say("card.column.error")


def test_the_page_of_a_simulation_is_marked() -> None:
    assert say("card.not_private") in ledger_page({**LEDGER, "private": False, "charges": []})


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_says_to_get_the_fingerprint_from_elsewhere(language: str) -> None:
    assert say("card.check_key", language) in Card({**FACTS, "language": language}).html.replace("&#x27;", "'")

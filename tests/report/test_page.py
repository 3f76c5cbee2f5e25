"""A page of ours needs no network and no script, and is readable by everybody, on every screen and on paper."""

import re
from importlib import resources

import pytest
from tests.report.pages import complaints

from sudare.errors import InvalidParameter
from sudare.report import page
from sudare.report.page import bullets, facts, paragraph, section, table

STYLE = resources.files("sudare.report").joinpath("style.css").read_text()
BODIES = {"en": "<h1>Mean age</h1>", "ja": "<h1>平均年齢</h1>"}


def test_a_page_needs_nothing() -> None:
    assert complaints(page("Mean age", BODIES)) == []


def test_the_style_fetches_nothing() -> None:
    assert re.findall(r"url\(|@import|https?:", STYLE) == []


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_language_that_is_asked_for_is_shown_first(language: str) -> None:
    whole = page("Mean age", BODIES, language)
    assert f'<html lang="{language}">' in whole
    (chosen,) = re.findall(r'id="language-(\w+)"[^>]* checked', whole)
    assert chosen == language


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        page("Mean age", BODIES, "fr")


def test_a_text_never_becomes_markup() -> None:
    nasty = "</h2><script>alert('1')</script>&\""
    drawn = section(
        nasty, paragraph(nasty), bullets([nasty]), facts([(nasty, nasty)]), table(nasty, [nasty], [[nasty]])
    )
    assert "<script" not in drawn + page(nasty, BODIES)


def colors(block: str) -> dict[str, str]:
    short = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", block))
    return {
        name: "#" + "".join(2 * one for one in color[1:]) if len(color) == 4 else color for name, color in short.items()
    }


def luminance(color: str) -> float:
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


BLOCKS = dict(zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL), strict=True))
TEXT_ON = [
    *(("ink", ground) for ground in ("paper", "sheet", "soft", "warn-soft")),
    *(("quiet", ground) for ground in ("paper", "sheet", "soft")),
    *(("accent", ground) for ground in ("paper", "sheet")),
    ("sheet", "accent"),
    ("warn", "warn-soft"),
]
SHAPE_ON = [("accent", "sheet"), ("truth", "sheet"), ("quiet", "sheet"), ("accent", "accent-soft")]


@pytest.mark.parametrize("theme", BLOCKS)
def test_text_and_shapes_stand_out_from_their_ground(theme: str) -> None:
    known = colors(BLOCKS[theme])
    weak = [pair for pair in TEXT_ON if contrast(known[pair[0]], known[pair[1]]) < 4.5]
    weak += [pair for pair in SHAPE_ON if contrast(known[pair[0]], known[pair[1]]) < 3.0]
    assert weak == []

"""Charts say in words what they draw, keep what they draw inside, and hold nothing that a text could break."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.report import Interval, budget_bar, interval_chart, share_chart
from sudare.report.charts import MOST_ROWS

numbers = st.floats(-1e9, 1e9, allow_nan=False)


def drawn(chart: str) -> ElementTree.Element:
    return ElementTree.fromstring(chart)  # noqa: S314  (our own drawing)


@given(st.lists(st.tuples(st.text(max_size=60), numbers, st.floats(0, 1e6), st.floats(0, 1e6)), max_size=6))
def test_any_estimates_make_a_drawing_that_stays_inside(rows: list[tuple[str, float, float, float]]) -> None:
    printable = ["".join(letter for letter in label if letter.isprintable()) for label, *_ in rows]
    intervals = [
        Interval(label, value, value - below, value + above)
        for label, (_, value, below, above) in zip(printable, rows, strict=True)
    ]
    for draw in (interval_chart, share_chart):
        chart = drawn(draw(intervals, "a title"))
        width = float(chart.attrib["viewBox"].split()[2])
        places = [
            float(one.attrib[name]) for one in chart.iter() for name in ("x", "x1", "x2", "cx") if name in one.attrib
        ]
        assert all(-1 <= place <= width + 1 for place in places)


def test_the_numbers_are_in_the_spoken_text_too() -> None:
    chart = drawn(interval_chart([Interval("age", 47.25, 45.5, 49.0)], "Mean age"))
    assert chart.attrib["role"] == "img"
    assert chart.attrib["aria-label"] == "Mean age: age 47.2 (45.5 to 49.0)"


def test_a_label_cannot_break_out_of_the_drawing() -> None:
    chart = share_chart([Interval('"><script>alert(1)</script>', 0.2, 0.1, 0.3)], 'a "title" & <more>')
    assert "<script" not in chart
    drawn(chart)


def test_the_truth_is_drawn_only_where_it_is_given() -> None:
    row = Interval("age", 47.0, 45.0, 49.0)
    known = Interval("age", 47.0, 45.0, 49.0, truth=46.0)
    assert "truth" not in interval_chart([row], "age")
    assert interval_chart([known], "age").count('class="truth"') == 1


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_left_out(strange: float) -> None:
    assert "circle" not in interval_chart([Interval("age", strange, strange, strange)], "age")


def test_a_long_list_is_cut_in_the_picture() -> None:
    rows = [Interval(str(number), 0.01, 0.0, 0.02) for number in range(500)]
    assert share_chart(rows, "many").count('class="bar"') == MOST_ROWS


def test_the_declared_domain_is_the_axis() -> None:
    ticks = re.findall(
        r'class="tick"[^>]*>([^<]*)<', interval_chart([Interval("", 50, 49, 51)], "age", domain=(0, 120))
    )
    assert ticks == ["0", "20", "40", "60", "80", "100", "120"]


def test_the_ends_of_a_declared_domain_that_are_not_round_are_on_the_axis_too() -> None:
    chart = interval_chart([Interval("", 50, 49, 51)], "age", domain=(18, 97))
    ticks = re.findall(r'class="tick"[^>]*>([^<]*)<', chart)
    assert ticks == ["18", "40", "60", "80", "97"]
    ends = re.findall(r'class="tick" x="([\d.]+)"[^>]*text-anchor="middle"', chart)
    assert (ends[0], ends[-1]) == ("14.0", "386.0")


def test_the_grid_keeps_clear_of_the_numbers() -> None:
    chart = drawn(share_chart([Interval("yes", 0.2, 0.1, 0.3), Interval("no", 0.8, 0.7, 0.9)], "smoker"))
    baselines = [float(one.attrib["y"]) for one in chart.iter() if one.attrib.get("class") == "number"]
    grid = [one.attrib["d"] for one in chart.iter() if one.attrib.get("class") == "grid"]
    tops = {float(top) for path in grid for top in re.findall(r"M[\d.]+ ([\d.]+)v14", path)}
    assert len(tops) == len(baselines) == 2
    assert not any(top - 2 < text + 2 and text - 10 < top + 14 for top in tops for text in baselines)


def test_the_bar_shows_what_was_spent_in_proportion() -> None:
    widths = [float(one.attrib["width"]) for one in drawn(budget_bar(1.0, 0.5, 4.0, "Budget"))]
    assert widths[1] / widths[0] == pytest.approx(0.25, rel=1e-2)
    assert widths[2] / widths[0] == pytest.approx(0.125, rel=1e-2)


@pytest.mark.parametrize("ceiling", [None, 0.0, 2.0])
def test_a_bar_is_drawn_whatever_the_ceiling(ceiling: float | None) -> None:
    for before, charged in ((0.0, 0.0), (1.0, 3.0)):
        drawn(budget_bar(before, charged, ceiling, "Budget"))

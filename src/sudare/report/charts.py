"""Static charts as SVG text: no script, no network, colors from the page's style, every number also as words."""

import html
import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sudare.report.numbers import plain, with_interval

MOST_ROWS = 40  # a longer list is read in the table or in the JSON, not in a picture
_WIDTH, _MARGIN, _ROW, _AXIS = 400, 2, 36, 20
_INSET = 14  # room for half the label of an end of the axis
_LABEL_CELLS = 30
_LARGEST = 1e100  # beyond, and for what is not finite, no axis can be drawn


@dataclass(frozen=True)
class Interval:
    """One row of a chart: an estimate, what it may be as well, and the truth where the truth is public.

    Examples
    --------
    >>> Interval("age", value=47.3, low=45.5, high=49.0).truth is None
    True
    """

    label: str
    value: float
    low: float
    high: float
    truth: float | None = None


def interval_chart(
    rows: Sequence[Interval], title: str, language: str = "en", domain: Sequence[float] | None = None
) -> str:
    """Draw estimates as points on their intervals; the axis is the declared domain, or fits what is drawn.

    Examples
    --------
    >>> interval_chart([Interval("age", 47.3, 45.5, 49.0)], "Mean", domain=(0, 120)).startswith('<svg class="chart"')
    True
    """
    rows = _drawable(rows)
    numbers = [number for row in rows for number in _numbers(row)] + list(domain or ())
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    if domain is None:
        room = (high - low) / 10 or abs(low) / 10 or 1.0
        low, high = low - room, high + room
    # An estimate may lie outside the declared domain; the ends are then no longer the declared ones.
    declared = domain is not None and [low, high] == list(domain)
    return _chart(rows, title, language, _Axis(low, high, declared), _point)


def share_chart(rows: Sequence[Interval], title: str, language: str = "en") -> str:
    """Draw shares as bars from zero, each with its interval.

    Examples
    --------
    >>> "<rect" in share_chart([Interval("yes", 0.2, 0.15, 0.25)], "smoker")
    True
    """
    rows = _drawable(rows)
    numbers = [number for row in rows for number in _numbers(row)]
    # Unbiased shares may be below zero; the axis says so and no bar is cut.
    axis = _Axis(min([0.0, *numbers]), max([0.01, *numbers]) * 1.05)
    return _chart(rows, title, language, axis, _bar)


def budget_bar(before: float, charged: float, ceiling: float | None, title: str) -> str:
    """Draw what was spent before, what this charge took, and what is left below the ceiling.

    Examples
    --------
    >>> budget_bar(1.0, 0.5, 3.0, "Budget").count("<rect")
    3
    """
    whole = max(before + charged, ceiling or 0.0) or 1.0
    scale = (_WIDTH - 2) / whole
    frame = f'<rect class="left" x="1" y="1" width="{_WIDTH - 2}" height="10"/>'
    parts = [
        f'<rect class="{name}" x="{1 + start * scale:.1f}" y="1" width="{length * scale:.1f}" height="10"/>'
        for name, start, length in (("before", 0.0, before), ("charged", before, charged))
    ]
    return _svg(12, title, [frame, *parts], kind="chart wide")


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    declared: bool = False

    def place(self, number: float) -> float:
        return _INSET + (number - self.low) / (self.high - self.low) * (_WIDTH - 2 * _INSET)

    @property
    def step(self) -> float:
        """A step of 1, 2 or 5 times a power of ten that makes three to seven ticks."""
        rough = (self.high - self.low) / 6
        power = 10.0 ** math.floor(math.log10(rough))
        return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough)

    @property
    def ticks(self) -> list[float]:
        """The round numbers; where the ends are declared, they stand for those that would be too near to them."""
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        round_ones = [index * self.step for index in range(first, last + 1)]
        if not self.declared:
            return round_ones
        room = self.step * 0.35
        return [self.low, *(one for one in round_ones if self.low + room < one < self.high - room), self.high]


def _chart(
    rows: Sequence[Interval], title: str, language: str, axis: _Axis, mark: Callable[[Interval, _Axis, float], str]
) -> str:
    height = _ROW * len(rows) + _AXIS
    parts = [_tick(axis, number, height) for number in axis.ticks]
    for index, row in enumerate(rows):
        top = index * _ROW
        numbers = with_interval(row.value, row.low, row.high, language)
        parts.append(f'<text x="{_MARGIN}" y="{top + 13}">{html.escape(_shortened(row.label))}</text>')
        parts.append(f'<text class="number" x="{_WIDTH - _MARGIN}" y="{top + 13}">{html.escape(numbers)}</text>')
        parts.append(mark(row, axis, top + 25))
        if row.truth is not None:
            x = axis.place(row.truth)
            parts.append(f'<line class="truth" x1="{x:.1f}" x2="{x:.1f}" y1="{top + 17}" y2="{top + 33}"/>')
    spoken = "; ".join(f"{row.label} {with_interval(row.value, row.low, row.high, language)}".strip() for row in rows)
    return _svg(height, f"{title}: {spoken}", parts)


def _svg(height: int, spoken: str, parts: Sequence[str], kind: str = "chart") -> str:
    body = "".join(parts)
    about = f'viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{html.escape(spoken)}"'
    return f'<svg class="{kind}" {about}>{body}</svg>'


def _tick(axis: _Axis, number: float, height: int) -> str:
    x = axis.place(number)
    bands = "".join(f"M{x:.1f} {top + 18}v14" for top in range(0, height - _AXIS, _ROW))
    label = plain(round(number, 12) + 0.0)
    # A long label at an end is moved inside, where it would be cut if it stood centered.
    half = 3.2 * len(label)
    anchor = "start" if x < half else "end" if x > _WIDTH - half else "middle"
    text = f'<text class="tick" x="{x:.1f}" y="{height - 4}" text-anchor="{anchor}">{label}</text>'
    return f'<path class="grid" d="{bands}"/>{text}'


def _point(row: Interval, axis: _Axis, y: float) -> str:
    low, high = axis.place(row.low), axis.place(row.high)
    band = f'<rect class="band" x="{low:.1f}" y="{y - 4}" width="{max(high - low, 1):.1f}" height="8" rx="4"/>'
    return f'{band}<circle class="dot" cx="{axis.place(row.value):.1f}" cy="{y}" r="4.5"/>'


def _bar(row: Interval, axis: _Axis, y: float) -> str:
    start, end = sorted((axis.place(0.0), axis.place(row.value)))
    low, high = axis.place(row.low), axis.place(row.high)
    bar = f'<rect class="bar" x="{start:.1f}" y="{y - 5}" width="{end - start:.1f}" height="10"/>'
    ends = "".join(f"M{x:.1f} {y - 3}v6" for x in (low, high))
    return f'{bar}<path class="whisker" d="M{low:.1f} {y}H{high:.1f}{ends}"/>'


def _drawable(rows: Sequence[Interval]) -> list[Interval]:
    return [row for row in rows if all(abs(number) < _LARGEST for number in _numbers(row))][:MOST_ROWS]


def _numbers(row: Interval) -> list[float]:
    return [row.value, row.low, row.high, *([] if row.truth is None else [row.truth])]


def _shortened(label: str) -> str:
    cells, kept = 0, ""
    for letter in label:
        cells += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if cells > _LABEL_CELLS:
            return kept + "…"
        kept += letter
    return kept

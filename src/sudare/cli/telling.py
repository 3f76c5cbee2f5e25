"""What the tour shows of each step: on the terminal, and on a page that only a tour can show."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer

from sudare.cli.lines import aligned
from sudare.cli.story import Step
from sudare.estimate import Estimate
from sudare.report import Interval, interval_chart, page, share_chart
from sudare.report.numbers import plain, with_interval
from sudare.report.page import paragraph, section
from sudare.schema.whole_files import whole_file
from sudare.texts import LANGUAGES, say
from sudare.texts.visible import visible

Names = Mapping[str, Any]

HALF_WIDTHS = {"age": 60.0, "glucose": 200.0, "smoker": 1.0}  # from [-1, 1] to the column's unit; shares have none


def told(number: int, step: Step, printed: str, names: Names) -> Iterator[str]:
    """Yield the lines of one step: what it is for, the Python that did it, what came of it."""
    language = names["language"]
    yield typer.style(f"{number}. {say(f'tour.{step.name}', language)}", bold=True)
    yield from (typer.style(f"   {line}", fg="green") for line in step.code.splitlines())
    shown = _SHOWN[step.name](names) if step.name in _SHOWN else []
    yield from (f"   {visible(line)}" for line in [*printed.split("\n"), *shown] if line)
    yield ""


def _show_table(names: Names) -> list[str]:
    table = names["table"]
    rows = [list(table), *([str(table[name][row]) for name in table] for row in range(min(3, names["rows"])))]
    return aligned(rows)


def _show_schema(names: Names) -> list[str]:
    return [repr(names["columns"])]


def _show_errors(names: Names) -> list[str]:
    heads = [say(f"card.column.{name}", names["language"]) for name in ("column", "mechanism", "epsilon", "error")]
    rows = [heads]
    for name, error in zip(HALF_WIDTHS, names["expected"], strict=True):
        size = error * HALF_WIDTHS[name]
        rows.append([name, type(names[name]).__name__, str(names[name].epsilon), f"± {plain(size, size)}"])
    return aligned(rows)


def _show_reports(names: Names) -> list[str]:
    heads = [say(f"tour.column.{name}", names["language"]) for name in ("row", "truth", "report")]
    reports = names["schema"]["age"].from_unit(names["ages"][:3]).tolist()
    truth = names["columns"]["age"][:3].tolist()
    pairs = enumerate(zip(truth, reports, strict=True), start=1)
    return aligned([heads, *([str(row), plain(age), plain(round(report, 1))] for row, (age, report) in pairs)])


def _show_estimates(names: Names) -> list[str]:
    language = names["language"]
    heads = [say(f"tour.column.{name}", language) for name in ("what", "truth", "estimate")]
    rows = [
        [label, _truth(one), with_interval(one.value, one.low, one.high, language)]
        for name in HALF_WIDTHS
        for label, one in beside_truth(name, names)
    ]
    return aligned([heads, *rows])


def _truth(row: Interval) -> str:
    return "" if row.truth is None else plain(row.truth, (row.high - row.low) / 2)


def _show_release(names: Names) -> list[str]:
    return [f"{path.name} ({path.stat().st_size:,} B)" for path in sorted(names["saved"].iterdir())]


def _show_verification(names: Names) -> list[str]:
    return str(names["verification"]).splitlines()


_SHOWN: dict[str, Callable[[Names], list[str]]] = {
    "table": _show_table,
    "schema": _show_schema,
    "error": _show_errors,
    "charge": _show_reports,
    "estimate": _show_estimates,
    "release": _show_release,
    "verify": _show_verification,
}


def beside_truth(name: str, names: Names) -> list[tuple[str, Interval]]:
    """Return the estimates of a column with the truth, which is public here and nowhere else."""
    estimate: Estimate = names["estimates"][name]
    column = names["columns"][name]
    if name != "smoker":
        truth = [float(np.mean(column))]
        labels = [name]
    else:
        labels = list(names["schema"][name].categories)
        truth = [float(np.mean(column == code)) for code in range(len(labels))]
    ends = [np.atleast_1d(np.asarray(one, np.float64)) for one in (estimate.value, estimate.low, estimate.high)]
    rows = zip(labels, *(end.tolist() for end in ends), truth, strict=True)
    return [(f"{name} = {label}" if label != name else name, Interval(label, *numbers)) for label, *numbers in rows]


def write_page(names: Names) -> Path:
    """Draw what only a tour can show: estimates beside the truth."""
    path: Path = names["folder"] / "beside_the_truth.html"
    title = say("tour.page_title", names["language"])
    whole = page(title, {one: _page_body(names, one) for one in LANGUAGES}, names["language"])
    with whole_file(path) as file:
        file.write(whole.encode())
    return path


def _page_body(names: Names, language: str) -> str:
    parts = [f"<h1>{say('tour.page_title', language)}</h1>", paragraph(say("tour.page_text", language), "lead")]
    for name in HALF_WIDTHS:
        rows = [one for _, one in beside_truth(name, names)]
        chart = (share_chart if name == "smoker" else interval_chart)(rows, name, language)
        legend = f'<span><i class="swatch truth"></i>{say("tour.column.truth", language)}</span>'
        parts.append(section(name, f"<figure>{chart}<figcaption>{legend}</figcaption></figure>"))
    return "\n".join(parts)

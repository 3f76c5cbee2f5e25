"""`sudare tour`: the whole ground floor on people who do not exist, each step with the Python that did it."""

import contextlib
import io
from pathlib import Path
from typing import Any

import typer

from sudare.cli.patients import as_csv, patients
from sudare.cli.running import print_json
from sudare.cli.story import STEPS, Step
from sudare.cli.telling import HALF_WIDTHS, beside_truth, told, write_page
from sudare.errors import FolderExists, InvalidParameter, SudareError
from sudare.schema.whole_files import whole_file
from sudare.texts import LANGUAGES, say
from sudare.texts.visible import visible

_HOME = Path("sudare-tour")


def write_table(path: Path, rows: int, *, as_json: bool) -> None:
    """Write the synthetic table; a file that holds it already is left as it is."""
    content = as_csv(patients(rows)).encode()
    if not (path.is_file() and path.read_bytes() == content):
        with whole_file(path) as file:
            file.write(content)
    if as_json:
        print_json({"table": str(path), "rows": rows})
    else:
        typer.echo(f"{visible(str(path))}: {rows:,} people who do not exist (age, glucose, smoker, diabetes)")


def run(out: Path | None, *, rows: int, language: str, as_json: bool) -> None:
    """Tell the story in a new folder."""
    if language not in LANGUAGES:
        raise InvalidParameter("there is no text in this language", where="--language", remedy="choose en or ja")
    names = _names(folder=_new_folder(out), rows=rows, language=language)
    for number, step in enumerate(STEPS, start=1):
        printed = _performed(step, names)
        if not as_json:
            typer.echo("\n".join(told(number, step, printed, names)))
    page_path = write_page(names)
    if as_json:
        print_json(_facts(names, page_path))
    else:
        typer.echo("\n".join(_ending(names, page_path)))


def _new_folder(out: Path | None) -> Path:
    if out is not None:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise FolderExists("something stands here already", where=str(out), remedy="name a new folder with --out")
        out.mkdir(parents=True, exist_ok=True)
        return out
    number = 1
    while True:
        folder = _HOME / str(number)
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder


def _names(**given: Any) -> dict[str, Any]:
    from sudare.guarantees import compose
    from sudare.ledger import Ledger
    from sudare.mechanisms import Piecewise, RandomizedResponse
    from sudare.release import Release, verify
    from sudare.schema import Categorical, Numeric, Schema

    known = (compose, Ledger, Piecewise, RandomizedResponse, Release, verify, Categorical, Numeric, Schema, patients)
    return {**{thing.__name__: thing for thing in known}, **given}


def _performed(step: Step, names: dict[str, Any]) -> str:
    """Run the lines of a step and return what they printed."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(step.code, f"<tour: {step.name}>", "exec"), names)  # noqa: S102  (our own lines, as printed)
    except SudareError as error:
        if not step.refused:
            raise
        names["refusal"] = error
        return str(error)
    if step.refused:
        raise AssertionError("the ledger went past its ceiling")
    return printed.getvalue().rstrip()


def _ending(names: dict[str, Any], page_path: Path) -> list[str]:
    paths = {"page": page_path, "card": names["saved"] / "card.html"}
    return [
        f"{say(f'tour.see_{name}', names['language'])}  {typer.style(visible(str(path.resolve())), bold=True)}"
        for name, path in paths.items()
    ]


def _facts(names: dict[str, Any], page_path: Path) -> dict[str, Any]:
    error: SudareError = names["refusal"]
    return {
        "folder": str(names["folder"]),
        "rows": names["rows"],
        "expected_error": {
            name: error * HALF_WIDTHS[name] for name, error in zip(HALF_WIDTHS, names["expected"], strict=True)
        },
        "estimates": {name: estimate.to_dict() for name, estimate in names["estimates"].items()},
        "truth": {name: [one.truth for _, one in beside_truth(name, names)] for name in HALF_WIDTHS},
        "refused": {"error": type(error).__name__, "what": error.what},
        "ledger": names["ledger"].export()["subjects"],
        "verification": names["verification"].to_dict(),
        "card": str(names["saved"] / "card.html"),
        "page": str(page_path),
    }

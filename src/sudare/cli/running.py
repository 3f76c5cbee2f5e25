"""One place where a command ends: what it returns, what it says on stderr, and with which exit code."""

import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

import typer

from sudare.errors import (
    BudgetError,
    LawBroken,
    LedgerDamaged,
    LedgerRolledBack,
    ReleaseDamaged,
    SudareError,
    SudareWarning,
)
from sudare.texts.visible import visible, visible_json

DONE, FAILED, WRONG, STOPPED = 0, 1, 2, 130
_FAILURES = (BudgetError, LedgerDamaged, LedgerRolledBack, ReleaseDamaged, LawBroken)
_UsageError = typer.BadParameter.__mro__[1]  # typer gives its parent no name of its own


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; an expected error is three lines on stderr, never a traceback.

    Examples
    --------
    >>> run(["tour", "--table", "people.csv", "--rows", "10"])
    people.csv: 10 people who do not exist (age, glucose, smoker, diabetes)
    0
    """
    from sudare.cli.application import app

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without ε still shows the rest
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            return app(args=list(arguments), prog_name="sudare", standalone_mode=False) or DONE
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  (what is not expected is raised again)
            return _ended(error, arguments)


def _ended(error: BaseException, arguments: Sequence[str]) -> int:
    as_json = "--json" in arguments
    if isinstance(error, SudareError):
        _say(error, as_json=as_json)
        return FAILED if isinstance(error, _FAILURES) else WRONG
    if isinstance(error, _UsageError):
        _say_usage(error, arguments, as_json=as_json)
        return WRONG
    if isinstance(error, BrokenPipeError):
        # Who reads our output has left; without this Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, OSError):
        where = "" if error.filename is None else str(error.filename)
        _say(SudareError(str(error.strerror), where=where, remedy="check the path and its rights"), as_json=as_json)
        return WRONG
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        typer.echo("stopped", err=True)
        return STOPPED
    raise error


def _say(error: SudareError, *, as_json: bool) -> None:
    facts = {"error": type(error).__name__, "what": error.what, "where": error.where, "remedy": error.remedy}
    seen = SudareError(visible(error.what), where=visible(error.where), remedy=visible(error.remedy))
    typer.echo(visible_json(json.dumps(facts, ensure_ascii=False)) if as_json else str(seen), err=True)


def _say_usage(error: Any, arguments: Sequence[str], *, as_json: bool) -> None:
    command = _command(arguments) if error.ctx is None else error.ctx.command_path
    if type(error).__name__ == "NoArgsIsHelpError" and not as_json:
        typer.echo(error.ctx.get_help(), err=True)
        return
    what = error.format_message() if type(error).__name__ != "NoArgsIsHelpError" else "a command is missing"
    _say(SudareError(what, where=command, remedy=f"see {command} --help"), as_json=as_json)


def _command(arguments: Sequence[str]) -> str:
    """Name the command that was asked for: the parser does not say it of an option without its value."""
    from sudare.cli.application import app

    names, group = ["sudare"], typer.main.get_command(app)
    for word in arguments:
        known: Mapping[str, Any] = getattr(group, "commands", {})
        if word not in known:
            break
        names.append(word)
        group = known[word]
    return " ".join(names)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,
) -> None:
    if issubclass(category, SudareWarning):
        typer.echo(f"note: {visible(str(message))}", err=True)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno, line))


def print_json(facts: Any) -> None:
    """Print one JSON document."""
    typer.echo(visible_json(json.dumps(facts, indent=1, ensure_ascii=False)))


def print_as(facts: Callable[[], Any], text: Callable[[], str], *, as_json: bool) -> None:
    """Print the facts for machines, or the text for people."""
    if as_json:
        print_json(facts())
    else:
        typer.echo("\n".join(map(visible, text().split("\n"))))

"""The commands and their options; what they do is imported when they run."""

from pathlib import Path
from typing import Annotated, Optional

import typer

from sudare.cli.ledger_commands import ledger
from sudare.version import __version__

# Plain help: it is printed in a third of the time that the decorated one takes.
app = typer.Typer(
    name="sudare",
    help="Sudare, a privacy workbench: data with a promise, a durable record of the budget, releases that a stranger"
    " can verify.",
    epilog="Exit codes: 0 done; 1 a promise does not hold or a check failed; 2 wrong usage or input.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(ledger, name="ledger")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sudare {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command(
    short_help="See the whole workbench at work.",
    epilog="Examples:  sudare tour  |  sudare tour --language ja  |  sudare tour --table patients.csv",
)
def tour(
    table: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Only write the tour's synthetic table to this CSV file.", metavar="FILE"),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            help="New folder for what the tour makes. Default: the next number in ./sudare-tour.", metavar="FOLDER"
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(help="How many people to make up.", min=1, max=1_000_000, metavar="NUMBER")
    ] = 4000,
    language: Annotated[str, typer.Option(help="en or ja.", metavar="LANGUAGE")] = "en",
    as_json: Json = False,
) -> None:
    """Show the whole workbench in a few seconds, on people who do not exist."""
    from sudare.cli import tour as story

    if table is not None:
        story.write_table(table, rows, as_json=as_json)
    else:
        story.run(out, rows=rows, language=language, as_json=as_json)


@app.command(
    short_help="Check a release that was handed out.",
    epilog="Examples:  sudare verify release  |  sudare verify release --key 7f3a-9b1c-22de-4410-…  --json",
)
def verify(
    folder: Annotated[Path, typer.Argument(help="The folder of a release: it holds release.json.", metavar="FOLDER")],
    key: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="Fingerprint of the key that must have signed, as `sudare ledger show` prints it.", metavar="KEY"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a release from its folder and public knowledge alone; exit code 1 where it does not hold."""
    from sudare.cli.running import FAILED, print_as
    from sudare.release import verify as verify_release

    found = verify_release(folder, key)
    print_as(found.to_dict, lambda: str(found), as_json=as_json)
    if not found.ok:
        raise typer.Exit(FAILED)

"""`sudare ledger`: make one, look at it, check it, take it elsewhere."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from sudare.ledger import Ledger, LedgerFile, Verification

ledger = typer.Typer(
    help="The durable record of what was spent on whom.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)

_OUTCOMES = {True: "holds", False: "FAILS", None: "unknown"}  # as the text has them
_HOW_TO_WRITE_A_CEILING = (
    "write --ceiling patients=1.5, with a decimal point; after a comma comes δ, which is below 1: patients=1.5,1e-6"
)

Where = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(help="The ledger file. Default: $SUDARE_LEDGER, else ./sudare.ledger.", metavar="[LEDGER]"),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


@ledger.command(
    "open",
    short_help="Make a ledger, or declare ceilings.",
    epilog="Example:  sudare ledger open study.ledger --ceiling patients=1.5 --ceiling staff=1,1e-6",
)
def open_ledger(
    path: Where = None,
    ceiling: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            help="The most that may be spent on some people: PEOPLE=EPSILON or PEOPLE=EPSILON,DELTA; a point before"
            " decimals.",
            metavar="CEILING",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a ledger, or declare ceilings in one that is there; ceilings never change."""
    from sudare.cli.running import print_as
    from sudare.ledger import Ledger

    opened = Ledger.open(_path(path), ceilings=_ceilings(ceiling or []))
    print_as(lambda: _summary(opened), lambda: str(opened), as_json=as_json)


@ledger.command(
    short_help="Show what was spent and what is left.",
    epilog="Examples:  sudare ledger show study.ledger  |  sudare ledger show study.ledger --html study.html",
)
def show(
    path: Where = None,
    html: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write a page for people to this new file.", metavar="FILE"),
    ] = None,
    language: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(help="Language that the page shows first: en or ja. Only with --html.", metavar="LANGUAGE"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what was spent and what is left."""
    from sudare.cli.ledger_page import ledger_page
    from sudare.cli.running import print_as
    from sudare.errors import InvalidParameter
    from sudare.schema.whole_files import whole_file

    if language is not None and html is None:
        raise InvalidParameter(
            "only a page has a language to choose", where="--language", remedy="add --html FILE, or leave it out"
        )
    opened = _existing(path)
    if html is not None:
        page = ledger_page(opened, language or "en")
        with whole_file(html) as file:
            file.write(page.encode())
    written = {} if html is None else {"written": str(html)}
    said = "" if html is None else f"\n{_wrote(html)}"
    print_as(lambda: {**_summary(opened), **written}, lambda: f"{opened}{said}", as_json=as_json)


@ledger.command(
    short_help="Check a ledger from its files alone.",
    epilog="Examples:  sudare ledger verify study.ledger  |  sudare ledger verify study.ledger --release sent/release",
)
def verify(
    path: Where = None,
    release: Annotated[
        Optional[list[Path]],  # noqa: UP045
        typer.Option(help="A release of this ledger that is kept elsewhere; may be given again.", metavar="FOLDER"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check chain, sums, signatures and witness from the files alone; exit code 1 where something does not hold.

    With --release it is also told by releases that are kept elsewhere whether the ledger is an older copy.
    """
    from sudare.cli.running import FAILED, print_as
    from sudare.ledger import verify_file

    place = _existing_path(path)
    found = verify_file(place)
    if release and found.passed:
        _refuse_older(place, release)
    compared = [str(folder) for folder in release or [] if found.passed]
    said = f"\nreleases    holds   {len(compared)} kept elsewhere, none newer than the ledger" if compared else ""
    print_as(lambda: {**_in_words(found), "releases": compared}, lambda: f"{found}{said}", as_json=as_json)
    if not found.passed:
        raise typer.Exit(FAILED)


@ledger.command(
    short_help="Print all entries as JSON.", epilog="Example:  sudare ledger export study.ledger --out study.json"
)
def export(
    path: Where = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write to this new file instead of stdout.", metavar="FILE"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The entries are JSON in any case; with --out, say what was written as JSON.")
    ] = False,
) -> None:
    """Print all entries as JSON; no key is in it."""
    import json

    from sudare.cli.running import print_as, print_json
    from sudare.schema.whole_files import whole_file

    facts = _existing(path).export()
    if out is None:
        print_json(facts)
        return
    with whole_file(out) as file:
        file.write(json.dumps(facts, indent=1, ensure_ascii=False).encode())
    print_as(lambda: {"written": str(out)}, lambda: _wrote(out), as_json=as_json)


def _in_words(found: "Verification") -> dict[str, object]:
    facts = found.to_dict()
    return {**facts, "checks": [{**check, "outcome": _OUTCOMES[check["passed"]]} for check in facts["checks"]]}


def _refuse_older(place: Path, releases: list[Path]) -> None:
    from sudare.ledger import Ledger

    opened = Ledger.open(place)
    for folder in releases:
        opened.check_release(folder)
    opened.close()


def _wrote(path: Path) -> str:
    return f"written: {path}"


def _path(path: Path | None) -> Path:
    return path or Path(os.environ.get("SUDARE_LEDGER") or "sudare.ledger")


def _existing_path(path: Path | None) -> Path:
    from sudare.errors import LedgerUnavailable

    place = _path(path)
    if not place.is_file():
        raise LedgerUnavailable(
            "there is no ledger here", where=str(place), remedy=f"make one: sudare ledger open {place}"
        )
    return place


def _existing(path: Path | None) -> "Ledger | LedgerFile":
    """Open the ledger, or only read it where its key is not here: who may look need not be able to sign."""
    from sudare.ledger import Ledger, Place, read_file

    place = _existing_path(path)
    return Ledger.open(place) if Place.of(place).key.exists() else read_file(place)


def _ceilings(texts: list[str]) -> dict[str, tuple[str, str]]:
    from sudare.errors import InvalidParameter
    from sudare.guarantees import Budget

    ceilings: dict[str, tuple[str, str]] = {}
    for text in texts:
        subjects, sign, amounts = text.rpartition("=")
        epsilon, _, delta = amounts.partition(",")
        amount = (epsilon, delta or "0")
        problem = "" if sign and subjects and epsilon else "a ceiling names some people and an amount"
        problem = problem or ("this ceiling names the same people again" if subjects in ceilings else "")
        try:
            Budget.of(*amount)
        except InvalidParameter as error:
            problem = problem or error.what
        if problem:
            raise InvalidParameter(problem, where=f"--ceiling {text}", remedy=_HOW_TO_WRITE_A_CEILING)
        ceilings[subjects] = amount
    return ceilings


def _summary(opened: "Ledger | LedgerFile") -> dict[str, object]:
    facts = opened.export()
    names = ("id", "fingerprint", "public_key", "simulated", "subjects")
    return {"path": opened.path, **{name: facts[name] for name in names}, "entries": len(facts["entries"])}

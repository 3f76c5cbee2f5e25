"""`sudare ledger`: make one, look at it, check it, take it elsewhere."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from sudare.ledger import Ledger

ledger = typer.Typer(
    help="The durable record of what was spent on whom.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)

Where = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(help="The ledger file. Default: $SUDARE_LEDGER, else ./sudare.ledger.", metavar="[PATH]"),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


@ledger.command("open", epilog="Example:  sudare ledger open study.ledger --ceiling patients=3 --ceiling staff=1,1e-6")
def open_ledger(
    path: Where = None,
    ceiling: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="The most that may be spent on some people: SUBJECTS=EPSILON or SUBJECTS=EPSILON,DELTA."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a ledger, or declare ceilings in one that is there; ceilings never change."""
    from sudare.cli.running import print_as
    from sudare.ledger import Ledger

    opened = Ledger.open(_path(path), ceilings=_ceilings(ceiling or []))
    print_as(lambda: _summary(opened), lambda: str(opened), as_json=as_json)


@ledger.command(
    epilog="Examples:  sudare ledger show study.ledger  |  sudare ledger show study.ledger --html study.html"
)
def show(
    path: Where = None,
    html: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write a page for people to this new file.", metavar="FILE"),
    ] = None,
    language: Annotated[str, typer.Option(help="Language that the page shows first: en or ja.")] = "en",
    as_json: Json = False,
) -> None:
    """Show what was spent and what is left."""
    from sudare.cli.ledger_page import ledger_page
    from sudare.cli.running import print_as
    from sudare.schema.whole_files import whole_file

    opened = _existing(path)
    if html is not None:
        page = ledger_page(opened, language)
        with whole_file(html) as file:
            file.write(page.encode())
    print_as(lambda: _summary(opened), lambda: str(opened), as_json=as_json)


@ledger.command(epilog="Example:  sudare ledger verify study.ledger")
def verify(path: Where = None, as_json: Json = False) -> None:
    """Check chain, sums, signatures and witness from the files alone; exit code 1 where something does not hold."""
    from sudare.cli.running import FAILED, print_as
    from sudare.ledger import verify_file

    found = verify_file(_existing_path(path))
    print_as(found.to_dict, lambda: str(found), as_json=as_json)
    if not found.passed:
        raise typer.Exit(FAILED)


@ledger.command(epilog="Example:  sudare ledger export study.ledger --out study.json")
def export(
    path: Where = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(help="Write to this new file instead of stdout.", metavar="FILE"),
    ] = None,
    as_json: Json = False,  # noqa: ARG001  (it is JSON in any case)
) -> None:
    """Print all entries as JSON; no key is in it."""
    import json

    from sudare.cli.running import print_json
    from sudare.schema.whole_files import whole_file

    facts = _existing(path).export()
    if out is None:
        print_json(facts)
        return
    with whole_file(out) as file:
        file.write(json.dumps(facts, indent=1, ensure_ascii=False).encode())


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


def _existing(path: Path | None) -> "Ledger":
    from sudare.ledger import Ledger

    return Ledger.open(_existing_path(path))


def _ceilings(texts: list[str]) -> dict[str, tuple[str, str]]:
    from sudare.errors import InvalidParameter

    ceilings = {}
    for text in texts:
        subjects, sign, amounts = text.rpartition("=")
        epsilon, _, delta = amounts.partition(",")
        if not sign or not subjects or not epsilon or subjects in ceilings:
            raise InvalidParameter(
                "a ceiling names some people once and an amount",
                where=f"--ceiling {text}",
                remedy="write --ceiling patients=3, or patients=3,1e-6 with a δ",
            )
        ceilings[subjects] = (epsilon, delta or "0")
    return ceilings


def _summary(opened: "Ledger") -> dict[str, object]:
    facts = opened.export()
    names = ("id", "fingerprint", "public_key", "simulated", "subjects")
    return {"path": opened.path, **{name: facts[name] for name in names}, "entries": len(facts["entries"])}

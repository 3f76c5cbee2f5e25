"""Schema files: TOML, written in one fixed form, read whole or refused."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sudare.errors import UnreadableFile
from sudare.schema.refusals import nothing_quoted

_MOST_BYTES = 16_000_000


def toml_text(facts: Mapping[str, Any]) -> str:
    """Return what `Schema.to_dict` gives as a TOML document.

    Examples
    --------
    >>> print(toml_text({"attributes": [{"name": "age", "low": 0}]}))
    [[attributes]]
    name = "age"
    low = 0
    <BLANKLINE>
    """
    parts = [_table("[[attributes]]", attribute) for attribute in facts["attributes"]]
    if "label" in facts:
        parts.append(_table("[label]", facts["label"]))
    return "\n".join(parts)


def _table(head: str, facts: Mapping[str, Any]) -> str:
    return "\n".join([head, *(f"{key} = {_value(value)}" for key, value in facts.items()), ""])


def _value(value: Any) -> str:
    # JSON's strings, lists and finite numbers are TOML's, but for the one character that TOML wants escaped.
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the facts of a TOML file; what is wrong with one is told by its place alone."""
    where, remedy = f"file {str(path)!r}", "write it anew with Schema.save, or correct it"
    with nothing_quoted():
        try:
            with path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
            if len(content) > _MOST_BYTES:
                raise UnreadableFile(f"a schema file has at most {_MOST_BYTES} bytes", where=where, remedy=remedy)
            return tomllib.loads(content.decode())
        except OSError as error:
            what = f"the file cannot be read: {error.strerror}"
            raise UnreadableFile(what, where=where, remedy="check the path") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            place = re.search(r"line \d+", str(error)) if isinstance(error, tomllib.TOMLDecodeError) else None
            where += f", {place.group()}" if place else ""
            raise UnreadableFile("this is no TOML file", where=where, remedy=remedy) from None

"""Text that a spreadsheet would run as a formula gets leading apostrophes in a CSV file, and loses them on reading."""

import re
from collections.abc import Collection

_FORMULA = re.compile(r"[=+\-@\t\r]")


def without_formulas(texts: Collection[str]) -> dict[str, str]:
    """Return each text as a spreadsheet may see it, different from all others, so that reading gives it back.

    Examples
    --------
    >>> without_formulas(["=1+1", "yes", "-1", "'-1"])
    {'=1+1': "'=1+1", 'yes': 'yes', '-1': "''-1", "'-1": "'-1"}
    """
    return {text: _quoted(text, texts) if _FORMULA.match(text) else text for text in texts}


def _quoted(text: str, taken: Collection[str]) -> str:
    text = f"'{text}"
    while text in taken:
        text = f"'{text}"
    return text

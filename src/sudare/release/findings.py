"""What a verification says: each thing that was looked at, by name, and whether it holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sudare.texts import say

Outcome = Literal["checked", "failed", "unchecked"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Examples
    --------
    >>> print(Finding("failed", "value.json", "the file was changed"))
    FAILED       value.json: the file was changed
    """

    outcome: Outcome
    where: str
    what: str

    def __str__(self) -> str:
        word = {"checked": "holds", "failed": "FAILED", "unchecked": "not checked"}[self.outcome]
        return f"{word:<12} {self.where}: {self.what}"


@dataclass(frozen=True)
class Verification:
    """Everything that was looked at; `.ok` where nothing failed.

    Examples
    --------
    >>> Verification((Finding("checked", "signature", "made by the key of the ledger"),)).ok
    True
    """

    findings: tuple[Finding, ...]

    @property
    def checked(self) -> tuple[Finding, ...]:
        """What was checked, and holds."""
        return self._only("checked")

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What does not hold."""
        return self._only("failed")

    @property
    def unchecked(self) -> tuple[Finding, ...]:
        """What could not be checked, here or by anybody."""
        return self._only("unchecked")

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failed

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain text."""
        return {"ok": self.ok, "findings": [vars(finding) for finding in self.findings]}

    def __str__(self) -> str:
        verdict = "the release holds" if self.ok else "THE RELEASE DOES NOT HOLD"
        return "\n".join([*map(str, self.findings), verdict])

    def _only(self, outcome: Outcome) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.outcome == outcome)


OUTSIDE = ("origin", "keys", "elsewhere", "rows", "spent")


def outside() -> Iterable[Finding]:
    """Yield what nobody can check from the folder alone."""
    return (Finding("unchecked", name, say(f"check.outside.{name}")) for name in OUTSIDE)

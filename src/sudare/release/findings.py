"""What a verification says: each thing that was looked at, by name, and whether it holds."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sudare.texts import say
from sudare.texts.visible import visible

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

    @property
    def word(self) -> str:
        """The outcome as people and machines read it."""
        return {"checked": "holds", "failed": "FAILED", "unchecked": "not checked"}[self.outcome]

    def to_dict(self) -> dict[str, str]:
        """Return it as plain text."""
        return {"outcome": self.word, "where": self.where, "what": self.what}

    def __str__(self) -> str:
        return f"{self.word:<12} {visible(self.where)}: {visible(self.what)}"


@dataclass(frozen=True)
class Verification:
    """Everything that was looked at; `.ok` where nothing failed.

    `signed_by` is the fingerprint of the key that the folder names; `signer_known` says whether it was compared with
    one that came from elsewhere. Where it was not, anybody can have made the folder.

    Examples
    --------
    >>> Verification((Finding("checked", "signature", "made by the key of the ledger"),)).ok
    True
    """

    findings: tuple[Finding, ...]
    signed_by: str = ""
    signer_known: bool = False

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
        signer = {"signed_by": self.signed_by, "signer_known": self.signer_known}
        return {"ok": self.ok, **signer, "findings": [finding.to_dict() for finding in self.findings]}

    def __str__(self) -> str:
        return "\n".join([*map(str, self.findings), self._verdict])

    @property
    def _verdict(self) -> str:
        if not self.ok:
            return "THE RELEASE DOES NOT HOLD"
        if self.signer_known:
            return "the release holds, signed by the key that you named"
        return f"the release holds, signed by an unknown key {self.signed_by}: {say('check.unknown_key')}"

    def _only(self, outcome: Outcome) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.outcome == outcome)


OUTSIDE = ("origin", "keys", "elsewhere", "rows", "spent", "provenance")


def outside() -> Iterable[Finding]:
    """Yield what nobody can check from the folder alone."""
    return (Finding("unchecked", name, say(f"check.outside.{name}")) for name in OUTSIDE)

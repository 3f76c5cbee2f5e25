"""How much a file may unfold to, whatever it says about itself."""

from dataclasses import dataclass, fields
from typing import Any

from sudare.errors import InvalidParameter


@dataclass(frozen=True)
class Limits:
    """What one file may take, counted while it is decoded: a small file can hold a thousand times its size.

    Nested columns need no limit of their own, they are refused.

    Examples
    --------
    >>> Limits(decoded_bytes=10**9).row_bytes
    10000000
    """

    decoded_bytes: int = 4 * 2**30
    row_bytes: int = 10_000_000
    columns: int = 10_000

    @classmethod
    def checked(cls, limits: Any) -> "Limits":
        """Return the limits, or the usual ones for None."""
        if limits is not None and not isinstance(limits, cls):
            raise InvalidParameter("these are no limits", where="limits", remedy="write limits=Limits(...)")
        return limits or cls()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                remedy = f"write {field.name}={field.default} or another count"
                raise InvalidParameter(f"{field.name} is not a positive whole number", where=field.name, remedy=remedy)

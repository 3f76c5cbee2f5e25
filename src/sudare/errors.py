"""Every error of Sudare, in one family.

::

    SudareError                  three lines: what happened, where, what to do next
    ├── InvalidInput             what was handed in does not fit what was declared (also a ValueError)
    │   ├── InvalidParameter     an argument: epsilon "ten", no rows, a name twice
    │   ├── OutOfDomain          a value of a column; its place is named, the value never
    │   ├── ColumnMismatch       a column that is missing, doubled, or of another kind
    │   ├── UnreadableFile       a file that is damaged, too large, or in no known format
    │   └── UnwritableFile       a file that stands there already, or a place where none can be made
    ├── NotIdentifiable          these reports carry no information on what was asked
    ├── BoundNotValid            a privacy bound asked for by name where its conditions fail
    ├── BudgetError              nothing was drawn, nothing was released
    │   ├── CeilingReached       the charge would pass a declared ceiling
    │   ├── NotCovered           the receipt does not cover this column, mechanism or range of rows
    │   └── KeyForgotten         the run key was destroyed, so nothing can be drawn again
    ├── LedgerError              the record of what was spent cannot be relied on, so nothing goes on
    │   ├── LedgerDamaged        a broken chain, a foreign file, a changed entry
    │   ├── LedgerRolledBack     an older copy stands where a newer ledger has been
    │   └── LedgerUnavailable    full or read-only disk, network share, lock held, clock gone back
    ├── ReleaseError             a release folder that cannot be written or read
    │   ├── FolderExists         a release is never written over something
    │   └── ReleaseDamaged       a file that is missing, changed, or signed by somebody else
    └── LawBroken                a law of `sudare.testing` does not hold; named by the law

    SudareWarning                something the user should know before going on
"""

from collections.abc import Mapping
from typing import Any


class SudareError(Exception):
    """Base of all errors: what happened, where, and what to do next. Never holds a private value.

    Examples
    --------
    >>> from sudare.errors import SudareError
    >>> print(SudareError("the table has no rows", where="table", remedy="hand in at least one row"))
    the table has no rows
      where:  table
      remedy: hand in at least one row
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what, self.where, self.remedy = what, where, remedy
        super().__init__(what)

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where:  {self.where}")
        if self.remedy:
            lines.append(f"  remedy: {self.remedy}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only constructors do not pickle by themselves, and errors must come back from worker processes.
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(kind: type[SudareError], args: tuple[Any, ...], fields: Mapping[str, Any]) -> SudareError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class InvalidInput(SudareError, ValueError):
    """What was handed in does not fit what was declared."""


class InvalidParameter(InvalidInput):
    """An argument that no computation can use."""


class OutOfDomain(InvalidInput):
    """A value outside its declared domain, named by column and row; the value itself is never printed.

    Examples
    --------
    >>> from sudare.errors import OutOfDomain
    >>> print(OutOfDomain(column="age", row=17, allowed="0 to 120", remedy='declare outside="clip" to clip on reading'))
    a value is outside its declared domain (allowed: 0 to 120)
      where:  column 'age', row 17
      remedy: declare outside="clip" to clip on reading
    """

    def __init__(self, *, column: str, row: int, allowed: str, remedy: str, problem: str = "") -> None:
        self.column, self.row, self.allowed = column, row, allowed
        what = problem or "a value is outside its declared domain"
        super().__init__(f"{what} (allowed: {allowed})", where=f"column {column!r}, row {row}", remedy=remedy)


class ColumnMismatch(InvalidInput):
    """A column that is missing, doubled, or of another kind than declared."""


class UnreadableFile(InvalidInput):
    """A file that is damaged, larger than allowed, or in no known format."""


class UnwritableFile(InvalidInput):
    """A file that is never written over what stands there, or cannot be made at that place."""


class NotIdentifiable(SudareError):
    """These reports carry no information on what was asked."""


class BoundNotValid(SudareError):
    """A privacy bound was asked for by name where its conditions fail."""


class BudgetError(SudareError):
    """The charge or the draw was refused: nothing was drawn, nothing was released."""


class CeilingReached(BudgetError):
    """The charge would pass a declared ceiling."""


class NotCovered(BudgetError):
    """The receipt does not cover this column, mechanism or range of rows."""


class KeyForgotten(BudgetError):
    """The run key was destroyed, so nothing can be drawn again under this receipt."""


class LedgerError(SudareError):
    """The record of what was spent cannot be relied on, so nothing goes on."""


class LedgerDamaged(LedgerError):
    """The chain is broken, an entry was changed, or the file is not a ledger."""


class LedgerRolledBack(LedgerError):
    """An older copy stands where a newer ledger has been."""


class LedgerUnavailable(LedgerError):
    """The ledger cannot be written safely here and now."""


class ReleaseError(SudareError):
    """A release folder that cannot be written or read."""


class FolderExists(ReleaseError):
    """A release is never written over something that is there."""


class ReleaseDamaged(ReleaseError):
    """A file of a release is missing, changed, or signed by somebody else."""


class LawBroken(SudareError, AssertionError):
    """A law of `sudare.testing` does not hold; `.law` names it."""

    def __init__(self, law: str, what: str, *, where: str = "", remedy: str = "") -> None:
        self.law = law
        super().__init__(f"the law {law!r} does not hold: {what}", where=where, remedy=remedy)


class SudareWarning(UserWarning):
    """Something the user should know before going on."""

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
    """What was handed in does not fit what was declared.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> try:
    ...     LocalDP("-1")
    ... except InvalidInput as refusal:
    ...     print(refusal.what)
    epsilon is outside its range (allowed: 0 or more)
    """


class InvalidParameter(InvalidInput):
    """An argument that no computation can use.

    Examples
    --------
    >>> from sudare.mechanisms import TwoPoint
    >>> TwoPoint("ten")
    Traceback (most recent call last):
        ...
    sudare.errors.InvalidParameter: epsilon is not a finite number
      where:  epsilon
      remedy: write a number or an exact decimal string, such as "0.5" or "1/3"
    """


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
    """A column that is missing, doubled, or of another kind than declared.

    Examples
    --------
    >>> from sudare.schema import Numeric, Schema
    >>> Schema([Numeric("age", 0, 120)]).read({"Age": [41]})
    Traceback (most recent call last):
        ...
    sudare.errors.ColumnMismatch: the table lacks a declared column
      where:  column 'age'
      remedy: did you mean 'Age'? rename the column in the table, or declare only what it has
    """


class UnreadableFile(InvalidInput):
    """A file that is damaged, larger than allowed, or in no known format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sudare.schema import Numeric, Schema
    >>> Path("table.xlsx").write_bytes(b"PK") and None
    >>> Schema([Numeric("age", 0, 120)]).read("table.xlsx")
    Traceback (most recent call last):
        ...
    sudare.errors.UnreadableFile: the file's name tells no known format
      where:  file 'table.xlsx'
      remedy: save it as .csv, .csv.gz or .parquet, or hand in a table that pandas has read
    """


class UnwritableFile(InvalidInput):
    """A file that is never written over what stands there, or cannot be made at that place.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sudare.schema import Numeric, Schema
    >>> Path("ages.csv").write_text("mine") and None
    >>> Schema([Numeric("age", 0, 120)]).write({"age": [41]}, "ages.csv")
    Traceback (most recent call last):
        ...
    sudare.errors.UnwritableFile: a file is never written over another
      where:  file 'ages.csv'
      remedy: choose another name, or remove the file first
    """


class NotIdentifiable(SudareError):
    """These reports carry no information on what was asked.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.mechanisms import TwoPoint
    >>> coin = TwoPoint("1")
    >>> coin.second_moment(coin.randomize(np.zeros(100)))
    Traceback (most recent call last):
        ...
    sudare.errors.NotIdentifiable: a TwoPoint report says nothing about x²
      where:  second_moment
      remedy: collect a Piecewise report of the column as well, at its own charge
    """


class BoundNotValid(SudareError):
    """A privacy bound was asked for by name where its conditions fail.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> LocalDP("1").shuffled(rows=10_000, delta="1e-6", bound="blanket")
    Traceback (most recent call last):
        ...
    sudare.errors.BoundNotValid: the blanket bound holds only for records of binary reports
      where:  bound='blanket'
      remedy: use reports that declare outputs=2, such as TwoPoint's, or leave bound=None
    """


class BudgetError(SudareError):
    """The charge or the draw was refused: nothing was drawn, nothing was released.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> try:
    ...     with Ledger.simulation(ceilings={"patients": ("3", 0)}).charge(LocalDP("4"), "patients", "a survey"):
    ...         pass
    ... except BudgetError as refusal:
    ...     print(type(refusal).__name__)
    CeilingReached
    """


class CeilingReached(BudgetError):
    """The charge would pass a declared ceiling.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> try:
    ...     with Ledger.simulation(ceilings={"patients": ("3", 0)}).charge(LocalDP("4"), "patients", "a survey"):
    ...         pass
    ... except CeilingReached as refusal:
    ...     print(refusal.what.partition(": ")[2])
    asked ε = 4, δ = 0; spent ε = 0, δ = 0; left ε = 3, δ = 0; ceiling ε = 3, δ = 0
    """


class NotCovered(BudgetError):
    """The receipt does not cover this column, mechanism or range of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import TwoPoint
    >>> with Ledger.simulation().charge(LocalDP("1", outputs=2), "patients", "a survey") as receipt:
    ...     try:
    ...         reports = TwoPoint("2").randomize(np.zeros(3), receipt.source("age"))
    ...     except NotCovered as refusal:
    ...         print(refusal.what)
    no unused part of this receipt's guarantee is the guarantee of this mechanism
    """


class KeyForgotten(BudgetError):
    """The run key was destroyed, so nothing can be drawn again under this receipt.

    Examples
    --------
    >>> from sudare.guarantees import LocalDP
    >>> from sudare.ledger import Ledger
    >>> ledger = Ledger.simulation(seed=7)
    >>> with ledger.charge(LocalDP("1"), "patients", "a survey", request="May"):
    ...     pass
    >>> ledger.forget("May")
    >>> with ledger.charge(LocalDP("1"), "patients", "a survey", request="May"):
    ...     pass
    Traceback (most recent call last):
        ...
    sudare.errors.KeyForgotten: the run key of this receipt is gone, so its noise cannot be drawn again
      where:  receipt e362d06c2ff98f1cefd8e104e120cedb
      remedy: use the release that was made under it, or charge a new request
    """


class LedgerError(SudareError):
    """The record of what was spent cannot be relied on, so nothing goes on.

    Examples
    --------
    >>> from sudare.ledger import Ledger
    >>> try:
    ...     Ledger.open("no such folder/study.ledger")
    ... except LedgerError as refusal:
    ...     print(type(refusal).__name__)
    LedgerUnavailable
    """


class LedgerDamaged(LedgerError):
    """The chain is broken, an entry was changed, or the file is not a ledger.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sudare.ledger import verify_file
    >>> Path("study.ledger").write_bytes(b"something else") and None
    >>> print(verify_file("study.ledger"))
    file        FAILS   the ledger file is damaged, or is not a ledger
    """


class LedgerRolledBack(LedgerError):
    """An older copy stands where a newer ledger has been.

    Examples
    --------
    >>> from pathlib import Path
    >>> from sudare.ledger import Ledger
    >>> Ledger.open("study.ledger").close()
    >>> Path("study.ledger").unlink()
    >>> try:
    ...     ledger = Ledger.open("study.ledger")
    ... except LedgerRolledBack as refusal:
    ...     print(refusal.what)
    the ledger is gone, but what lies beside it shows that it has been used
    """


class LedgerUnavailable(LedgerError):
    """The ledger cannot be written safely here and now.

    Examples
    --------
    >>> from sudare.ledger import Ledger
    >>> try:
    ...     Ledger.open("no such folder/study.ledger")
    ... except LedgerUnavailable as refusal:
    ...     print(refusal.what, "|", refusal.remedy)
    there is no such folder | make the folder first, or write another path
    """


class ReleaseError(SudareError):
    """A release folder that cannot be written or read.

    Examples
    --------
    >>> from sudare.release import verify
    >>> try:
    ...     verify("no such folder")
    ... except ReleaseError as refusal:
    ...     print(refusal.what)
    this is no folder that can be read (No such file or directory)
    """


class FolderExists(ReleaseError):
    """A release is never written over something that is there.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import TwoPoint
    >>> from sudare.release import Release
    >>> Path("released").mkdir()
    >>> coin = TwoPoint("1")
    >>> with Ledger.simulation().charge(coin.guarantee, "patients", "mean age") as receipt:
    ...     mean = coin.mean(coin.randomize(np.zeros(100), receipt.source("age")))
    >>> Release({"age": mean}, receipt).save("released")
    Traceback (most recent call last):
        ...
    sudare.errors.FolderExists: something stands here already
      where:  released
      remedy: choose a new name for the release
    """


class ReleaseDamaged(ReleaseError):
    """A file of a release is missing, changed, or signed by somebody else.

    Examples
    --------
    >>> import numpy as np
    >>> from sudare.ledger import Ledger
    >>> from sudare.mechanisms import TwoPoint
    >>> from sudare.release import Release
    >>> coin = TwoPoint("1")
    >>> with Ledger.simulation().charge(coin.guarantee, "patients", "mean age") as receipt:
    ...     mean = coin.mean(coin.randomize(np.zeros(100), receipt.source("age")))
    >>> folder = Release({"age": mean}, receipt).save("released")
    >>> (folder / "value.json").write_text("0") and None
    >>> try:
    ...     Release.load(folder)
    ... except ReleaseDamaged as damage:
    ...     print(damage.where)
    value.json
    """


class LawBroken(SudareError, AssertionError):
    """A law of `sudare.testing` does not hold; `.law` names it.

    Examples
    --------
    >>> try:
    ...     raise LawBroken("epsilon is proved", "two inputs make one report more than e^ε apart")
    ... except LawBroken as broken:
    ...     print(broken.law)
    epsilon is proved
    """

    def __init__(self, law: str, what: str, *, where: str = "", remedy: str = "") -> None:
        self.law = law
        super().__init__(f"the law {law!r} does not hold: {what}", where=where, remedy=remedy)


class SudareWarning(UserWarning):
    """Something the user should know before going on.

    Examples
    --------
    >>> import warnings
    >>> from sudare.schema import Schema
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     schema = Schema.infer({"age": [17, 64]})
    >>> caught[0].category.__name__
    'SudareWarning'
    """

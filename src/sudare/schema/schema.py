"""What everyone may know about a table: its columns, their bounds and categories, and which one is the label."""

import hashlib
import html
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sudare.errors import ColumnMismatch, InvalidParameter
from sudare.schema.attributes import Attribute, attribute_from_dict, refuse_unknown_keys
from sudare.schema.inferring import infer_attributes
from sudare.schema.limits import Limits
from sudare.schema.names import nearest
from sudare.schema.reading import Columns, read_columns
from sudare.schema.refusals import attempted, nothing_quoted
from sudare.schema.tables import file_format, opened, same_length
from sudare.schema.toml import read_toml, toml_text
from sudare.schema.whole_files import checked_path, whole_file
from sudare.schema.writing import like_table, safe_columns, shown_values, write_file


@dataclass(frozen=True, repr=False)
class Schema:
    """The declared columns of a table. All of it is public knowledge; nothing in it is looked up in the data.

    Parameters
    ----------
    attributes
        `Numeric` and `Categorical` columns, each under its own name.
    label
        The column to be predicted, kept apart from the attributes.

    Examples
    --------
    >>> from sudare.schema import Categorical, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 120), Categorical("smoker", ["yes", "no", "former"])])
    >>> schema.read({"age": [41, 7.5], "smoker": ["former", "no"], "id": ["0012", "0013"]})
    Columns(age: float64, smoker: int8; 2 rows; unread: id)
    """

    attributes: tuple[Attribute, ...]
    label: Attribute | None = None

    def __init__(self, attributes: Collection[Attribute], label: Attribute | None = None) -> None:
        given = tuple(attributes) if isinstance(attributes, (list, tuple)) else ()
        object.__setattr__(self, "attributes", given)
        object.__setattr__(self, "label", label)
        if not given or not all(isinstance(column, Attribute) for column in self):
            remedy = 'write Schema([Numeric("age", 0, 120), ...], label=Categorical("smoker", ["yes", "no"]))'
            raise InvalidParameter("a schema is a list of Numeric and Categorical", where="attributes", remedy=remedy)
        seen: set[str] = set()
        for column in self:
            if column.name in seen:
                where = f"attribute {column.name!r}"
                raise InvalidParameter("an attribute is declared twice", where=where, remedy="declare each column once")
            seen.add(column.name)

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes if self.label is None else (*self.attributes, self.label))

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self)

    def __getitem__(self, name: str) -> Any:  # Numeric or Categorical: only the reader of the schema knows which
        for column in self:
            if column.name == name:
                return column
        remedy = f"{nearest(str(name), self._all_names)}the columns are {', '.join(map(repr, self._all_names))}"
        raise ColumnMismatch("the schema declares no such column", where=f"column {name!r}", remedy=remedy)

    def __add__(self, other: "Schema") -> "Schema":
        """Join two schemas side by side; a column or a label on both sides is refused."""
        if not isinstance(other, Schema):
            return NotImplemented
        shared = [name for name in self._all_names if name in other]
        if shared:
            where = f"column {shared[0]!r}"
            raise ColumnMismatch("both schemas declare this column", where=where, remedy="rename it on one side")
        if self.label is not None and other.label is not None:
            where = f"labels {self.label.name!r} and {other.label.name!r}"
            raise ColumnMismatch("both schemas have a label", where=where, remedy="make one of them an attribute")
        return Schema((*self.attributes, *other.attributes), label=self.label or other.label)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes, in order; the label is not among them.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> Schema([Numeric("age", 0, 120)], label=Numeric("cost", 0, 10**6)).names
        ('age',)
        """
        return tuple(column.name for column in self.attributes)

    @property
    def _all_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self)

    @property
    def hash(self) -> str:
        """SHA-256 of the declarations in one fixed form, by which provenance names the schema.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> Schema([Numeric("age", 0, 120)]).hash == Schema([Numeric("age", 0.0, 120.0)]).hash
        True
        """
        canonical = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(canonical.encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return the declarations as plain text and numbers; `from_dict` reads them again.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> Schema([Numeric("age", 0, 120)]).to_dict()["attributes"][0]["high"]
        120
        """
        facts: dict[str, Any] = {"attributes": [column.to_dict() for column in self.attributes]}
        return facts if self.label is None else {**facts, "label": self.label.to_dict()}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> "Schema":
        """Read what `.to_dict()` wrote; a key that nothing reads is refused.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> schema = Schema([Numeric("age", 0, 120)])
        >>> Schema.from_dict(schema.to_dict()) == schema
        True
        """
        refuse_unknown_keys(facts, ["attributes", "label"], "schema")
        given = facts.get("attributes")
        columns = given if isinstance(given, list) else []
        attributes = [
            attribute_from_dict(column, f"attribute {place}") for place, column in enumerate(columns, start=1)
        ]
        label = attribute_from_dict(facts["label"], "label") if "label" in facts else None
        return cls(attributes, label=label)

    @classmethod
    def load(cls, path: Any) -> "Schema":
        """Read a TOML file that `.save` or a person wrote.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.toml"
        >>> Schema([Numeric("age", 0, 120)]).save(path)
        >>> Schema.load(path)
        Schema([Numeric('age', 0, 120)])
        """
        return cls.from_dict(read_toml(checked_path(path)))

    def save(self, path: Any) -> None:
        """Write a TOML file, whole or not at all; a file that says something else is never written over.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "patients.toml"
        >>> Schema([Numeric("age", 0, 120)]).save(path)
        >>> print(path.read_text())
        [[attributes]]
        name = "age"
        kind = "numeric"
        low = 0
        high = 120
        outside = "refuse"
        missing = "refuse"
        <BLANKLINE>
        """
        content, path = toml_text(self.to_dict()).encode(), checked_path(path)
        if attempted(path.read_bytes) == content:
            return
        with nothing_quoted(), whole_file(path) as file:
            file.write(content)

    @classmethod
    def infer(cls, frame: Any, label: str | None = None) -> "Schema":
        """Read bounds and categories from a *public* sample, and say so; those of private data are a leak.

        Numbers get their minimum and maximum, text its categories in order; `label` names the column kept apart.

        Examples
        --------
        >>> from sudare.schema import Categorical, Numeric, Schema
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     Schema.infer({"age": [17, 64], "smoker": ["yes", "no"]}, label="smoker")
        Schema([Numeric('age', 17, 64)], label=Categorical('smoker', ['no', 'yes']))
        """
        columns = infer_attributes(frame)
        if label is not None and label not in columns:
            remedy = f"{nearest(str(label), columns)}name a column of the table"
            raise ColumnMismatch("the table has no such column", where=f"label {label!r}", remedy=remedy)
        chosen = None if label is None else columns.pop(label)
        return cls(list(columns.values()), label=chosen)

    def read(
        self,
        table: Any,
        *,
        encoding: str = "utf-8",
        missing_texts: Collection[str] = (),
        limits: Limits | None = None,
    ) -> Columns:
        """Return one checked array a column, by name; what does not fit is refused by its place, with a remedy.

        The first row under the names is row 1; of several misfits an early one is named. A null, a NaN and an empty
        text are missing values. The label is read where the table has it; columns that the schema does not declare
        are not read, and named in `.unread`.

        Parameters
        ----------
        table
            A pandas, Polars or pyarrow table, a dict of arrays, or the path of a .csv, .csv.gz or .parquet file.
        encoding
            Of a CSV file: "utf-8" (with or without its mark) or "cp932".
        missing_texts
            Cells of a CSV file, beside the empty one, that say that a value is missing, such as ("NA",).
        limits
            How much a file may unfold to; `Limits()` where none are given.

        Examples
        --------
        >>> from sudare.schema import Numeric, Schema
        >>> columns = Schema([Numeric("age", 0, 120)]).read({"age": [30, 41]})
        >>> columns["age"]
        array([30., 41.])
        """
        with nothing_quoted(), opened(table, encoding, missing_texts, Limits.checked(limits)) as source:
            return read_columns(source, self.attributes, self.label)

    def table(self, columns: Mapping[str, Any], like: Any) -> Any:
        """Return declared columns as a table of the kind of `like`: pandas, Polars, pyarrow or a dict; codes as text.

        Numbers may lie outside the bounds, as noisy reports do.

        Examples
        --------
        >>> from sudare.schema import Categorical, Schema
        >>> schema = Schema([Categorical("smoker", ["yes", "no"])])
        >>> schema.table({"smoker": [1, 0]}, like={})
        {'smoker': array(['no', 'yes'], dtype=object)}
        """
        with nothing_quoted():
            return like_table(self._shown(columns), like)

    def write(
        self, columns: Mapping[str, Any], path: Any, *, encoding: str = "utf-8", quote_formulas: bool = True
    ) -> None:
        r"""Write declared columns to a .csv, .csv.gz or .parquet file, whole or not at all; never over another file.

        In CSV files a text cell that a spreadsheet would run as a formula gets a leading apostrophe, which `read`
        takes away again; `encoding="utf-8-sig"` puts the mark in front that some spreadsheets look for.

        Examples
        --------
        >>> from sudare.schema import Categorical, Schema
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "smokers.csv"
        >>> Schema([Categorical("smoker", ["yes", "no"])]).write({"smoker": [1, 0]}, path)
        >>> path.read_text()
        '"smoker"\n"no"\n"yes"\n'
        """
        with nothing_quoted():
            shown = self._shown(columns)
            quoting = quote_formulas and file_format(checked_path(path)) != ".parquet"
            write_file(safe_columns(shown, self) if quoting else shown, checked_path(path), encoding)

    def _shown(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        shown = {name: shown_values(self[name], values) for name, values in columns.items()}
        same_length({name: len(column) for name, column in shown.items()})
        return shown

    def __repr__(self) -> str:
        label = "" if self.label is None else f", label={self.label!r}"
        shown = ", ".join(map(repr, self.attributes))
        if len(shown) > 80:
            shown = "".join(f"\n    {column!r}," for column in self.attributes) + "\n"
        return f"Schema([{shown}]{label})"

    def _repr_html_(self) -> str:
        heads = ("column", "allowed", "outside", "missing", "")
        rows = [(*column.described(), "label" if column is self.label else "") for column in self]
        head = "".join(f"<th>{text}</th>" for text in heads)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

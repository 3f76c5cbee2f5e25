"""Text out of a declared list; inside it is small whole numbers, in the order of the list."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.errors import InvalidParameter, OutOfDomain
from sudare.schema.arrow import arrow_column
from sudare.schema.formulas import without_formulas
from sudare.schema.names import checked_text
from sudare.schema.refusals import attempted, is_text, kind_in_words, nothing_quoted, wrong_kind

_UNKNOWN, _MISSING = -1, -2
_SHOWN = 12


@dataclass(frozen=True, repr=False)
class Categorical:
    """A column of text out of declared categories, which are public knowledge and never looked up in the data.

    Parameters
    ----------
    name
        The column.
    categories
        At least two different texts; their order gives the codes 0, 1, 2, ….
    missing
        "refuse" a missing value (null or empty text), or the category that stands in for it. The word "refuse"
        always refuses, even where it is a category.

    Examples
    --------
    >>> smoker = Categorical("smoker", ["yes", "no", "former"])
    >>> smoker.encode(["no", "former"])
    array([1, 2], dtype=int8)
    >>> smoker.decode([1, 2])
    array(['no', 'former'], dtype=object)
    """

    name: str
    categories: tuple[str, ...]
    missing: str = "refuse"

    def __init__(self, name: str, categories: Any, missing: str = "refuse") -> None:
        keep = object.__setattr__
        keep(self, "name", checked_text(name, what="the name of a Categorical"))
        keep(self, "categories", self._distinct(categories))
        if missing != "refuse":
            missing = checked_text(missing, what=f"the substitute of Categorical {self.name!r}")
            if missing not in self.categories:
                remedy = 'choose missing="refuse" or one of the categories'
                raise self._refused("the substitute is no declared category", "missing", remedy)
        keep(self, "missing", missing)

    def _distinct(self, categories: Any) -> tuple[str, ...]:
        unordered = isinstance(categories, (str, bytes, Set, Mapping))
        given = None if unordered else attempted(tuple, categories)
        if given is None:
            remedy = 'write them in a list, such as ["yes", "no"]: their order gives the codes'
            raise self._refused("the categories are no ordered list", "categories", remedy)
        texts = tuple(checked_text(text, what=f"a category of {self.name!r}") for text in given)
        if len(texts) < 2 or len(set(texts)) < len(texts):
            remedy = "declare each category once, and at least two of them"
            raise self._refused("there are not two or more different categories", "categories", remedy)
        return texts

    def _refused(self, what: str, argument: str, remedy: str) -> InvalidParameter:
        return InvalidParameter(what, where=f"Categorical {self.name!r}, {argument}", remedy=remedy)

    @property
    def code_type(self) -> np.dtype[np.signedinteger[Any]]:
        """The smallest signed type of the codes, chosen as pandas does.

        Examples
        --------
        >>> Categorical("smoker", ["yes", "no"]).code_type
        dtype('int8')
        """
        count = len(self.categories)
        return np.dtype(np.int8 if count < 127 else np.int16 if count < 32_767 else np.int32)

    def encode(self, values: Any) -> NDArray[np.signedinteger[Any]]:
        """Return the codes of texts: a list, an array, or a column of pandas, Polars or Arrow.

        Examples
        --------
        >>> Categorical("smoker", ["yes", "no"], missing="no").encode(["yes", None])
        array([0, 1], dtype=int8)
        """
        with nothing_quoted():
            column = arrow_column(values, self.name)
            parts = [np.empty(0, self.code_type)]
            for chunk in column.chunks:
                parts.append(self.read(chunk, first_row=1 + sum(map(len, parts))))
            return np.concatenate(parts)

    def decode(self, codes: Any) -> NDArray[np.object_]:
        """Return the texts of codes.

        Examples
        --------
        >>> Categorical("smoker", ["yes", "no"]).decode(np.array([1, 0, 1]))
        array(['no', 'yes', 'no'], dtype=object)
        """
        given = attempted(np.asanyarray, codes)
        if given is None or given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise wrong_kind(self.name, "something else than one row of codes", "hand in the codes that `encode` gave")
        strange = (given < 0) | (given >= len(self.categories))
        if strange.any():
            raise OutOfDomain(
                column=self.name,
                row=int(np.argmax(strange)) + 1,
                allowed=f"codes 0 to {len(self.categories) - 1}",
                remedy="hand in the codes that this attribute gave, not those of another schema",
            )
        texts = np.array(self.categories, dtype=object)[np.asarray(given, dtype=np.intp)]
        return texts.view(type(given))  # reports marked as not private keep the mark

    def read(self, column: Any, first_row: int = 1, *, spelled: bool = False) -> NDArray[np.signedinteger[Any]]:
        """Return an Arrow array of text as codes; `spelled` undoes the quoting of formulas in CSV files.

        Examples
        --------
        >>> import pyarrow as pa
        >>> Categorical("smoker", ["yes", "no"]).read(pa.array(["no", "yes"]))
        array([1, 0], dtype=int8)
        """
        import pyarrow as pa

        packed = pa.types.is_dictionary(column.type)
        texts = column.dictionary if packed else column
        if not (is_text(texts.type) or pa.types.is_null(texts.type)):
            remedy = "turn the column into text before reading; identifiers and categories are strings"
            raise wrong_kind(self.name, kind_in_words(texts.type), remedy)
        codes = self._looked_up(texts, spelled)
        if packed:
            # One code more, for the rows that point nowhere.
            rows = column.indices.cast(pa.int64()).fill_null(len(codes)).to_numpy(zero_copy_only=False)
            codes = np.append(codes, _MISSING)[rows]
        return self._filled(codes, first_row)

    def _looked_up(self, texts: Any, spelled: bool) -> NDArray[np.int32]:
        import pyarrow as pa
        import pyarrow.compute as compute

        if pa.types.is_null(texts.type):
            return np.full(len(texts), _MISSING, np.int32)
        texts = texts.cast(pa.large_string())
        spellings, places = _spellings(self.categories, spelled)
        found = compute.index_in(texts, value_set=spellings).fill_null(_UNKNOWN).to_numpy(zero_copy_only=False)
        codes = np.where(found < 0, np.int32(_UNKNOWN), places[found])
        codes[compute.equal(texts, "").fill_null(True).to_numpy(zero_copy_only=False)] = _MISSING
        return codes

    def _filled(self, codes: NDArray[np.int32], first_row: int) -> NDArray[np.signedinteger[Any]]:
        substitute = _MISSING if self.missing == "refuse" else self.categories.index(self.missing)
        codes = np.where(codes == _MISSING, substitute, codes)
        strange = codes < 0
        if strange.any():
            position = int(np.argmax(strange))
            raise self._misfit(first_row + position, absent=codes[position] == _MISSING)
        return codes.astype(self.code_type)

    def _misfit(self, row: int, *, absent: bool) -> OutOfDomain:
        remedy = "correct it, or add its category to the declaration"
        if absent:
            remedy = (
                f"fill it in, or declare Categorical({self.name!r}, ..., missing={self.categories[0]!r}) or another"
            )
        problem = "a value is missing" if absent else "a value is none of the declared categories"
        return OutOfDomain(column=self.name, row=row, allowed=self._listed(), remedy=remedy, problem=problem)

    def _listed(self) -> str:
        shown = ", ".join(repr(text) for text in self.categories[:_SHOWN])
        return shown if len(self.categories) <= _SHOWN else f"{shown}, … {len(self.categories)} in all"

    def described(self) -> tuple[str, str, str, str]:
        """Return name, what is allowed, and what happens outside of it and to missing values, in words."""
        return self.name, self._listed(), "refuse", str(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as plain text.

        Examples
        --------
        >>> Categorical("smoker", ["yes", "no"]).to_dict()["kind"]
        'categorical'
        """
        categories = list(self.categories)
        return {"name": self.name, "kind": "categorical", "categories": categories, "missing": self.missing}

    def __repr__(self) -> str:
        missing = "" if self.missing == "refuse" else f", missing={self.missing!r}"
        return f"Categorical({self.name!r}, [{self._listed()}]{missing})"


@lru_cache(maxsize=64)
def _spellings(categories: tuple[str, ...], spelled: bool) -> tuple[Any, NDArray[np.int32]]:
    """Return every text that stands for a category, and the code of each."""
    import pyarrow as pa

    codes = {text: code for code, text in enumerate(categories)}
    if spelled:
        codes |= {shown: codes[text] for text, shown in without_formulas(codes).items()}
    return pa.array(list(codes), pa.large_string()), np.array(list(codes.values()), np.int32)

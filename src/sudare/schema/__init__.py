"""What everyone may know of a table: its attributes and label; reading tables strictly, and writing them back.

Numbers have declared bounds, text has declared categories, identifiers are text, always. What does not fit is refused
with column, row and remedy, or clipped or filled in where the schema says so; never silently, and never shown.

`Attribute` is what a column may be:

>>> from sudare.schema import Attribute, Categorical, Numeric
>>> isinstance(Numeric("age", 0, 120), Attribute), isinstance(Categorical("smoker", ["yes", "no"]), Attribute)
(True, True)
"""

from sudare.schema.attributes import Attribute
from sudare.schema.categorical import Categorical
from sudare.schema.limits import Limits
from sudare.schema.numeric import Numeric
from sudare.schema.reading import Columns
from sudare.schema.schema import Schema

__all__ = ["Attribute", "Categorical", "Columns", "Limits", "Numeric", "Schema"]

"""The only place that draws: secure streams with an address, exact integer draws, recorded streams for tests.

A mechanism asks a *source* for the words of some rows. The source knows who pays: `Fresh` draws under a key that
nobody keeps, a receipt's source (`sudare.ledger`) draws under the run key of a charge, `Seeded` and `Recorded` repeat
themselves and mark all that comes out *not private*.
"""

from sudare.randomness.marking import NotPrivate, is_private, kept_mark
from sudare.randomness.secrets import secret_bytes
from sudare.randomness.source import Fresh, Randomizer, Recorded, Seeded, Source, opened
from sudare.randomness.words import Words

__all__ = [
    "Fresh",
    "NotPrivate",
    "Randomizer",
    "Recorded",
    "Seeded",
    "Source",
    "Words",
    "is_private",
    "kept_mark",
    "opened",
    "secret_bytes",
]

"""The check of released reports: all of the value is reports, and as many as the ledger says."""

from collections.abc import Iterator

from sudare.release.findings import Finding
from sudare.release.parts import parts_of
from sudare.release.record import Draw
from sudare.release.release import Release


def check(release: Release, draws: tuple[Draw, ...]) -> Iterator[Finding]:
    """Compare each array with the mechanism that drew the column of its name."""
    parts = parts_of(release.value, draws)
    for part in parts:
        if part.fault is None and part.tie != "reports":
            rows = f", of which {part.draw.rows} rows were drawn" if part.draw is not None else ""
            yield Finding("failed", part.place, f"no reports of a column that was drawn under the receipt{rows}")
    if not parts:
        yield Finding("failed", "value.json", "released reports are arrays by the name of their column")

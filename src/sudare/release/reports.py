"""The check of released reports: each is one that its mechanism can make, and there are as many as the ledger says."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sudare.mechanisms import rebuilt
from sudare.release.findings import Finding
from sudare.release.record import Draw
from sudare.release.release import Release


def check(release: Release, draws: tuple[Draw, ...]) -> Iterator[Finding]:
    """Compare each array with the mechanism that drew the column of its name."""
    known = {draw.column: draw for draw in draws}
    arrays = release.value if isinstance(release.value, dict) else {}
    if not arrays:
        yield Finding("failed", "value.json", "released reports are arrays by the name of their column")
    for column, reports in arrays.items():
        if column not in known:
            yield Finding("failed", f"value, {column!r}", "no such column was drawn under the receipt")
            continue
        yield _compared(column, np.asarray(reports), known[column])


def _compared(column: str, reports: NDArray[Any], draw: Draw) -> Finding:
    outputs = rebuilt(dict(draw.mechanism)).outputs.astype(reports.dtype)
    strange = int(np.count_nonzero(~np.isin(reports, outputs)))
    if strange:
        return Finding("failed", f"value, {column!r}", f"{strange} reports are none that this mechanism can make")
    if len(reports) != draw.rows:
        return Finding("failed", f"value, {column!r}", f"{len(reports)} reports, and {draw.rows} rows were drawn")
    return Finding("checked", f"value, {column!r}", f"{draw.rows} reports, each one that the mechanism can make")

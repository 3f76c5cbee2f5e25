"""Which check belongs to which kind of release: found by name, imported when needed, so that rooms stay apart."""

from collections.abc import Callable, Iterable
from importlib import import_module

from sudare.release.findings import Finding
from sudare.release.record import Draw
from sudare.release.release import Release

Check = Callable[[Release, tuple[Draw, ...]], Iterable[Finding]]

# A room adds one line here: the kind of its releases, and where its check is.
CHECKS: dict[str, str] = {"reports": "sudare.release.reports:check"}


def check_of(kind: str) -> Check | None:
    """Return the check of a kind; None where it has none, or is unknown here.

    Examples
    --------
    >>> check_of("reports").__module__, check_of("value")
    ('sudare.release.reports', None)
    """
    if kind not in CHECKS:
        return None
    module, _, name = CHECKS[kind].partition(":")
    check: Check = getattr(import_module(module), name)
    return check

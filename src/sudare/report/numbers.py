"""Numbers and moments for a reader: as many digits as the uncertainty leaves meaning, and no more."""

import math
from datetime import UTC, datetime

from sudare.texts import say

_MOST_DECIMALS = 12


def with_interval(value: float, low: float, high: float, language: str = "en") -> str:
    """Write an estimate with its interval, two significant digits of the interval's half width.

    Examples
    --------
    >>> with_interval(47.2534, 45.51, 48.99)
    '47.3 (45.5 to 49.0)'
    """
    half = (high - low) / 2
    shown = {name: plain(number, half) for name, number in (("value", value), ("low", low), ("high", high))}
    return say("card.interval", language, **shown)


def plain(value: float, spread: float = 0.0) -> str:
    """Write one number; `spread` says how far it is uncertain.

    Examples
    --------
    >>> plain(1234567.891, spread=350), plain(0.25)
    ('1,234,568', '0.25')
    """
    if not math.isfinite(value):
        return "–"
    if not (math.isfinite(spread) and spread > 0):
        return f"{value:,.6g}".replace("-", "−")
    decimals = min(max(0, 1 - math.floor(math.log10(spread))), _MOST_DECIMALS)
    rounded = round(value, decimals) + 0.0  # adding zero takes the sign off a negative zero
    return f"{rounded:,.{decimals}f}".replace("-", "−")


def percent(share: float) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> percent(0.95)
    '95 %'
    """
    return f"{100 * share:.6g} %"


def moment(timestamp: str, language: str = "en") -> str:
    """Write an ISO 8601 moment in UTC as the language does; what is none is returned as it is.

    Examples
    --------
    >>> moment("2026-11-18T09:05:00Z")
    '2026-11-18 09:05 UTC'
    """
    try:
        when = datetime.fromisoformat(timestamp)
    except ValueError:
        return timestamp
    when = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)
    parts = {"year": f"{when.year:04}", "month": f"{when.month:02}", "day": f"{when.day:02}", "time": f"{when:%H:%M}"}
    return say("card.moment", language, **parts)

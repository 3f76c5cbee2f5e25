"""The time of an entry."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the time of day in UTC."""
    return datetime.now(UTC)

"""Types of columns: times that are aware, in UTC, and texts that any database takes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.types import TypeDecorator

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return this machine's time."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, kept in UTC; SQLite forgets the zone, so it is given back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """To UTC."""
        del dialect
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """From UTC."""
        del dialect
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


class SafeText(TypeDecorator[str]):
    """A text from outside, without what PostgreSQL refuses: NUL and lone surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """To the database."""
        del dialect
        return None if value is None else clean(value)


def clean(text: str) -> str:
    """Return a text without NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()

"""The store: one database, in transactions."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Self

from sqlalchemy import text
from sqlalchemy.orm import Session

from worker.store.books import Books
from worker.store.columns import Clock, utc_now
from worker.store.engine import open_engine, reading, writing


class Store:
    """The database at ``url``; ``clock`` tells the time.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` when the database is out of
    reach.
    """

    def __init__(self, url: str, clock: Clock = utc_now) -> None:
        self._engine = open_engine(url)
        self._clock = clock

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def ping(self) -> None:
        """Return when the database answers."""
        with self._engine.connect() as connection:
            connection.execute(text("SELECT 1 FROM runs LIMIT 1"))

    @contextmanager
    def begin(self) -> Generator[Books]:
        """Write: all of it is kept at the end, or nothing after an exception.

        On SQLite one writes at a time, and others wait for it.
        """
        with Session(writing(self._engine), expire_on_commit=False) as session, session.begin():
            yield Books(session, self._clock)

    @contextmanager
    def look(self) -> Generator[Books]:
        """Read; whoever writes here gets an error."""
        with Session(reading(self._engine), expire_on_commit=False) as session:
            yield Books(session, self._clock)

"""Writers of one SQLite file, each in its turn.

SQLite lets a waiting writer sleep up to a tenth of a second, and whoever has
just written may take the next turn at once: a process that writes much keeps
all others waiting.  Here a writer asks every millisecond, and who has just
written gives way first.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

ASK_SECONDS = 0.001
GIVE_WAY_SECONDS = 0.003

_WROTE = "wrote"


class Turns:
    """The writing transactions of one engine; one waits ``patience`` seconds at most."""

    def __init__(self, engine: Engine, patience: float) -> None:
        self._patience = patience
        self._ended = float("-inf")
        event.listen(engine, "checkin", self._note_end)

    def begin(self, connection: Connection) -> None:
        """Begin to write; raises ``sqlalchemy.exc.OperationalError`` after the patience."""
        if time.monotonic() - self._ended < GIVE_WAY_SECONDS:
            time.sleep(GIVE_WAY_SECONDS)
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            self._ask(connection)
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={int(1000 * self._patience)}")
        connection.info[_WROTE] = True

    def _ask(self, connection: Connection) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except DBAPIError as error:
                if time.monotonic() > deadline or "locked" not in str(error.orig):
                    raise
                time.sleep(ASK_SECONDS)
            else:
                return

    def _note_end(self, _connection: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        if entry.info.pop(_WROTE, False):
            self._ended = time.monotonic()

"""Opening a database, and the two kinds of transactions in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from sqlite3 import OperationalError

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.pool import ConnectionPoolEntry

from worker.errors import MachineError
from worker.store.migrating import migrate
from worker.store.turns import Turns

DURABLE = "-c synchronous_commit=on"
"""What was answered as kept is kept, whatever a server is set to: writes at GitHub rest on it."""
PATIENCE_SECONDS = 10
"""How long a writer waits for another one, and everyone for a connection."""
STATEMENT_SECONDS = 30
RETRY_SECONDS = 0.02
CHECKPOINT_PAGES = 8000
"""How much of the log gathers (4 kB each) before somebody waits for its being worked in."""


def open_engine(url: str) -> Engine:
    """Open ``url``, creating the SQLite file's folder, and bring its tables up to date.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` where the database cannot be
    reached, ``OSError`` where the folder cannot be made and ``MachineError``
    where the driver is not installed or the database is newer than we are.
    """
    engine = connect(url)
    try:
        migrate(writing(engine))
    except BaseException:
        engine.dispose()
        raise
    return engine


def connect(url: str) -> Engine:
    """Open ``url`` and leave its tables as they are."""
    address = make_url(url)
    sqlite = address.get_backend_name() == "sqlite"
    return _open_sqlite(address) if sqlite else _open_server(address)


def writing(engine: Engine) -> Engine:
    """Return the engine of transactions that write."""
    return engine.execution_options(writes=True)


def reading(engine: Engine) -> Engine:
    """Return the engine of transactions that only read."""
    return engine.execution_options(writes=False, postgresql_readonly=True)


def _open_server(address: URL) -> Engine:
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    options: dict[str, str | int] = {}
    if address.drivername == "postgresql+psycopg":
        limits = {
            "statement_timeout": STATEMENT_SECONDS,
            "lock_timeout": PATIENCE_SECONDS,
            "idle_in_transaction_session_timeout": 2 * STATEMENT_SECONDS,
        }
        said = [f"-c {name}={value}s" for name, value in limits.items()]
        options["options"] = " ".join([DURABLE, *said])
        options["connect_timeout"] = PATIENCE_SECONDS
    given = {name: value for name, value in options.items() if name not in address.query}
    try:
        return create_engine(
            address,
            connect_args=given,
            pool_pre_ping=True,
            pool_timeout=PATIENCE_SECONDS,
            isolation_level="READ COMMITTED",
        )
    except ModuleNotFoundError as error:
        raise MachineError(
            f"the driver of this database is not installed: {error.name}",
            "Install assayer[postgres].",
        ) from error


def _open_sqlite(address: URL) -> Engine:
    if address.database and address.database != ":memory:":
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        address, connect_args={"timeout": PATIENCE_SECONDS, "isolation_level": None}
    )
    event.listen(engine, "connect", _tune_sqlite)
    event.listen(engine, "begin", _begin(Turns(engine, PATIENCE_SECONDS)))
    return engine


def _begin(turns: Turns) -> Callable[[Connection], None]:
    """Take the writer's lock at once, or refuse to write.

    A transaction that begins by reading could not write after another's write.
    """

    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql(f"PRAGMA query_only={0 if writes else 1}")
        if writes:
            turns.begin(connection)
        else:
            connection.exec_driver_sql("BEGIN")

    return begin


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    _log_ahead(cursor)
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _log_ahead(cursor: DBAPICursor) -> None:
    """Switch to write-ahead logging; SQLite itself does not wait for others who do."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return

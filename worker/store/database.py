"""Opening a database, and the two kinds of transactions in it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from sqlite3 import OperationalError

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from worker.errors import MachineError

ASK_SECONDS = 0.001
GIVE_WAY_SECONDS = 0.003

_WROTE = "wrote"


class WriterLock:
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


NEWEST_REVISION = "0003"
"""The newest step in ``migrations/versions``."""

MIGRATIONS_FOLDER = Path(__file__).parent / "migrations"

_LOCK = 0x_A55A_7E12
_LOCK_SECONDS = 300
"""How long a process waits for another one's migration."""


def migrate(engine: Engine) -> None:
    """Carry out the steps that a database lacks, all of them or none.

    Raises ``MachineError`` where a newer version has changed the database.
    """
    with engine.connect() as connection:
        if revision(connection) == NEWEST_REVISION:
            return
    with engine.begin() as connection:
        _wait_for_others(connection)
        if revision(connection) != NEWEST_REVISION:
            _upgrade(connection)


def revision(connection: Connection) -> str | None:
    """Return the last step that a database has seen."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: object = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return None if found is None else str(found)


def _wait_for_others(connection: Connection) -> None:
    """On PostgreSQL; on SQLite the transaction itself is the lock."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))


def _upgrade(connection: Connection) -> None:
    """Only who has something to do loads alembic."""
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise MachineError(
            f"the database's tables are not ones that this version knows: {error}",
            "Install the version of Assayer that wrote it, or a newer one.",
        ) from error


DURABLE = "-c synchronous_commit=on"
"""What was answered as kept is kept, whatever a server is set to: writes at GitHub rest on it."""
LOCK_TIMEOUT_SECONDS = 10
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
        migrate(writing_engine(engine))
    except BaseException:
        engine.dispose()
        raise
    return engine


def connect(url: str) -> Engine:
    """Open ``url`` and leave its tables as they are."""
    address = make_url(url)
    sqlite = address.get_backend_name() == "sqlite"
    return _open_sqlite(address) if sqlite else _open_server(address)


def writing_engine(engine: Engine) -> Engine:
    """Return the engine of transactions that write."""
    return engine.execution_options(writes=True)


def reading_engine(engine: Engine) -> Engine:
    """Return the engine of transactions that only read."""
    return engine.execution_options(writes=False, postgresql_readonly=True)


def _open_server(address: URL) -> Engine:
    if address.drivername == "postgresql":
        address = address.set(drivername="postgresql+psycopg")
    options: dict[str, str | int] = {}
    if address.drivername == "postgresql+psycopg":
        limits = {
            "statement_timeout": STATEMENT_SECONDS,
            "lock_timeout": LOCK_TIMEOUT_SECONDS,
            "idle_in_transaction_session_timeout": 2 * STATEMENT_SECONDS,
        }
        said = [f"-c {name}={value}s" for name, value in limits.items()]
        options["options"] = " ".join([DURABLE, *said])
        options["connect_timeout"] = LOCK_TIMEOUT_SECONDS
    given = {name: value for name, value in options.items() if name not in address.query}
    try:
        return create_engine(
            address,
            connect_args=given,
            pool_pre_ping=True,
            pool_timeout=LOCK_TIMEOUT_SECONDS,
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
        address, connect_args={"timeout": LOCK_TIMEOUT_SECONDS, "isolation_level": None}
    )
    event.listen(engine, "connect", _tune_sqlite)
    event.listen(engine, "begin", _begin(WriterLock(engine, LOCK_TIMEOUT_SECONDS)))
    return engine


def _begin(turns: WriterLock) -> Callable[[Connection], None]:
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
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return

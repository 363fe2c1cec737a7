"""Opening a database, and making sure that its tables are there."""

from __future__ import annotations

import time
from pathlib import Path
from sqlite3 import OperationalError

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, Table

from worker.store.schema import Base

PATIENCE_SECONDS = 5
"""How long a writer waits for another one."""
RETRY_SECONDS = 0.02

_SCHEMA_LOCK = 0x_A55A_7E12


def open_engine(url: str) -> Engine:
    """Open ``url``, creating the SQLite file's folder and the tables.

    Raises ``sqlalchemy.exc.SQLAlchemyError`` where the database cannot be
    reached and ``OSError`` where the folder cannot be made.
    """
    address = make_url(url)
    if address.get_backend_name() != "sqlite":
        engine = create_engine(address, pool_pre_ping=True)
    else:
        engine = _open_sqlite(address)
    with engine.begin() as connection:
        _create_tables(connection)
    return engine


def _open_sqlite(address: URL) -> Engine:
    if address.database and address.database != ":memory:":
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address, connect_args={"timeout": PATIENCE_SECONDS})
    event.listen(engine, "connect", _tune_sqlite)
    return engine


def _tune_sqlite(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    _log_ahead(cursor)
    cursor.execute("PRAGMA synchronous=NORMAL")
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


def _create_tables(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))
    for table in Base.metadata.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        _add_columns(connection, table)
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index, if_not_exists=True))


def _add_columns(connection: Connection, table: Table) -> None:
    """Add the columns that an older table lacks, unless another process just has."""
    for name in sorted(set(table.columns.keys()) - _columns(connection, table)):
        column = CreateColumn(table.columns[name]).compile(dialect=connection.dialect)
        try:
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {column}"))
        except DBAPIError:
            if name not in _columns(connection, table):
                raise


def _columns(connection: Connection, table: Table) -> set[str]:
    return {str(column["name"]) for column in inspect(connection).get_columns(table.name)}

"""Bringing a database's tables up to date, once, however many processes open it."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from worker.errors import MachineError

HEAD = "0002"
"""The newest step in ``migrations/versions``."""

SCRIPTS = Path(__file__).parent / "migrations"

_LOCK = 0x_A55A_7E12
_LOCK_SECONDS = 300
"""How long a process waits for another one's migration."""


def migrate(engine: Engine) -> None:
    """Carry out the steps that a database lacks, all of them or none.

    Raises ``MachineError`` where a newer version has changed the database.
    """
    with engine.connect() as connection:
        if revision(connection) == HEAD:
            return
    with engine.begin() as connection:
        _wait_for_others(connection)
        if revision(connection) != HEAD:
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
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise MachineError(
            f"the database's tables are not ones that this version knows: {error}",
            "Install the version of Assayer that wrote it, or a newer one.",
        ) from error

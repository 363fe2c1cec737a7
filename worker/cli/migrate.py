"""``assayer migrate``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(epilog="Exit status: 0 it is up to date, 3 it could not be brought up to date.")
@click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The operator's settings.",
)
def migrate(settings_file: Path | None) -> None:
    """Bring the database up to date, as every process does that opens it."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    from worker.errors import MachineError
    from worker.settings.operator_settings import read_settings
    from worker.store.database import NEWEST_REVISION
    from worker.store.store import Store

    url = read_settings(settings_file).store.url
    try:
        with Store(url) as store:
            store.ping()
    except (SQLAlchemyError, OSError) as error:
        place = make_url(url).render_as_string(hide_password=True)
        raise MachineError(
            f"the database {place} cannot be brought up to date ({type(error).__name__})",
            "Look at [store] url, and whether its server answers.",
        ) from error
    click.echo(f"The database is up to date (step {NEWEST_REVISION}).")

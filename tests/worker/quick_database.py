"""A fixture: SQLite leaves it to the machine when to write to the disk."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.pool import Pool


def _leave_it_to_the_machine(connection: Any, _record: Any, _proxy: Any) -> None:
    if type(connection).__module__ == "sqlite3":
        connection.execute("PRAGMA synchronous=OFF")


@pytest.fixture(autouse=True)
def quick_database() -> Iterator[None]:
    """Do not wait for the disk at each commit; killing a process still loses nothing."""
    event.listen(Pool, "checkout", _leave_it_to_the_machine)
    yield
    event.remove(Pool, "checkout", _leave_it_to_the_machine)

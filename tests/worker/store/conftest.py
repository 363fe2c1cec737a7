"""Every test of the store runs on SQLite and on PostgreSQL."""

import itertools
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from tests.worker.postgresql_server import WHY_NOT, database, postgresql_server
from worker.store.database import NEWEST_REVISION
from worker.store.schema import Base
from worker.store.store import Store

_numbers = itertools.count()


@pytest.fixture(scope="session")
def server():
    if WHY_NOT:
        pytest.skip(WHY_NOT)
    with postgresql_server() as address:
        yield address


@dataclass(frozen=True)
class Shared:
    """A database that many tests use; each leaves its tables empty."""

    url: str
    store: Store

    def empty(self):
        with self.store._engine.execution_options(writes=True).begin() as connection:
            for table in reversed(Base.metadata.sorted_tables):
                connection.execute(table.delete())
            connection.execute(
                text("UPDATE alembic_version SET version_num = :v"), {"v": NEWEST_REVISION}
            )


@pytest.fixture(scope="session")
def shared_sqlite(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('shared')}/assayer.db"
    with Store(url) as store:
        yield Shared(url, store)


@pytest.fixture(scope="session")
def shared_postgresql(server):
    url = database(server, "shared")
    with Store(url) as store:
        yield Shared(url, store)


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request, tmp_path):
    """A database without tables."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/state/assayer.db"
    return database(request.getfixturevalue("server"), f"new{next(_numbers)}")


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request):
    found = request.getfixturevalue(f"shared_{request.param}")
    yield found
    found.empty()


@pytest.fixture
def url(shared):
    """A database with empty tables."""
    return shared.url


class StoreClock:
    """A time that a test moves."""

    def __init__(self):
        self.now = datetime(2026, 11, 22, 12, tzinfo=UTC)

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock():
    return StoreClock()


@pytest.fixture
def store(shared, clock):
    shared.store._clock = clock
    return shared.store

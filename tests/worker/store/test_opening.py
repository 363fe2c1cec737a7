"""Transactions: all of it or nothing, one writer at a time, readers who only read."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.exc import SQLAlchemyError

from tests.worker.store.nouns import delivery
from worker.errors import MachineError
from worker.store.store import Store


def test_failed_transaction_leaves_nothing(store):
    def fail(unit):
        unit.deliveries.keep(delivery())
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError), store.write() as unit:
        fail(unit)
    with store.read() as unit:
        assert unit.deliveries.get("d-1") is None


def test_looking_cannot_write(store):
    with pytest.raises(SQLAlchemyError), store.read() as unit:
        unit.deliveries.keep(delivery())
    with store.write() as unit:
        assert unit.deliveries.keep(delivery())


def test_sqlite_writers_wait_for_each_other(tmp_path):
    """What was read in a transaction that writes still holds when it ends."""

    def count(_number):
        with store.write() as unit:
            seen = unit.idempotency.get("count")
            unit.idempotency.done("count", str(int(seen.made if seen else "0") + 1))

    with Store(f"sqlite:///{tmp_path}/assayer.db") as store:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(40)))
        with store.read() as unit:
            assert unit.idempotency.get("count").made == "40"


def test_unreachable_database_is_an_error(tmp_path):
    with pytest.raises(SQLAlchemyError):
        Store(f"sqlite:///{tmp_path}")
    with pytest.raises(SQLAlchemyError):
        Store(f"postgresql://nobody@/nothing?host={tmp_path}")


def test_missing_driver_says_what_to_install():
    with pytest.raises(MachineError, match="postgres"):
        Store("postgresql+asyncpg://nobody@/nothing")


def test_answered_deliveries_survive_a_power_cut(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as store:
        with store._engine.connect() as connection:
            (level,) = connection.exec_driver_sql("PRAGMA synchronous").one()
        assert level == 2, "every commit is on the disk before it is answered"
    with sqlite3.connect(tmp_path / "assayer.db") as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_ping_answers(store):
    store.ping()

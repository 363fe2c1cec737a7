"""Databases of every earlier shape become one of today's, once, and lose nothing."""

import json
import multiprocessing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from worker.errors import MachineError
from worker.store.database import MIGRATIONS_FOLDER, NEWEST_REVISION
from worker.store.records import Attempt, RunState
from worker.store.schema import Base
from worker.store.store import Store

OLD_TABLES = """
CREATE TABLE runs (
    id VARCHAR(32) NOT NULL, repository TEXT NOT NULL, base VARCHAR(255), head VARCHAR(255),
    reason VARCHAR(255) NOT NULL, private BOOLEAN NOT NULL, fork BOOLEAN DEFAULT {true} NOT NULL,
    state VARCHAR(16) NOT NULL, attempts INTEGER NOT NULL, created_at {moment} NOT NULL,
    enqueued_at {moment}, started_at {moment}, leased_until {moment}, finished_at {moment},
    verdict VARCHAR(16), error TEXT, PRIMARY KEY (id));
CREATE INDEX runs_by_age ON runs (created_at);
CREATE INDEX runs_by_state ON runs (state, created_at);
CREATE TABLE approvals (
    repository VARCHAR(201) NOT NULL, head VARCHAR(64) NOT NULL, by VARCHAR(100) NOT NULL,
    at {moment} NOT NULL, PRIMARY KEY (repository, head));
CREATE TABLE workers (
    id VARCHAR(32) NOT NULL, host VARCHAR(255) NOT NULL, state VARCHAR(16) NOT NULL, reason TEXT,
    layers JSON NOT NULL, seen_at {moment} NOT NULL, PRIMARY KEY (id));
CREATE TABLE deliveries (
    id VARCHAR(64) NOT NULL, event VARCHAR(64) NOT NULL, action VARCHAR(64),
    digest VARCHAR(64) NOT NULL, received_at {moment} NOT NULL, run_id VARCHAR(32),
    PRIMARY KEY (id), FOREIGN KEY(run_id) REFERENCES runs (id));
CREATE TABLE reports (
    run_id VARCHAR(32) NOT NULL, document JSON NOT NULL, PRIMARY KEY (run_id),
    FOREIGN KEY(run_id) REFERENCES runs (id))
"""

AT = "2026-11-01 10:00:00.000000"
OLD_ROWS = (
    f"INSERT INTO runs (id, repository, reason, private, state, attempts, created_at, verdict)"
    f" VALUES ('run-1', 'octo/app', 'asked', {{true}}, 'done', 1, '{AT}', 'failure')",
    f"INSERT INTO runs (id, repository, head, reason, private, state, attempts, created_at)"
    f" VALUES ('run-2', 'octo/app', 'b', 'asked', {{false}}, 'queued', 0, '{AT}')",
    f"INSERT INTO deliveries VALUES ('d-1', 'pull_request', 'opened', '00', '{AT}', 'run-1')",
    f"INSERT INTO deliveries VALUES ('d-2', 'ping', NULL, '00', '{AT}', NULL)",
    f"INSERT INTO approvals VALUES ('octo/app', '{'b' * 40}', 'maintainer', '{AT}')",
    f"INSERT INTO workers VALUES ('w', 'host', 'ready', NULL, '[\"walls\"]', '{AT}')",
)


def make_old(url, *more):
    postgresql = url.startswith("postgresql")
    words = {
        "moment": "TIMESTAMP WITH TIME ZONE" if postgresql else "DATETIME",
        "true": "true" if postgresql else "1",
        "false": "false" if postgresql else "0",
    }
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in (*OLD_TABLES.split(";"), *OLD_ROWS, *more):
            connection.execute(text(statement.format(**words)))
        document = json.dumps({"verdict": "failure", "findings": []})
        connection.execute(text("INSERT INTO reports VALUES ('run-1', :d)"), {"d": document})
    engine.dispose()


@pytest.fixture
def old_url(new_url, tmp_path):
    (tmp_path / "state").mkdir()
    return new_url


def test_models_are_what_the_migrations_make(new_url):
    Store(new_url).close()
    with create_engine(new_url).connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []


def test_upgraded_database_is_like_a_new_one(old_url):
    make_old(old_url)
    Store(old_url).close()
    with create_engine(old_url).connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []


def test_head_is_the_newest_step():
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER))
    assert ScriptDirectory.from_config(config).get_current_head() == NEWEST_REVISION


def test_older_database_keeps_its_rows(old_url):
    make_old(old_url)
    with Store(old_url) as store:
        with store.read() as unit:
            done, queued = unit.runs.get("run-1"), unit.runs.get("run-2")
            assert (done.state, done.verdict, done.job.private) == (RunState.DONE, "failure", True)
            assert (queued.job.private, queued.queue, queued.job.fork) == (False, "cpu", True)
            assert queued.created_at.isoformat() == "2026-11-01T10:00:00+00:00"
            assert unit.runs.report("run-1") == {"verdict": "failure", "findings": []}
            assert unit.deliveries.known(["d-1", "d-2", "d-3"]) == {"d-1", "d-2"}
            assert unit.deliveries.count() == {"waiting": 0, "heard": 2, "dead": 0}
            assert unit.approvals.get("octo/app", "b" * 40).by == "maintainer"
            (worker,) = unit.workers_present.present(within=1e9)
            assert (worker.layers, worker.queues) == (("walls",), ("cpu",))
            assert unit.runs.next() == "run-2"
        with store.write() as unit:
            assert isinstance(unit.runs.start("run-2", lease=60, limit=3), Attempt)


def test_database_from_before_forks_and_approvals_is_upgraded(old_url):
    make_old(
        old_url,
        "ALTER TABLE runs DROP COLUMN fork",
        "DROP TABLE approvals",
        "DROP TABLE workers",
    )
    with Store(old_url) as store, store.write() as unit:
        assert unit.runs.get("run-2").job.fork is True
        unit.approvals.give("octo/app", "b" * 40, "maintainer")


def test_failed_migration_leaves_the_database_as_it_was(old_url):
    make_old(old_url, "CREATE TABLE writings (something INTEGER)")
    with pytest.raises(Exception, match="writings"):
        Store(old_url)
    with create_engine(old_url).connect() as connection:
        found = inspect(connection)
        assert not found.has_table("errands")
        assert "run_id" in {column["name"] for column in found.get_columns("deliveries")}


def test_database_of_a_newer_version_is_refused(url):
    Store(url).close()
    with create_engine(url).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MachineError, match="9999"):
        Store(url)


def _open(url, together):
    together.wait(600)
    with Store(url) as store, store.write() as unit:
        unit.runs.count()


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True], ids=["new", "old"])
def test_processes_open_a_database_together(old_url, old):
    if old:
        make_old(old_url)
    fork = multiprocessing.get_context("fork")
    together = fork.Barrier(6)
    openers = [fork.Process(target=_open, args=(old_url, together)) for _ in range(6)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join(120)
    assert [opener.exitcode for opener in openers] == [0] * 6
    with create_engine(old_url).connect() as connection:
        assert connection.scalars(text("SELECT version_num FROM alembic_version")).all() == [
            NEWEST_REVISION
        ]

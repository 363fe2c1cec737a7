"""The commands that docs/operating.md gives for backups, restoring and trying again."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.worker.postgresql_server import PROGRAMS, database
from tests.worker.store.nouns import delivery, task
from worker.store.records import Job
from worker.store.store import Store

OPERATING = (Path(__file__).parents[3] / "docs/operating.md").read_text()


def told(start):
    """The one command of the document that starts so, without its comment."""
    [line] = re.findall(rf"^\$ ({re.escape(start)}.*?)(?:    +#.*)?$", OPERATING, re.MULTILINE)
    return line


def run(command, folder, **variables):
    command = command.replace("/var/lib/assayer", str(folder / "state"))
    command = command.replace("/backup", str(folder / "backup"))
    environment = {"PATH": f"/usr/bin:/bin:{PROGRAMS or ''}", **variables}
    shell = ["sh", "-ec", command]
    done = subprocess.run(
        shell, check=False, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "state").mkdir()
    (tmp_path / "backup").mkdir()
    return tmp_path


def ask(store, key):
    with store.write() as unit:
        return unit.runs.ask(Job("octo/app", None, None, key, private=False)).id


def is_known(url, run_id):
    with Store(url) as store, store.read() as unit:
        return unit.runs.get(run_id) is not None


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="sqlite3 is not installed")
def test_sqlite_is_backed_up_while_it_runs_and_restored(folder):
    url = f"sqlite:///{folder}/state/assayer.db"
    with Store(url) as store:
        before = ask(store, "before")
        run(told("sqlite3"), folder)
        after = ask(store, "after")
    run(told("rm -f"), folder)
    run(told("cp /backup"), folder)
    assert is_known(url, before)
    assert not is_known(url, after)


def test_postgresql_is_backed_up_while_it_runs_and_restored(server, folder):
    url = database(server, "backed-up")
    address = url.replace("postgresql+psycopg", "postgresql")
    with Store(url) as store:
        before = ask(store, "before")
        run(told("pg_dump"), folder, DATABASE=address)
        after = ask(store, "after")
    run(told("pg_restore"), folder, DATABASE=address)
    assert is_known(url, before)
    assert not is_known(url, after)


def test_dead_things_are_tried_again(store):
    with store.write() as unit:
        unit.deliveries.keep(delivery())
        unit.deliveries.failed("d-1", "no", limit=1)
        unit.outbox_tasks.add(task())
        unit.outbox_tasks.give_up(unit.outbox_tasks.next("pull:7:12").id, "no")
        assert (unit.deliveries.waiting(), unit.outbox_tasks.ordering_keys(9)) == ((), ())
    [sql] = re.findall(r"```sql\n(.*?)```", OPERATING, re.DOTALL)
    with store._engine.execution_options(writes=True).begin() as connection:
        for statement in filter(None, map(str.strip, sql.split(";"))):
            connection.exec_driver_sql(statement)
    store._clock.pass_by(3600)
    with store.read() as unit:
        assert unit.deliveries.waiting() == ("d-1",)
        assert unit.outbox_tasks.ordering_keys(9) == ("pull:7:12",)

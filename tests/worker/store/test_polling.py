"""What is asked again and again is answered from an index, however much is kept."""

from datetime import timedelta

import pytest
from sqlalchemy import event, insert, text

from worker.store.column_types import utc_now
from worker.store.records import OutboxTaskKind, RunState
from worker.store.schema import DeliveryRow, OutboxTaskRow, RunRow
from worker.store.store import Store

COUNT = 10_000
FULL = (DeliveryRow, OutboxTaskRow, RunRow)


@pytest.fixture
def full(url):
    """Ten thousand of everything, half of it waiting, and none of it early."""
    with Store(url) as store:
        with store._engine.execution_options(writes=True).begin() as connection:
            for table, row in zip(FULL, (_delivery, _errand, _run), strict=True):
                connection.execute(insert(table), [row(number) for number in range(COUNT)])
            connection.execute(text("ANALYZE"))
        yield store


def _delivery(number):
    at = utc_now() - timedelta(seconds=COUNT - number)
    state = "waiting" if number % 2 else "heard"
    fixed = {"event": "push", "digest": "0" * 64, "body": b"x" * 100, "attempts": 0}
    return {"id": f"d{number}", "received_at": at, "due_at": at, "state": state, **fixed}


def _errand(number):
    at = utc_now() - timedelta(seconds=COUNT - number)
    state = "waiting" if number % 2 else "done"
    kinds = list(OutboxTaskKind)
    rank = number % len(kinds)
    fixed = {"installation": 3, "order": {}, "attempts": 0, "kind": kinds[rank], "rank": rank}
    ordering_key = f"pull:7:{number // 3}"
    times = {"created_at": at, "due_at": at}
    return {"lane": ordering_key, "key": f"k{number}", "state": state, **times, **fixed}


def _run(number):
    at = utc_now() - timedelta(seconds=COUNT - number)
    state = RunState.QUEUED if number % 2 else RunState.DONE
    if number % 100 == 0:
        state = RunState.RUNNING
    fixed = {"repository": "octo/app", "reason": "x", "private": True, "attempts": 0}
    times = {"created_at": at, "queued_at": at, "enqueued_at": utc_now()}
    held = {"leased_until": utc_now() + timedelta(hours=1)}
    known = {"installation": 3, "repository_id": 7, "check_run": number, "queue": "gpu"}
    return {"id": f"r{number}", "state": state, **times, **held, **known, **fixed}


QUESTIONS = {
    "waiting deliveries": lambda unit: unit.deliveries.waiting(),
    "due lanes": lambda unit: unit.outbox_tasks.ordering_keys(16),
    "next errand": lambda unit: unit.outbox_tasks.next("pull:7:1"),
    "oldest errand": lambda unit: unit.outbox_tasks.oldest(),
    "oldest delivery": lambda unit: unit.deliveries.oldest(),
    "next run": lambda unit: unit.runs.next(("gpu", "cpu")),
    "expired leases": lambda unit: unit.runs.expired(3),
    "stranded runs": lambda unit: unit.runs.stranded(),
    "late for a gpu": lambda unit: unit.runs.overdue("cpu", 300),
    "unannounced runs": lambda unit: unit.runs.unannounced(25),
    "latest of a pull": lambda unit: unit.runs.latest(7, 12),
    "runs of a head": lambda unit: unit.runs.of_head(7, "a" * 40),
    "policy": lambda unit: unit.runs.policy_of(7),
}


def plan(connection, statement, parameters):
    """The lines of how the database would answer a question."""
    explain = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
    rows = connection.exec_driver_sql(f"{explain} {statement}", parameters)
    return [str(row[-1]) for row in rows]


def reads_all(line):
    """Whether a line of a plan reads all of a full table: of SQLite, or of PostgreSQL."""
    scans = "Seq Scan" in line or (line.startswith("SCAN") and "INDEX" not in line)
    return scans and any(table.__tablename__ in line for table in FULL)


@pytest.mark.slow
def test_polls_are_answered_from_an_index(full):
    asked = {}

    def note(_connection, _cursor, statement, parameters, *_):
        if statement.startswith("SELECT"):
            asked.setdefault(name, []).append((statement, parameters))

    event.listen(full._engine, "before_cursor_execute", note)
    for name, ask in QUESTIONS.items():  # noqa: B007 ``note`` reads the name
        with full.write() as unit:
            ask(unit)
    event.remove(full._engine, "before_cursor_execute", note)
    assert asked.keys() == QUESTIONS.keys()
    with full._engine.connect() as connection:
        slow = {
            name: line
            for name, questions in asked.items()
            for question in questions
            for line in plan(connection, *question)
            if reads_all(line)
        }
    assert slow == {}

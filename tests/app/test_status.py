from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, text, update

from app.metrics import Metrics
from worker.store.coordination import STALE_SECONDS
from worker.store.counters import GITHUB_CALLS
from worker.store.records import Delivery, Job, OutboxTask, OutboxTaskKind, WorkerState
from worker.store.run_queue import BrokerQueue, RunTimeLimits, celery_app
from worker.store.schema import WorkerRow

ESCAPE = "1 known escape: TCP to the host"
GITHUB_JOB = Job("octo/app", "a" * 40, "b" * 40, "asked", repository_id=1, installation=7, pull=3)
REPORT = {"verdict": "failure", "broken": [{}], "cost": {"api_calls": 3, "dollars": 0.25}}


class Broker:
    """A broker's queue with nothing in it."""

    def enqueue(self, run_id, queue="cpu"):
        raise NotImplementedError

    def depth(self, queue=None):
        return 0


@pytest.fixture
def publisher(worker_is):
    worker_is(WorkerState.READY, "publish", name="b")


@pytest.fixture
def refusing(worker_is):
    return lambda: worker_is(WorkerState.REFUSING, reason=ESCAPE, name="c")


def test_living_process_is_healthy(client):
    assert client.get("/healthz").status_code == 200


def test_reachable_parts_and_their_workers_make_it_ready(client, staffed):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")
    assert answer.json["workers"] == {"starting": 0, "ready": 2, "refusing": 0}


def test_refusing_worker_makes_it_unready_and_says_why(client, publisher, refusing):
    worker = refusing()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json["reasons"] == [f"worker {worker} takes no jobs: {ESCAPE}"]
    assert "internal" not in answer.text
    assert ESCAPE in client.get("/", auth=("ops", "correct horse")).text
    assert ESCAPE not in client.get("/").text


def test_one_ready_worker_is_enough(client, staffed, refusing):
    refusing()
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json["workers"] == {"starting": 0, "ready": 2, "refusing": 1}


def test_absent_worker_is_no_obstacle_where_jobs_wait_in_a_broker(client_with, publisher, refusing):
    client = client_with(queue=Broker())
    assert client.get("/readyz").status_code == 200
    refusing()
    assert client.get("/readyz").status_code == 503


def test_one_process_without_its_worker_is_unready(client, publisher, worker_is):
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]
    worker_is(WorkerState.STARTING)
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]


def test_absent_publisher_makes_it_unready(client_with, worker_is):
    worker_is(WorkerState.READY, "cpu")
    [reason] = client_with(queue=Broker()).get("/readyz").json["reasons"]
    assert reason.startswith("no publisher is there")


def test_publisher_that_cannot_work_says_why(client_with, worker_is):
    publisher = worker_is(WorkerState.REFUSING, "publish", reason="the App's key cannot be read")
    answer = client_with(queue=Broker()).get("/readyz")
    assert answer.json["reasons"] == [
        f"worker {publisher} does not publish: the App's key cannot be read"
    ]


def test_clock_is_no_worker_that_examines(client, publisher, worker_is):
    worker_is(WorkerState.READY, "beat")
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]


def test_publisher_is_no_worker_that_examines(client, publisher):
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]


def test_worker_that_fell_silent_is_forgotten(client, tmp_path, staffed):
    silent = datetime.now(UTC) - timedelta(seconds=STALE_SECONDS + 5)
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        connection.execute(update(WorkerRow).values(seen_at=silent))
    assert client.get("/readyz").status_code == 503


def test_index_shows_what_stands_between_code_and_machine(client, staffed):
    assert "walls" not in client.get("/").text
    page = client.get("/", auth=("ops", "correct horse")).text
    assert "walls" in page
    assert "internal" not in page


def test_absent_broker_makes_it_unready(client_with, store, staffed):
    broker = BrokerQueue(celery_app("redis://127.0.0.1:1/0", RunTimeLimits(10)))
    client = client_with(queue=broker, metrics=Metrics(store, broker))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "queue" in answer.json["reasons"][0]
    metrics = client.get("/metrics")
    assert metrics.status_code == 200
    assert "assayer_queue_depth " not in metrics.text
    assert "assayer_runs{" in metrics.text


def test_broken_store_makes_it_unready(client, tmp_path):
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        for table in ("reports", "deliveries", "runs", "workers"):
            connection.execute(text(f"DROP TABLE {table}"))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert any("store" in reason for reason in answer.json["reasons"])
    assert client.get("/healthz").status_code == 200
    assert client.get("/metrics").status_code == 200
    page = client.get("/")
    assert page.status_code == 503
    assert "not lost" in page.text


def test_missing_secret_makes_it_unready(client_with):
    answer = client_with(secret=None).get("/readyz")
    assert answer.status_code == 503
    assert "secret" in answer.json["reasons"][0]


# --------------------------------------------------------------- metrics


def test_deliveries_are_counted_by_event_and_outcome(client, payload, deliver):
    opened = payload("pull_request.opened")
    deliver(client, opened, delivery="one")
    deliver(client, opened, delivery="one")
    deliver(client, opened, "made_up")
    deliver(client, {}, "ping")
    deliver(client, opened, **{"X-Hub-Signature-256": "sha256=0"})
    deliver(client, b"{")
    found = client.get("/metrics").text
    for event, outcome in [
        ("pull_request", "kept"),
        ("pull_request", "duplicate"),
        ("other", "dropped"),
        ("ping", "pong"),
        ("-", "unsigned"),
        ("-", "malformed"),
    ]:
        assert f'assayer_webhooks_total{{event="{event}",outcome="{outcome}"}} 1.0' in found
    assert 'assayer_deliveries{state="waiting"} 1.0' in found
    assert re.search(r"assayer_webhook_seconds_count 6\.0", found)


def test_several_web_processes_agree(client_with, payload, deliver, store):
    first, second = client_with(), client_with(metrics=Metrics(store, Broker()))
    for client in (first, second):
        deliver(client, payload("pull_request.opened"))
        client.get("/metrics")
    line = 'assayer_webhooks_total{event="pull_request",outcome="kept"} 2.0'
    assert all(line in client.get("/metrics").text for client in (first, second))


def test_run_is_counted_with_its_verdict_phases_and_cost(client, store):
    with store.write() as unit:
        run = unit.runs.ask(GITHUB_JOB).id
        unit.runs.prepared(run)
        attempt = unit.runs.start(run, lease=60, limit=3)
        unit.runs.finish(attempt, REPORT)
    found = client.get("/metrics").text
    for line in (
        'assayer_verdicts_total{verdict="failure"} 1.0',
        'assayer_verdicts_total{verdict="success"} 0.0',
        'assayer_run_seconds_count{phase="examining"} 1.0',
        'assayer_run_seconds_count{phase="publishing"} 0.0',
        'assayer_run_seconds_sum{phase="waiting"}',
        "assayer_broken_total 1.0",
        'assayer_api_calls_total{outcome="asked"} 3.0',
        "assayer_api_dollars_total 0.25",
        'assayer_runs{state="done"} 1.0',
    ):
        assert line in found


def test_what_waits_is_counted_with_its_age(client, store, tmp_path):
    with store.write() as unit:
        unit.deliveries.keep(Delivery("one", "pull_request", "opened", "0" * 64))
        unit.outbox_tasks.add(OutboxTask(OutboxTaskKind.COMMAND, 7, "pull:1:3", "command:1"))
        task = OutboxTask(OutboxTaskKind.COMMAND, 7, "pull:1:3", "command:2")
        unit.outbox_tasks.add(task)
        unit.outbox_tasks.give_up(unit.outbox_tasks.next("pull:1:3").id, "refused")
        unit.runs.ask(Job("octo/app", None, None, "asked"))
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        for table, column in (
            ("deliveries", "received_at"),
            ("errands", "due_at"),
            ("runs", "queued_at"),
        ):
            moved = text(f"UPDATE {table} SET {column} = :then")
            connection.execute(moved, {"then": long_ago.strftime("%Y-%m-%d %H:%M:%S.%f")})
    found = client.get("/metrics").text
    assert 'assayer_errands{state="waiting"} 1.0' in found
    assert 'assayer_errands{state="dead"} 1.0' in found
    for name in (
        "assayer_delivery_oldest_seconds",
        "assayer_errand_oldest_seconds",
        'assayer_queue_oldest_seconds{queue="cpu"}',
    ):
        [age] = re.findall(rf"^{re.escape(name)} (\S+)$", found, re.MULTILINE)
        assert 3600 <= float(age) < 7200
    assert 'assayer_queue_oldest_seconds{queue="gpu"} 0.0' in found


def test_run_that_github_shows_nothing_of_is_counted(client, store, tmp_path):
    with store.write() as unit:
        run = unit.runs.ask(GITHUB_JOB).id
    assert "assayer_runs_unannounced 0.0" in client.get("/metrics").text
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        connection.execute(text("UPDATE runs SET created_at = '2026-01-01 00:00:00.000000'"))
    assert "assayer_runs_unannounced 1.0" in client.get("/metrics").text
    with store.write() as unit:
        unit.runs.announced(run, 99)
    assert "assayer_runs_unannounced 0.0" in client.get("/metrics").text


def test_calls_to_github_are_counted(client, store):
    with store.write() as unit:
        unit.counters.add({(GITHUB_CALLS, "POST rate limited"): 2})
    line = 'assayer_github_calls_total{method="POST",outcome="rate limited"} 2.0'
    assert line in client.get("/metrics").text


def test_workers_are_counted_by_state_and_queue(client, staffed, refusing):
    refusing()
    found = client.get("/metrics").text
    assert 'assayer_workers{queue="gpu",state="ready"} 1.0' in found
    assert 'assayer_workers{queue="publish",state="ready"} 1.0' in found
    assert 'assayer_workers{queue="cpu",state="refusing"} 1.0' in found
    assert 'assayer_workers{queue="gpu",state="refusing"} 0.0' in found


def test_every_metric_is_documented(client, payload, deliver, root):
    deliver(client, payload("pull_request.opened"))
    named = set(re.findall(r"^# HELP (assayer_\w+)", client.get("/metrics").text, re.MULTILINE))
    documented = set(
        re.findall(r"`(assayer_\w+)", (root / "docs/operating/metrics.md").read_text())
    )
    named = {name for name in named if not name.endswith("_created")}
    assert named
    assert named == documented

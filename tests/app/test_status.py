from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sqlalchemy import create_engine, text, update

from worker.queue import BrokerQueue, Limits, celery_app
from worker.store import WorkerRecord, WorkerState
from worker.store.roster import STALE_SECONDS
from worker.store.schema import WorkerRow

ESCAPE = "1 known escape: TCP to the host"


class Broker:
    """A broker's queue with nothing in it."""

    def enqueue(self, run_id):
        raise NotImplementedError

    def depth(self):
        return 0


def refusing(store, number=0):
    worker = f"{number:032x}"
    store.roster.see(WorkerRecord(worker, "host.internal", WorkerState.REFUSING, ESCAPE))
    return worker[:8]


def test_living_process_is_healthy(client):
    assert client.get("/healthz").status_code == 200


def test_reachable_parts_and_a_worker_make_it_ready(client, staffed):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")
    assert answer.json["workers"] == {"starting": 0, "ready": 1, "refusing": 0}


def test_refusing_worker_makes_it_unready_and_says_why(client, store):
    worker = refusing(store)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json["reasons"] == [f"worker {worker} takes no jobs: {ESCAPE}"]
    assert "internal" not in answer.text
    assert ESCAPE in client.get("/").text


def test_one_ready_worker_is_enough(client, store, staffed):
    refusing(store)
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json["workers"] == {"starting": 0, "ready": 1, "refusing": 1}
    assert 'assayer_workers{state="refusing"} 1.0' in client.get("/metrics").text


def test_absent_worker_is_no_obstacle_where_jobs_wait_in_a_broker(client_with, store):
    client = client_with(queue=Broker())
    assert client.get("/readyz").status_code == 200
    refusing(store)
    assert client.get("/readyz").status_code == 503


def test_one_process_without_its_worker_is_unready(client, store):
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]
    store.roster.see(WorkerRecord("b" * 32, "host", WorkerState.STARTING))
    assert client.get("/readyz").json["reasons"] == ["no worker is ready yet"]


def test_worker_that_fell_silent_is_forgotten(client, store, tmp_path, staffed):
    silent = datetime.now(UTC) - timedelta(seconds=STALE_SECONDS + 5)
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        connection.execute(update(WorkerRow).values(seen_at=silent))
    assert client.get("/readyz").status_code == 503


def test_index_shows_what_stands_between_code_and_machine(client, staffed):
    page = client.get("/").text
    assert "walls" in page
    assert "internal" not in page


def test_absent_broker_makes_it_unready(client_with):
    broker = BrokerQueue(celery_app("redis://127.0.0.1:1/0", Limits(10)))
    answer = client_with(queue=broker).get("/readyz")
    assert answer.status_code == 503
    assert "queue" in answer.json["reasons"][0]


def test_broken_store_makes_it_unready(client, tmp_path):
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        for table in ("reports", "deliveries", "runs", "workers"):
            connection.execute(text(f"DROP TABLE {table}"))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert any("store" in reason for reason in answer.json["reasons"])
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 503
    assert client.get("/metrics").status_code == 200


def test_missing_secret_makes_it_unready(client_with):
    answer = client_with(secret=None).get("/readyz")
    assert answer.status_code == 503
    assert "secret" in answer.json["reasons"][0]


def test_deliveries_are_counted(client, payload, deliver):
    deliver(client, payload("pull_request.opened"))
    deliver(client, payload("pull_request.opened"), **{"X-Hub-Signature-256": "sha256=0"})
    text = client.get("/metrics").text
    assert 'assayer_webhooks_total{event="pull_request",outcome="enqueued"} 1.0' in text
    assert 'assayer_webhooks_total{event="-",outcome="unsigned"} 1.0' in text
    assert 'assayer_runs{state="queued"} 1.0' in text
    assert "assayer_queue_depth 1.0" in text
    assert re.search(r"assayer_webhook_seconds_count 2\.0", text)

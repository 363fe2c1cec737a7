from __future__ import annotations

import re

from sqlalchemy import create_engine, text

from worker.queue import BrokerQueue, Limits, celery_app


def test_living_process_is_healthy(client):
    assert client.get("/healthz").status_code == 200


def test_reachable_parts_make_it_ready(client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json["status"]) == (200, "ready")


def test_absent_broker_makes_it_unready(client_with):
    broker = BrokerQueue(celery_app("redis://127.0.0.1:1/0", Limits(10)))
    answer = client_with(queue=broker).get("/readyz")
    assert answer.status_code == 503
    assert "queue" in answer.json["reasons"][0]


def test_broken_store_makes_it_unready(client, tmp_path):
    with create_engine(f"sqlite:///{tmp_path}/assayer.db").begin() as connection:
        for table in ("reports", "deliveries", "runs"):
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

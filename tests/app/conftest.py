from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from app.links import Links
from app.metrics import Metrics
from app.services import Services
from app.signature import signed
from app.web import assemble
from worker.queue import TableQueue
from worker.store import Store, WorkerRecord, WorkerState

PAYLOADS = Path(__file__).parent / "payloads"
SECRET = b"It's a Secret to Everybody"


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.fixture
def services(store, tmp_path):
    queue = TableQueue(store)
    return Services(
        store=store,
        queue=queue,
        metrics=Metrics(store, queue),
        secret=SECRET,
        links=Links(SECRET),
        artifacts=tmp_path / "runs",
        max_body=100_000,
    )


@pytest.fixture
def staffed(store):
    """A worker takes jobs."""
    store.roster.see(WorkerRecord("a" * 32, "host.internal", WorkerState.READY, None, ("walls",)))


@pytest.fixture
def client(services):
    return assemble(services).test_client()


@pytest.fixture
def client_with(services):
    def build(**changes):
        return assemble(replace(services, **changes)).test_client()

    return build


@pytest.fixture
def payload():
    def read(name: str, **changes):
        return {**json.loads((PAYLOADS / f"{name}.json").read_text()), **changes}

    return read


@pytest.fixture
def deliver():
    """Send a payload as GitHub does; headers that are ``None`` are left out."""

    def send(client, payload, event="pull_request", delivery=None, **headers):
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        given = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": delivery or str(uuid.uuid4()),
            "X-Hub-Signature-256": signed(SECRET, body),
            "Content-Type": "application/json",
            **headers,
        }
        kept = {name: value for name, value in given.items() if value is not None}
        return client.post("/webhooks/github", data=body, headers=kept)

    return send

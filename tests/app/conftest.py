from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from app.access import Access, Operators
from app.delivery_writer import DeliveryWriter
from app.metrics import Metrics
from app.services import Services
from app.web import assemble
from app.webhook import sign_body
from tests.worker.quick_database import quick_database as quick_database  # noqa: PLC0414 - a fixture
from worker.report.page_links import LinkSigner
from worker.store.blobs import Blobs
from worker.store.records import RepositoryRecord, WorkerRecord, WorkerState
from worker.store.run_queue import TableQueue
from worker.store.store import Store

PAYLOADS = Path(__file__).parent / "payloads"
SECRET = b"It's a Secret to Everybody"


@pytest.fixture
def root():
    return Path(__file__).parent.parent.parent


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/assayer.db") as opened:
        yield opened


@pytest.fixture
def services(store, tmp_path):
    queue = TableQueue(store)
    return Services(
        store=store,
        delivery_writer=DeliveryWriter(store),
        queue=queue,
        blobs=Blobs(str(tmp_path / "blobs")),
        metrics=Metrics(store, queue),
        secret=SECRET,
        access=Access(LinkSigner(SECRET), Operators("ops:correct horse\n")),
        max_body=100_000,
        web_url="https://github.com",
    )


@pytest.fixture
def worker_is(store):
    def see(state, *queues, reason=None, name="a"):
        record = WorkerRecord(
            name * 32, "host.internal", state, reason, ("walls",), queues=queues or ("cpu",)
        )
        with store.write() as unit:
            unit.workers_present.see(record)
        return record.id[:8]

    return see


@pytest.fixture
def staffed(worker_is):
    """A worker takes jobs, and a publisher speaks to GitHub."""
    worker_is(WorkerState.READY, "cpu", "gpu")
    worker_is(WorkerState.READY, "publish", name="b")


@pytest.fixture
def installed(store):
    """A public repository that the App is installed on."""
    with store.write() as unit:
        unit.installations.see_repository(RepositoryRecord(1, "octo/app", False, 7))


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
            "X-Hub-Signature-256": sign_body(SECRET, body),
            "Content-Type": "application/json",
            **headers,
        }
        kept = {name: value for name, value in given.items() if value is not None}
        return client.post("/webhooks/github", data=body, headers=kept)

    return send

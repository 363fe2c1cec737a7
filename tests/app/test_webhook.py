from __future__ import annotations

import hashlib
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.exc import OperationalError

from app.signature import is_signed, signed
from worker.queue import BrokerQueue, Limits, QueueDownError, celery_app
from worker.store import RunState


class Recorder:
    """A queue that keeps what it was given."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def enqueue(self, run_id: str) -> None:
        self.runs.append(run_id)

    def depth(self) -> int:
        return len(self.runs)


def test_signature_is_githubs_own_example():
    secret, body = b"It's a Secret to Everybody", b"Hello, World!"
    header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signed(secret, body) == header
    assert is_signed(secret, body, header)
    assert not is_signed(secret, body + b" ", header)
    assert not is_signed(secret, body, header.replace("sha256=", "sha1="))
    assert not is_signed(secret, body, "sha256=ünïcode")
    assert not is_signed(secret, body, None)


@pytest.mark.parametrize(
    "name", ["pull_request.opened", "pull_request.synchronize", "fork.pull_request.opened"]
)
def test_new_head_is_enqueued(name, payload, deliver, client_with, store):
    queue = Recorder()
    event = payload(name)
    answer = deliver(client_with(queue=queue), event)
    assert answer.status_code == 202
    assert queue.runs == [answer.json["run"]]
    run = store.run(answer.json["run"])
    assert run.state is RunState.QUEUED
    assert run.job.head == event["pull_request"]["head"]["sha"]
    assert run.job.base == event["pull_request"]["base"]["sha"]
    assert run.job.repository == event["repository"]["full_name"]
    assert run.job.private is event["repository"]["private"]
    assert store.stranded_runs(unsent=0) == ()


def test_deleted_fork_is_still_tested(payload, deliver, client):
    event = payload("fork-deleted.pull_request.synchronize")
    assert event["pull_request"]["head"]["repo"] is None
    assert deliver(client, event).json["run"]


@pytest.mark.parametrize(
    ("name", "fork"),
    [
        ("pull_request.opened", False),
        ("fork.pull_request.opened", True),
        ("fork-deleted.pull_request.synchronize", True),
    ],
)
def test_job_knows_whether_its_head_is_a_forks(name, fork, payload, deliver, client, store):
    run = deliver(client, payload(name)).json["run"]
    assert store.run(run).job.fork is fork


@pytest.mark.parametrize("repo", [{}, {"id": "186853002"}, [], 186853002])
def test_head_of_unclear_origin_is_refused(repo, payload, deliver, client):
    event = payload("pull_request.opened")
    event["pull_request"]["head"]["repo"] = repo
    assert deliver(client, event).status_code == 400


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("pull_request.closed", "pull_request"),
        ("installation.created", "installation"),
        ("check_suite.requested", "check_suite"),
    ],
)
def test_other_event_is_only_recorded(name, event, payload, deliver, client, store):
    answer = deliver(client, payload(name), event)
    assert (answer.status_code, answer.json) == (202, {"run": None, "duplicate": False})
    assert store.latest_runs() == ()


def test_redelivery_runs_nothing_twice(payload, deliver, client_with):
    queue = Recorder()
    client = client_with(queue=queue)
    event = payload("pull_request.opened")
    first = deliver(client, event, delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    second = deliver(client, event, delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    assert second.status_code == 202
    assert second.json == {"run": first.json["run"], "duplicate": True}
    assert queue.runs == [first.json["run"]]


def test_simultaneous_redeliveries_run_once(payload, deliver, services, client_with):
    queue = Recorder()
    event = payload("pull_request.opened")

    def send(_number: int) -> int:
        return deliver(client_with(queue=queue), event, delivery="same").status_code

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(send, range(6))) == {202}
    assert len(queue.runs) == 1


@pytest.mark.parametrize(
    "signature", [None, "", "sha256=", "sha256=" + "0" * 64, "sha1=" + "0" * 40]
)
def test_bad_signature_is_refused_unread(signature, deliver, client, store):
    answer = deliver(client, b"{not json", **{"X-Hub-Signature-256": signature})
    assert answer.status_code == 401
    assert store.record_delivery is not None
    assert store.latest_runs() == ()


def test_signature_covers_the_raw_bytes(payload, deliver, client):
    event = payload("pull_request.opened")
    spaced = json.dumps(event, indent=4).encode()
    assert deliver(client, spaced).status_code == 202
    header = signed(b"It's a Secret to Everybody", json.dumps(event).encode())
    assert deliver(client, spaced, **{"X-Hub-Signature-256": header}).status_code == 401


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 90_000, b"payload=%7B%7D"],
    ids=["empty", "cut", "list", "null", "bytes", "deep", "form"],
)
def test_malformed_body_is_refused(body, deliver, client):
    assert deliver(client, body).status_code == 400


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("pull_request", "head", "sha"), "main; rm -rf /"),
        (("pull_request", "head", "sha"), "a" * 39),
        (("pull_request", "base"), None),
        (("repository", "full_name"), "../../etc"),
        (("repository", "full_name"), "a/b/c"),
        (("repository", "private"), "no"),
        (("pull_request",), []),
    ],
)
def test_payload_of_another_shape_is_refused(path, value, payload, deliver, client, store):
    event = payload("pull_request.opened")
    place = event
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    answer = deliver(client, event)
    assert answer.status_code == 400
    assert ".".join(path) in answer.json["error"]
    assert store.latest_runs() == ()


@pytest.mark.parametrize(
    "headers",
    [
        {"X-GitHub-Delivery": None},
        {"X-GitHub-Event": None},
        {"X-GitHub-Event": "PULL"},
        {"X-GitHub-Delivery": "x" * 65},
    ],
)
def test_unnamed_event_is_refused(headers, payload, deliver, client):
    assert deliver(client, payload("pull_request.opened"), **headers).status_code == 400


def test_large_body_is_refused(deliver, client):
    assert deliver(client, b" " * 100_001).status_code == 413


def test_missing_secret_accepts_nothing(payload, deliver, client_with, store):
    answer = deliver(client_with(secret=None), payload("pull_request.opened"))
    assert answer.status_code == 503
    assert store.latest_runs() == ()


def test_delivery_outlives_the_queue(payload, deliver, client_with, store):
    broker = BrokerQueue(celery_app("redis://127.0.0.1:1/0", Limits(10)))
    began = time.monotonic()
    answer = deliver(client_with(queue=broker), payload("pull_request.opened"))
    assert time.monotonic() - began < 30
    assert answer.status_code == 202
    assert store.stranded_runs(unsent=0) == (answer.json["run"],)
    with pytest.raises(QueueDownError):
        broker.depth()


def test_store_outage_is_told_to_github(payload, deliver, client_with):
    class Away:
        def record_delivery(self, delivery, job):
            raise OperationalError("INSERT", {}, OSError("disk full"))

    answer = deliver(client_with(store=Away()), payload("pull_request.opened"))
    assert answer.status_code == 503


def test_digest_is_that_of_the_bytes(payload, deliver, client_with):
    class Kept:
        def record_delivery(self, delivery, job):
            self.delivery = delivery
            raise OperationalError("INSERT", {}, OSError("enough seen"))

    kept = Kept()
    body = json.dumps(payload("installation.created")).encode()
    deliver(client_with(store=kept), body, "installation", "some-id")
    assert kept.delivery.digest == hashlib.sha256(body).hexdigest()
    assert (kept.delivery.id, kept.delivery.event) == ("some-id", "installation")
    assert kept.delivery.action == "created"


def test_only_post_is_heard(client):
    assert client.get("/webhooks/github").status_code == 405

from __future__ import annotations

import hashlib
import io
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from sqlalchemy.exc import OperationalError

from app.delivery_writer import DeliveryWriter
from app.webhook import HANDLED, has_valid_signature, sign_body
from worker.github_app.outbox import delivery_dispatch

SECRET = b"It's a Secret to Everybody"


class UnreachableStore:
    """A store that does not answer."""

    @contextmanager
    def write(self):
        raise OperationalError("BEGIN", {}, OSError("disk full"))
        yield


def waiting(store):
    with store.read() as unit:
        return [unit.deliveries.get(name) for name in unit.deliveries.waiting()]


def test_signature_is_githubs_own_example():
    secret, body = SECRET, b"Hello, World!"
    header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert sign_body(secret, body) == header
    assert has_valid_signature(secret, body, header)
    assert not has_valid_signature(secret, body + b" ", header)
    assert not has_valid_signature(secret, body, header.replace("sha256=", "sha1="))
    assert not has_valid_signature(secret, body, "sha256=ünïcode")
    assert not has_valid_signature(secret, body, None)


def test_delivery_is_kept_as_it_came(payload, deliver, client, store):
    body = json.dumps(payload("pull_request.opened"), indent=2).encode()
    answer = deliver(client, body, delivery="some-id")
    assert (answer.status_code, answer.json) == (202, {"kept": True, "duplicate": False})
    [kept] = waiting(store)
    assert (kept.id, kept.event, kept.action) == ("some-id", "pull_request", "opened")
    assert kept.body == body
    assert kept.digest == hashlib.sha256(body).hexdigest()


def test_what_is_kept_is_what_somebody_interprets():
    assert set(HANDLED) == set(delivery_dispatch._HANDLERS)


@pytest.mark.parametrize(("event", "action"), [(e, a) for e in HANDLED for a in sorted(HANDLED[e])])
def test_handled_action_is_kept_with_its_installation(event, action, deliver, client, store):
    payload = {"installation": {"id": 77, "node_id": "x"}, "action": action}
    assert deliver(client, payload, event).json["kept"]
    [kept] = waiting(store)
    assert (kept.event, kept.action, kept.installation) == (event, action, 77)


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("pull_request", "labeled"),
        ("issue_comment", "edited"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
        ("push", None),
        ("star", "created"),
        ("pull_request", None),
    ],
)
def test_other_action_is_acknowledged_and_dropped(event, action, deliver, client, store):
    payload = {} if action is None else {"action": action}
    answer = deliver(client, payload, event)
    assert (answer.status_code, answer.json) == (202, {"kept": False, "duplicate": False})
    assert waiting(store) == []


def test_ping_is_answered(deliver, client, store):
    answer = deliver(client, {"zen": "Design for failure.", "hook_id": 1}, "ping")
    assert (answer.status_code, answer.json) == (200, {"pong": True})
    assert waiting(store) == []


def test_redelivery_is_kept_once(payload, deliver, client, store):
    event = payload("pull_request.opened")
    first = deliver(client, event, delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    second = deliver(client, event, delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958")
    assert [answer.json["duplicate"] for answer in (first, second)] == [False, True]
    assert second.status_code == 202
    assert len(waiting(store)) == 1


def test_simultaneous_redeliveries_are_kept_once(payload, deliver, client_with, store):
    event = payload("pull_request.opened")

    def send(_number: int) -> tuple[int, bool]:
        answer = deliver(client_with(), event, delivery="same")
        return answer.status_code, answer.json["duplicate"]

    with ThreadPoolExecutor(6) as pool:
        answers = sorted(pool.map(send, range(6)))
    assert answers == [(202, False)] + [(202, True)] * 5
    assert len(waiting(store)) == 1


@pytest.mark.parametrize(
    "signature", [None, "", "sha256=", "sha256=" + "0" * 64, "sha1=" + "0" * 40]
)
def test_bad_signature_is_refused_unread(signature, deliver, client, store):
    answer = deliver(client, b"{not json", **{"X-Hub-Signature-256": signature})
    assert answer.status_code == 401
    assert waiting(store) == []


def test_signature_covers_the_raw_bytes(payload, deliver, client):
    event = payload("pull_request.opened")
    spaced = json.dumps(event, indent=4).encode()
    assert deliver(client, spaced).status_code == 202
    header = sign_body(SECRET, json.dumps(event).encode())
    assert deliver(client, spaced, **{"X-Hub-Signature-256": header}).status_code == 401


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 90_000, b"payload=%7B%7D"],
    ids=["empty", "cut", "list", "null", "bytes", "deep", "form"],
)
def test_malformed_body_is_refused(body, deliver, client, store):
    answer = deliver(client, body)
    assert answer.status_code == 400
    assert waiting(store) == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"action": 5}, "action"),
        ({"action": "x" * 65}, "action"),
        ({"installation": []}, "installation"),
        ({"installation": {"id": "7"}}, "installation.id"),
        ({"installation": {"id": 7.5}}, "installation.id"),
    ],
)
def test_envelope_of_another_shape_is_refused(changes, named, payload, deliver, client, store):
    answer = deliver(client, payload("pull_request.opened", **changes))
    assert answer.status_code == 400
    assert named in answer.json["error"]
    assert waiting(store) == []


def test_rest_of_the_payload_is_not_looked_at(deliver, client):
    deep = b'{"action": "opened", "pull_request": ' + b"[" * 150 + b"]" * 150 + b"}"
    assert deliver(client, deep).status_code == 202


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


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x",
    ],
)
def test_other_content_type_is_refused_unread(kind, payload, deliver, client, store):
    answer = deliver(client, payload("pull_request.opened"), **{"Content-Type": kind})
    assert (answer.status_code, waiting(store)) == (415, [])
    assert "application/json" in answer.json["error"]


def test_form_with_the_payload_in_a_field_is_refused(payload, deliver, client, store):
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    body = urlencode({"payload": json.dumps(payload("pull_request.opened"))}).encode()
    assert deliver(client, body, **kind).status_code == 415
    assert waiting(store) == []


def test_content_type_with_a_character_set_is_taken(payload, deliver, client):
    kind = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert deliver(client, payload("pull_request.opened"), **kind).status_code == 202


class EndlessBody(io.RawIOBase):
    """A body that goes on; counts what was read of it."""

    def __init__(self) -> None:
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.read_bytes += len(buffer)
        buffer[:] = b" " * len(buffer)
        return len(buffer)


CHUNKED = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}


def send_raw(client, body, **environment):
    environment = {"wsgi.input": body, "CONTENT_TYPE": "application/json", **environment}
    return client.post("/webhooks/github", environ_overrides=environment)


def test_large_body_is_refused_unread(client):
    body = EndlessBody()
    answer = send_raw(client, body, CONTENT_LENGTH="100001")
    assert answer.status_code == 413
    assert answer.json["error"]
    assert body.read_bytes == 0


def test_body_without_a_length_is_read_to_the_limit_only(client):
    body = EndlessBody()
    assert send_raw(client, body, **CHUNKED).status_code == 413
    assert 100_000 < body.read_bytes <= 200_000


def test_body_without_a_length_is_heard(payload, client):
    body = json.dumps(payload("pull_request.opened")).encode()
    headers = {
        "HTTP_X_GITHUB_EVENT": "pull_request",
        "HTTP_X_GITHUB_DELIVERY": "some-id",
        "HTTP_X_HUB_SIGNATURE_256": sign_body(SECRET, body),
    }
    assert send_raw(client, io.BytesIO(body), **CHUNKED, **headers).status_code == 202


def test_body_that_ends_early_is_refused(client):
    assert send_raw(client, io.BytesIO(b"{}"), CONTENT_LENGTH="90").status_code == 400


def test_missing_secret_accepts_nothing(payload, deliver, client_with, store):
    answer = deliver(client_with(secret=None), payload("pull_request.opened"))
    assert answer.status_code == 503
    assert waiting(store) == []


def test_store_outage_is_told_to_github(payload, deliver, client_with):
    answer = deliver(
        client_with(delivery_writer=DeliveryWriter(UnreachableStore())),
        payload("pull_request.opened"),
    )
    assert answer.status_code == 503
    assert "disk full" not in answer.text


def test_only_post_is_heard(client):
    answer = client.get("/webhooks/github")
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]

"""Deliveries: signed, held, reordered, doubled, lost and sent again."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.github_double.rest_client import Asker, app_token


class Receiver:
    """Takes webhooks and remembers them."""

    def __init__(self):
        self.heard = []
        self.status = 202
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.heard.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/webhooks/github"

    @property
    def guids(self):
        return [headers["X-GitHub-Delivery"] for headers, _ in self.heard]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def repo(github):
    return github.repository("cafe")


@pytest.fixture
def app(github):
    return Asker(github, token=app_token(github))


def test_delivery_is_signed_over_its_bytes(github, repo, receiver):
    github.deliveries.url = receiver.url
    repo.pull(files={"a.py": "1\n"})
    github.deliveries.wait()
    headers, body = next(
        one for one in receiver.heard if one[0]["X-GitHub-Event"] == "pull_request"
    )
    digest = hmac.new(github.secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature-256"] == f"sha256={digest}"
    payload = json.loads(body)
    assert payload["repository"]["full_name"] == "acme/cafe"
    assert payload["installation"]["id"] == github.installation.id
    assert all(delivery.ok for delivery in github.deliveries.newest_first())


def test_payloads_tell_of_our_state_only(github, repo):
    repo.pull(files={"a.py": "1\n"}).comment("bob", "hello")
    for delivery in github.deliveries.log:
        assert b"Codertocat" not in json.dumps(delivery.payload.get("repository")).encode()
        assert b"api.github.com" not in delivery.body


def test_held_deliveries_are_reordered_and_doubled(github, repo, receiver):
    github.deliveries.url = receiver.url
    github.deliveries.hold()
    pull = repo.pull(files={"a.py": "1\n"})
    pull.push({"a.py": "2\n"})
    pull.close()
    assert receiver.heard == []
    sent = github.deliveries.release(order=lambda held: held[::-1], copies=2)
    github.deliveries.wait()
    assert sorted(receiver.guids) == sorted([one.guid for one in sent] * 2)
    assert [one.event for one in sent][:1] == ["pull_request"]
    assert sent[0].action == "closed"


def test_lost_delivery_is_listed_and_redelivered_with_its_guid(github, repo, receiver, app):
    github.deliveries.url = receiver.url
    github.deliveries.lose(1)
    repo.pull("one", files={"a.py": "1\n"})
    github.deliveries.wait()
    failed = app.get("/app/hook/deliveries?status=failure").json()
    assert len(failed) == 1
    assert failed[0]["guid"] not in receiver.guids
    assert app.get(f"/app/hook/deliveries/{failed[0]['id']}").json()["guid"] == failed[0]["guid"]
    assert app.post(f"/app/hook/deliveries/{failed[0]['id']}/attempts").status_code == 202
    github.deliveries.wait()
    assert failed[0]["guid"] in receiver.guids
    newest = app.get("/app/hook/deliveries").json()[0]
    assert (newest["guid"], newest["redelivery"]) == (failed[0]["guid"], True)
    assert newest["id"] != failed[0]["id"]


def test_receiver_that_fails_makes_failed_deliveries(github, repo, receiver, app):
    receiver.status = 503
    github.deliveries.url = receiver.url
    repo.pull(files={"a.py": "1\n"})
    github.deliveries.wait()
    assert {one["status_code"] for one in app.get("/app/hook/deliveries").json()} == {503}


def test_deliveries_are_listed_by_cursor(github, repo, receiver, app):
    github.deliveries.url = receiver.url
    for number in range(5):
        repo.commit("main", {"a.py": f"{number}\n"})
    github.deliveries.wait()
    first = app.get("/app/hook/deliveries?per_page=3")
    rest = app.get(first.links["next"]["url"].removeprefix(github.url))
    ids = [one["id"] for one in first.json() + rest.json()]
    assert ids == sorted(ids, reverse=True)
    assert len(set(ids)) == 5


def test_every_kind_of_event_fits_its_schema(github, repo):
    pull = repo.pull(files={"a.py": "1\n"})
    pull.remark("bob", "a.py", 1, "hm")
    repo.merge_group(pull)
    repo.rerun_all(pull.head)
    repo.rename("bistro")
    github.install("globex")
    repo.transfer("globex")
    other = github.repository("other")
    github.remove_repository(other)
    github.add_repository(other)
    github.suspend()
    github.unsuspend()
    other.delete()
    github.ping()
    github.uninstall()
    told = {(one.event, one.action) for one in github.deliveries.log}
    assert {
        ("check_suite", "requested"),
        ("check_suite", "rerequested"),
        ("installation", "created"),
        ("installation", "deleted"),
        ("installation", "suspend"),
        ("installation", "unsuspend"),
        ("installation_repositories", "added"),
        ("installation_repositories", "removed"),
        ("merge_group", "checks_requested"),
        ("ping", None),
        ("pull_request", "opened"),
        ("pull_request_review_comment", "created"),
        ("repository", "deleted"),
        ("repository", "renamed"),
        ("repository", "transferred"),
    } <= told
    github.check()

from __future__ import annotations

import re
import time

import pytest

from app.links import Links
from worker.store import Attempt, Job

PUBLIC = Job("octo/app", "a" * 40, "b" * 40, "pull request 7 opened", private=False)
PRIVATE = Job("octo/secret", None, None, "asked")
REPORT = {
    "verdict": "failure",
    "targets": [
        {
            "id": "shop.py::check",
            "apis": ["google.vision.text_detection"],
            "goals": {"total": 4, "reached": 3},
            "executions": 60,
        }
    ],
    "findings": [
        {
            "fingerprint": "f" * 16,
            "rule": "cloud/crash",
            "level": "failure",
            "status": "new",
            "path": "shop.py",
            "line": 4,
            "title": "<script>alert(1)</script>",
            "message": "it raises",
            "inputs": [
                {"description": "a blank page", "file": "inputs/01-blank.png", "value": None},
                {"description": "a page", "file": "inputs/page.html", "value": None},
                {"description": "words", "file": None, "value": "'<b>hi</b>'"},
            ],
            "suggestion": {
                "path": "shop.py",
                "start_line": 4,
                "end_line": 4,
                "replacement": "    if texts:",
                "verified": True,
            },
            "reproducer": "test_crash.py",
        }
    ],
    "skipped": [{"target": "a.py::f", "reason": "nothing to call it with"}],
    "broken": [{"target": "b.py::g", "error": "the guest went away"}],
}


def finished(store, services, job=PUBLIC, report=REPORT) -> str:
    run = store.create_run(job)
    attempt = store.start_run(run, lease=60, limit=3)
    assert isinstance(attempt, Attempt)
    store.finish_run(attempt, report)
    folder = services.artifacts / run
    (folder / "inputs").mkdir(parents=True)
    (folder / "inputs" / "01-blank.png").write_bytes(b"\x89PNG")
    (folder / "inputs" / "page.html").write_text("<script>alert(1)</script>")
    (folder / "test_crash.py").write_text("def test(): ...")
    (folder / "unlisted.txt").write_text("not for you")
    (services.artifacts / "outside.txt").write_text("not for you")
    return run


def test_report_is_shown(client, store, services):
    page = client.get(f"/runs/{finished(store, services)}").text
    for words in ("octo/app", "it raises", "shop.py:4", "Suggestion, tried", "3 of 4"):
        assert words in page
    for words in ("nothing to call it with", "the guest went away", "a blank page"):
        assert words in page


def test_text_from_the_change_is_escaped(client, store, services):
    page = client.get(f"/runs/{finished(store, services)}").text
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;hi" in page


def test_inputs_are_served(client, store, services):
    run = finished(store, services)
    page = client.get(f"/runs/{run}").text
    address = re.search(r'<img src="([^"]+)"', page)[1]
    answer = client.get(address)
    assert (answer.status_code, answer.data) == (200, b"\x89PNG")
    assert answer.mimetype == "image/png"


@pytest.mark.parametrize("name", ["inputs/page.html", "test_crash.py"])
def test_active_files_are_only_saved(name, client, store, services):
    answer = client.get(f"/runs/{finished(store, services)}/files/{name}")
    assert answer.status_code == 200
    assert answer.mimetype == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "name", ["unlisted.txt", "../outside.txt", "%2e%2e/outside.txt", "inputs", "inputs/../../x"]
)
def test_other_files_are_not_served(name, client, store, services):
    assert client.get(f"/runs/{finished(store, services)}/files/{name}").status_code == 404


def test_listed_file_cannot_lead_outside(client, store, services):
    report = {"verdict": "failure", "findings": [{"inputs": [{"file": "../outside.txt"}]}]}
    run = finished(store, services, report=report)
    assert client.get(f"/runs/{run}/files/../outside.txt").status_code == 404
    assert client.get(f"/runs/{run}/files/%2e%2e%2foutside.txt").status_code == 404


def test_private_run_needs_its_link(client, store, services):
    run = finished(store, services, PRIVATE)
    other = finished(store, services, PRIVATE)
    later = int(time.time()) + 60
    links = services.links
    assert client.get(f"/runs/{run}").status_code == 403
    assert client.get(f"/runs/{run}?{links.query(run, later)}").status_code == 200
    assert client.get(f"/runs/{run}?{links.query(other, later)}").status_code == 403
    assert client.get(f"/runs/{run}?{links.query(run, later - 120)}").status_code == 403
    assert client.get(f"/runs/{run}?{Links(b'x').query(run, later)}").status_code == 403


def test_private_page_opens_its_inputs(client, store, services):
    run = finished(store, services, PRIVATE)
    page = client.get(f"/runs/{run}?{services.links.query(run, int(time.time()) + 60)}").text
    address = re.search(r'<img src="([^"]+)"', page)[1].replace("&amp;", "&")
    assert client.get(address).status_code == 200
    assert client.get(address.partition("?")[0]).status_code == 403


def test_index_names_public_runs_only(client, store, services):
    public, private = finished(store, services), finished(store, services, PRIVATE)
    page = client.get("/").text
    assert public[:8] in page
    assert private[:8] not in page
    assert "octo/secret" not in page


def test_failed_run_is_not_the_authors_fault(client, store):
    run = store.create_run(PUBLIC)
    attempt = store.start_run(run, lease=60, limit=3)
    store.fail_run(attempt, "something of ours broke (incident abc)")
    page = client.get(f"/runs/{run}").text
    assert "no fault of the change" in page
    assert "incident abc" in page


def test_waiting_run_says_so(client, store):
    assert "is queued" in client.get(f"/runs/{store.create_run(PUBLIC)}").text


def test_unknown_run_is_not_found(client):
    assert client.get("/runs/nobody").status_code == 404


def test_every_page_is_strict(client, store, services):
    run = finished(store, services)
    pages = ["/", f"/runs/{run}", f"/runs/{run}/files/inputs/01-blank.png", "/nowhere"]
    for page in [*pages, "/healthz", "/readyz", "/metrics", "/webhooks/github"]:
        answer = client.get(page)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_style_carries_the_pages_own_nonce(client):
    first, second = client.get("/"), client.get("/")
    nonces = [
        re.search(r"nonce-([\w-]+)", a.headers["Content-Security-Policy"])[1]
        for a in (first, second)
    ]
    assert nonces[0] != nonces[1]
    assert f'<style nonce="{nonces[0]}">' in first.text
    assert " style=" not in first.text

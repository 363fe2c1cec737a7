from __future__ import annotations

import base64
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest

from app.access import MAX_FAILURES
from worker.report.page_links import LinkSigner
from worker.store.records import Attempt, IgnoreKind, IgnoreRecord, Job, Policy, RepositoryRecord

PUBLIC = Job(
    "octo/app", "a" * 40, "b" * 40, "pull request 7 opened", private=False, repository_id=1, pull=7
)
PRIVATE = Job("octo/secret", None, None, "asked")
FINGERPRINT = "f" * 16
REPORT = {
    "base": "a" * 40,
    "head": "b" * 40,
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
            "fingerprint": FINGERPRINT,
            "rule": "cloud/low-recall",
            "level": "failure",
            "status": "new",
            "path": "shop.py",
            "line": 4,
            "end_line": 4,
            "target": "shop.py::check",
            "title": "<script>alert(1)</script>",
            "message": "`texts[0]` raises",
            "evidence": {
                "threshold": 0.75,
                "inputs": 4,
                "reached": 1,
                "interval": [0.05, 0.7],
                "missed": [0, 2, 3],
                "recall_after": 0.9,
                "recall_after_interval": [0.6, 1.0],
                "proof": "<b>bold</b>",
            },
            "inputs": [
                {
                    "kind": "image",
                    "description": "a page",
                    "file": "inputs/01-blank.png",
                    "value": None,
                },
                {
                    "kind": "value",
                    "description": "a web page",
                    "file": "inputs/page.html",
                    "value": None,
                },
                {
                    "kind": "audio",
                    "description": "a voice",
                    "file": "inputs/voice.wav",
                    "value": None,
                },
                {"kind": "text", "description": "words", "file": None, "value": "'<b>it\\'s</b>'"},
            ],
            "suggestion": {
                "path": "shop.py",
                "start_line": 4,
                "end_line": 5,
                "replacement": "    if texts:\n        return texts[0]",
                "verified": True,
            },
            "reproducer": "test_crash.py",
            "replay": "replay/one.json",
        }
    ],
    "skipped": [{"analyzer": "cloud", "target": "a.py::f", "reason": "nothing to call it with"}],
    "broken": [],
    "cost": {"seconds": 61.25, "executions": 1200, "api_calls": 1, "dollars": 0.0015},
    "environment": ["isolation: walls"],
    "partial": False,
}
FILES = {
    "inputs/01-blank.png": b"\x89PNG",
    "inputs/page.html": b"<script>alert(1)</script>",
    "inputs/voice.wav": bytes(range(256)) * 4000,
    "test_crash.py": b"def test(): ...",
    "replay/one.json": b"{}",
    "unlisted.txt": b"not for you",
}


@pytest.fixture
def asked(store):
    def ask(job=PUBLIC):
        with store.write() as unit:
            return unit.runs.ask(job).id

    return ask


@pytest.fixture
def started(store, asked):
    def start(job=PUBLIC):
        with store.write() as unit:
            attempt = unit.runs.start(asked_id := unit.runs.ask(job).id, lease=60, limit=3)
        assert isinstance(attempt, Attempt)
        assert attempt.run.id == asked_id
        return attempt

    return start


@pytest.fixture
def finished(store, services, started):
    def finish(job=PUBLIC, report=REPORT):
        attempt = started(job)
        with store.write() as unit:
            assert unit.runs.finish(attempt, report)
        for name, content in FILES.items():
            services.blobs.put(f"runs/{attempt.run.id}/{name}", content)
        services.blobs.put("runs/outside.txt", b"not for you")
        return attempt.run.id

    return finish


def changed(**changes):
    return {**REPORT, "findings": [{**REPORT["findings"][0], **changes}]}


def link(services, run, seconds=60, secret=None):
    links = services.access.links if secret is None else LinkSigner(secret)
    return links.query(run, int(time.time()) + seconds)


def basic(user, password):
    said = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {said}"}


OPERATOR = basic("ops", "correct horse")


# ------------------------------------------------------------ the report


def test_report_is_shown(client, finished):
    page = unescape(client.get(f"/runs/{finished()}").text)
    for words in ("octo/app", "raises", "shop.py:4", "run again on the same inputs", "3 of 4"):
        assert words in page
    for words in ("nothing to call it with", "a page", "1 new finding blocks", "1,200 executions"):
        assert words in page
    assert "1 API call for $0.0015" in page
    assert "https://github.com/octo/app/pull/7" in page
    assert "failure, new in this change" not in page
    assert "new in this change" in page


def test_inputs_stand_where_the_evidence_puts_them(client, finished):
    page = client.get(f"/runs/{finished()}").text
    missed, reached = page.index("Missed the branch"), page.index("Reached it")
    assert missed < page.index("01-blank.png") < reached < page.index("page.html")
    assert "<svg" in page
    assert "threshold 75 %" in page


def test_suggestion_that_was_not_tried_is_not_shown(client, finished):
    suggestion = {**REPORT["findings"][0]["suggestion"], "verified": False}
    page = client.get(f"/runs/{finished(report=changed(suggestion=suggestion))}").text
    assert "Suggest" not in page
    assert "if texts:" not in page


def test_text_from_the_change_is_escaped(client, finished):
    page = client.get(f"/runs/{finished()}").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;it&#39;s&lt;/b&gt;" in page
    assert "&lt;b&gt;bold" in page
    assert "<code>texts[0]</code>" in page


def test_report_without_findings_says_so(client, finished):
    report = {**REPORT, "verdict": "success", "findings": []}
    page = client.get(f"/runs/{finished(report=report)}").text
    assert "No new findings" in page
    assert "No findings." in page


def test_our_own_failures_are_told(client, finished):
    report = {
        **REPORT,
        "verdict": "error",
        "broken": [{"analyzer": "cloud", "target": "b.py::g", "error": "guest gone"}],
    }
    page = client.get(f"/runs/{finished(report={**report, 'findings': []})}").text
    assert "our side failed, not yours" in page
    assert "guest gone" in page


def test_bugs_of_libraries_are_told_at_the_end(client, finished):
    bug = {"analyzer": "relations", "target": "a.py::f", "path": "a.py", "line": 3}
    said = {"api": "torch.lcm", "rule": "crash", "relation": "value", "related": "torch.g(x)"}
    outcome = {"call": "torch.lcm(<b>)", "outcome": "SIGFPE", "expected": "1"}
    entry = {**bug, **said, **outcome, "library_version": "2.13.0"}
    page = client.get(f"/runs/{finished(report={**REPORT, 'appendix': [entry]})}").text
    assert "Known to go wrong" in page
    assert "torch.lcm(&lt;b&gt;)" in page


def ignore(until=None, kind=IgnoreKind.IGNORED):
    return IgnoreRecord(
        1, FINGERPRINT, "known <since> May", "octocat", datetime.now(UTC), until, kind
    )


def test_report_is_shown_with_what_is_ignored_today(client, finished, store, installed):
    run = finished()
    assert "1 new finding blocks" in client.get(f"/runs/{run}").text
    with store.write() as unit:
        unit.ignores.add(ignore())
    page = client.get(f"/runs/{run}").text
    assert "ignored: known &lt;since&gt; May" in page
    assert "blocks" not in page
    with store.write() as unit:
        unit.ignores.add(ignore(until=datetime.now(UTC).date() - timedelta(days=2)))
    assert "1 new finding blocks" in client.get(f"/runs/{run}").text


def test_baseline_is_shown_as_there_before(client, finished, store, installed):
    run = finished()
    with store.write() as unit:
        unit.ignores.add(ignore(kind=IgnoreKind.BASELINE))
    assert "already there on the base" in client.get(f"/runs/{run}").text


def test_gate_of_the_repository_decides_the_verdict(client, finished, store, installed):
    run = finished(report=changed() | {"verdict": "neutral"})
    with store.write() as unit:
        unit.runs.decide(run, Policy(gate="neutral"))
    assert "Nothing blocks" in client.get(f"/runs/{run}").text


# -------------------------------------------------------------- the files


def test_inputs_are_served(client, finished):
    run = finished()
    page = client.get(f"/runs/{run}").text
    address = re.search(r'<img src="([^"]+)"', page)[1]
    answer = client.get(address)
    assert (answer.status_code, answer.data) == (200, b"\x89PNG")
    assert answer.mimetype == "image/png"
    assert f'<audio controls preload="none" src="/runs/{run}/files/inputs/voice.wav"' in page


@pytest.mark.parametrize("name", ["inputs/page.html", "test_crash.py", "replay/one.json"])
def test_active_files_are_only_saved(name, client, finished):
    answer = client.get(f"/runs/{finished()}/files/{name}")
    assert answer.status_code == 200
    assert answer.mimetype == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.data == FILES[name]


@pytest.mark.parametrize(
    "name", ["unlisted.txt", "../outside.txt", "%2e%2e/outside.txt", "inputs", "inputs/../../x"]
)
def test_other_files_are_not_served(name, client, finished):
    assert client.get(f"/runs/{finished()}/files/{name}").status_code == 404


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/passwd", "inputs/../../outside.txt"])
def test_listed_file_cannot_lead_outside(name, client, finished):
    run = finished(report=changed(inputs=[{"kind": "image", "description": "x", "file": name}]))
    for address in (name, name.replace("/", "%2f")):
        answer = client.get(f"/runs/{run}/files/{address}", follow_redirects=True)
        assert answer.status_code == 404


def test_file_that_was_purged_is_not_found(client, finished, services):
    run = finished()
    services.blobs.remove(f"runs/{run}")
    assert client.get(f"/runs/{run}/files/inputs/01-blank.png").status_code == 404


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-3", 0, 3), ("bytes=1000-1999", 1000, 1999), ("bytes=-10", 1_023_990, 1_023_999)],
)
def test_part_of_a_sound_is_served(asked, first, last, client, finished):
    address = f"/runs/{finished()}/files/inputs/voice.wav"
    answer = client.get(address, headers={"Range": asked})
    assert answer.status_code == 206
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/1024000"
    assert answer.data == FILES["inputs/voice.wav"][first : last + 1]


def test_part_beyond_the_end_is_refused(client, finished):
    address = f"/runs/{finished()}/files/inputs/voice.wav"
    assert client.get(address, headers={"Range": "bytes=2000000-"}).status_code == 416
    whole = client.get(address)
    assert whole.headers["Accept-Ranges"] == "bytes"
    assert whole.data == FILES["inputs/voice.wav"]
    assert client.head(address).headers["Content-Length"] == "1024000"


# ---------------------------------------------------------- who may see it


def test_private_run_needs_its_link(client, finished, services):
    run, other = finished(PRIVATE), finished(PRIVATE)
    for address in (f"/runs/{run}", f"/runs/{run}/files/inputs/01-blank.png"):
        assert client.get(address).status_code == 403
        assert client.get(f"{address}?{link(services, run)}").status_code == 200
        assert client.get(f"{address}?{link(services, other)}").status_code == 403
        assert client.get(f"{address}?{link(services, run, -60)}").status_code == 403
        assert client.get(f"{address}?{link(services, run, secret=b'x')}").status_code == 403


def test_link_cannot_be_prolonged(client, finished, services):
    run = finished(PRIVATE)
    later = re.sub(r"expires=\d+", f"expires={int(time.time()) + 999}", link(services, run, -60))
    assert client.get(f"/runs/{run}?{later}").status_code == 403


def test_private_page_opens_its_inputs(client, finished, services):
    run = finished(PRIVATE)
    page = client.get(f"/runs/{run}?{link(services, run)}").text
    address = unescape(re.search(r'<img src="([^"]+)"', page)[1])
    assert client.get(address).status_code == 200
    assert client.get(address.partition("?")[0]).status_code == 403


def test_repository_that_became_private_hides_its_runs(
    client, finished, store, services, installed
):
    run = finished()
    assert client.get(f"/runs/{run}").status_code == 200
    with store.write() as unit:
        unit.installations.see_repository(RepositoryRecord(1, "octo/app", True, 7))
    assert client.get(f"/runs/{run}").status_code == 403
    assert client.get(f"/runs/{run}/files/inputs/01-blank.png").status_code == 403
    assert client.get(f"/runs/{run}?{link(services, run)}").status_code == 200
    assert run not in client.get("/").text


def test_run_of_a_repository_that_is_out_of_sight_is_nobodys(client, store, installed):
    with store.write() as unit:
        run = unit.runs.ask(replace(PUBLIC, installation=7)).id
    assert client.get(f"/runs/{run}").status_code == 200
    with store.write() as unit:
        unit.installations.remove_repository(1)
    assert client.get(f"/runs/{run}").status_code == 403
    assert run not in client.get("/").text


def test_operator_sees_every_run(client, finished):
    run = finished(PRIVATE)
    assert client.get(f"/runs/{run}", headers=OPERATOR).status_code == 200
    assert run in client.get("/", headers=OPERATOR).text
    assert run not in client.get("/").text


def test_login_is_asked_for_only_where_it_is_wanted(client, finished):
    run = finished(PRIVATE)
    refused = client.get(f"/runs/{run}")
    assert "WWW-Authenticate" not in refused.headers
    assert 'href="?login=1"' in refused.text
    asked = client.get(f"/runs/{run}?login=1")
    assert asked.status_code == 401
    assert asked.headers["WWW-Authenticate"].startswith("Basic realm")


@pytest.mark.parametrize(
    "wrong",
    [
        basic("ops", "correct horsf"),
        basic("ops", ""),
        basic("", ""),
        basic("ops:correct horse", ""),
        basic("other", "correct horse"),
        {"Authorization": "Basic !!!"},
    ],
)
def test_wrong_login_is_refused(wrong, client, finished):
    assert client.get(f"/runs/{finished(PRIVATE)}", headers=wrong).status_code in (401, 403)


def test_login_is_refused_for_a_while_after_many_failures(client, finished):
    run = finished(PRIVATE)
    for _ in range(MAX_FAILURES):
        assert client.get(f"/runs/{run}", headers=basic("ops", "guess")).status_code == 401
    answer = client.get(f"/runs/{run}", headers=OPERATOR)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 61
    elsewhere = {"REMOTE_ADDR": "127.0.0.2"}
    again = client.get(f"/runs/{run}", headers=OPERATOR, environ_overrides=elsewhere)
    assert again.status_code == 200


def test_server_without_operators_offers_no_login(client_with, services, finished):
    access = type(services.access)(services.access.links)
    client, run = client_with(access=access), finished(PRIVATE)
    answer = client.get(f"/runs/{run}?login=1", headers=OPERATOR)
    assert answer.status_code == 403
    assert "login" not in answer.text.lower()


# --------------------------------------------------------- runs under way


def test_waiting_run_says_so_and_looks_again(client, asked):
    page = client.get(f"/runs/{asked()}").text
    assert "The run is queued" in page
    assert '<meta http-equiv="refresh" content="10">' in page


def test_run_tells_what_it_is_doing(client, started, store):
    attempt = started()
    with store.write() as unit:
        unit.runs.progress(attempt, "examines <b>shop.py</b> (1 of 3)")
    page = client.get(f"/runs/{attempt.run.id}").text
    assert "examines &lt;b&gt;shop.py&lt;/b&gt; (1 of 3)" in page
    assert "refresh" in page


def test_run_that_is_over_looks_no_more(client, finished):
    assert "http-equiv" not in client.get(f"/runs/{finished()}").text


def test_failed_run_is_not_the_authors_fault(client, store, started):
    attempt = started()
    with store.write() as unit:
        unit.runs.fail(attempt, "something of ours broke (incident abc)")
    page = client.get(f"/runs/{attempt.run.id}").text
    assert "no fault of the change" in page
    assert "We are sorry" in page
    assert "incident abc" in page


def test_run_that_people_have_to_correct_says_what(client, store, started):
    attempt = started()
    with store.write() as unit:
        unit.runs.fail(attempt, "pyproject.toml:2: gate: <no>", refused=True)
    page = client.get(f"/runs/{attempt.run.id}").text
    assert "Something has to be corrected first" in page
    assert "our own fault" not in page
    assert "pyproject.toml:2: gate: &lt;no&gt;" in page
    assert "sorry" not in page


def test_cancelled_run_says_why_and_leads_to_the_newer_one(client, store, asked):
    first = asked()
    newer = Job("octo/app", "a" * 40, "c" * 40, "pushed", False, repository_id=1, pull=7)
    with store.write() as unit:
        second = unit.runs.ask(newer, supersede=True).id
    page = client.get(f"/runs/{first}").text
    assert "superseded by ccccccc" in page
    assert f'href="/runs/{second}"' in page


def test_run_that_waited_for_a_gpu_in_vain_says_so(client, store, asked, services):
    run = asked()
    with store.write() as unit:
        unit.runs.route(run, "cpu", without_gpu=True)
        attempt = unit.runs.start(run, lease=60, limit=3)
        unit.runs.finish(attempt, REPORT)
    assert "No worker with a GPU" in client.get(f"/runs/{run}").text


@pytest.mark.parametrize("run", ["nobody", "a" * 32, "..", "a" * 5000])
def test_unknown_run_is_not_found(run, client):
    assert client.get(f"/runs/{run}").status_code == 404


def test_index_names_public_runs_only(client, finished):
    public, private = finished(), finished(PRIVATE)
    page = client.get("/").text
    assert public in page
    assert private not in page
    assert "octo/secret" not in page


# ----------------------------------------------------------------- policy


def test_every_answer_is_strict(client, finished, services):
    run, private = finished(), finished(PRIVATE)
    pages = ["/", f"/runs/{run}", f"/runs/{run}/files/inputs/01-blank.png", "/nowhere"]
    pages += [f"/runs/{private}", f"/runs/{private}?login=1", f"/runs/{run}/files/nothing"]
    for page in [*pages, "/healthz", "/readyz", "/metrics", "/webhooks/github"]:
        answer = client.get(page)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in answer.headers["Cache-Control"]
        assert b"<script>" not in answer.data


def test_our_own_failure_shows_an_incident_and_no_trace(client_with, services, caplog):
    class Broken:
        def read(self):
            raise RuntimeError("secret place")

    answer = client_with(store=Broken()).get("/")
    assert answer.status_code == 500
    incident = re.search(r"Incident <code>([0-9a-f]{12})</code>", answer.text)[1]
    assert "secret place" not in answer.text
    assert [record.incident for record in caplog.records] == [incident]
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_style_carries_the_pages_own_nonce(client):
    first, second = client.get("/"), client.get("/")
    nonces = [
        re.search(r"nonce-([\w-]+)", a.headers["Content-Security-Policy"])[1]
        for a in (first, second)
    ]
    assert nonces[0] != nonces[1]
    assert f'<style nonce="{nonces[0]}">' in first.text
    assert " style=" not in first.text

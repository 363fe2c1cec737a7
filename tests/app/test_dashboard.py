"""The first page: what each visitor may see of repositories, queue, runs, trends and workers."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from app.dashboard import PER_PAGE
from tests.app.test_pages import OPERATOR, PRIVATE, PUBLIC, REPORT, changed
from worker.store.records import Attempt, RepositoryRecord

OTHER = replace(PUBLIC, repository="octo/other", repository_id=2)


@pytest.fixture
def ended(store):
    """Runs that ended with a report."""

    def end(job=PUBLIC, report=REPORT):
        with store.write() as unit:
            attempt = unit.runs.start(unit.runs.ask(job).id, lease=60, limit=3)
            assert isinstance(attempt, Attempt)
            assert unit.runs.finish(attempt, report)
        return attempt.run.id

    return end


@pytest.fixture
def waiting(store):
    def ask(job=PUBLIC):
        with store.write() as unit:
            return unit.runs.ask(job).id

    return ask


def links(page):
    return re.findall(r'href="/runs/([0-9a-f]{32})"', page)


def section(page, name):
    found = re.search(rf'<section aria-labelledby="{name}"[^>]*>.*?</section>', page, re.DOTALL)
    return found[0] if found else ""


def test_strangers_see_nothing_of_the_machine_or_of_private_repositories(
    client, ended, waiting, worker_is
):
    from worker.store.records import WorkerState

    worker_is(WorkerState.READY, "cpu")
    ended(PRIVATE)
    waiting(PRIVATE)
    page = client.get("/").text
    for words in ("octo/secret", "Workers", "walls", "host.internal", "cpu"):
        assert words not in page
    assert "octo/secret" in client.get("/", headers=OPERATOR).text
    assert "walls" in client.get("/", headers=OPERATOR).text


def test_repository_that_became_private_vanishes_everywhere(client, ended, waiting, store):
    ended()
    waiting()
    with store.write() as unit:
        unit.installations.see_repository(RepositoryRecord(1, "octo/app", True, 7))
    page = client.get("/?repository=octo/app").text
    assert links(page) == []
    assert "octo/app</a>" not in page
    assert client.get("/badge/octo/app.svg").status_code == 404


def test_listed_runs_are_those_whose_pages_open(client, ended, store, installed):
    jobs = [PUBLIC, PRIVATE, OTHER, replace(PUBLIC, installation=7), replace(OTHER, private=True)]
    jobs.append(replace(OTHER, installation=7))
    runs = []
    for job in jobs:
        with store.write() as unit:
            runs.append(unit.runs.ask(job).id)
    listed = set(links(section(client.get("/").text, "runs")))
    opened = {run for run in runs if client.get(f"/runs/{run}").status_code == 200}
    assert listed == opened
    assert 0 < len(opened) < len(runs)


def test_queue_shows_position_and_age(client, waiting, store):
    first, second, secret, third = waiting(), waiting(OTHER), waiting(PRIVATE), waiting(OTHER)
    with store.write() as unit:
        attempt = unit.runs.start(first, lease=60, limit=3)
        unit.runs.progress(attempt, "testing function 1 of 3: a.py::f\nfailure, a.py:1: bad")
    queue = section(client.get("/").text, "queue")
    assert links(queue) == [first, second, third]
    assert "testing function 1 of 3: a.py::f<" in queue
    assert re.findall(r"position \d", queue) == ["position 1", "position 3"]
    assert re.search(r'class="when">\d+ s<', queue)
    assert secret not in queue
    assert "It is number 3 in the queue" in client.get(f"/runs/{third}").text


def test_runs_are_filtered_and_paged(client, ended):
    failures = [ended() for _ in range(PER_PAGE + 2)]
    ended(OTHER, {**changed(), "verdict": "success", "findings": []})
    everything = client.get("/").text
    assert len(links(section(everything, "runs"))) == PER_PAGE
    assert 'rel="next"' in everything
    assert 'rel="prev"' not in everything
    page = client.get("/?repository=octo/app&outcome=failure&page=2").text
    assert links(section(page, "runs")) == failures[:2][::-1]
    assert 'rel="prev"' in page
    assert 'href="/?repository=octo%2Fapp&amp;outcome=failure&amp;page=1#runs"' in page
    [only] = links(section(client.get("/?outcome=success").text, "runs"))
    assert only not in failures


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=99999999999", "page=x", "outcome='--", "repository=<b>"]
)
def test_odd_questions_are_harmless(query, client, ended):
    run = ended()
    answer = client.get(f"/?{query}")
    assert answer.status_code == 200
    assert "<b>" not in answer.text
    assert run in answer.text


def test_repositories_stand_with_their_last_report(client, ended):
    ended()
    ended(OTHER, {**REPORT, "verdict": "success", "findings": []})
    last = ended(OTHER)
    table = section(client.get("/").text, "repositories")
    assert re.findall(r">(octo/\w+)</a>", table) == ["octo/other", "octo/app"]
    assert table.count("1 new finding<") == 2
    assert last in table
    assert re.search(r'data-of="runs">2<', table)


def test_trend_tells_findings_recall_and_cost(client, ended):
    evidence = {**REPORT["findings"][0]["evidence"], "recall": 0.25}
    ended(report=changed(evidence=evidence))
    assert section(client.get("/?repository=octo/app").text, "trend") == ""
    ended(report={**REPORT, "findings": []})
    trend = section(client.get("/?repository=octo/app").text, "trend")
    assert "The last 2 runs" in trend
    assert "new findings 0" in trend
    assert "lowest recall, % none" in trend
    assert "cost, $ 0.0015" in trend
    assert section(client.get("/").text, "trend") == ""


def test_ignored_and_existing_findings_are_not_counted(client, ended):
    finding = REPORT["findings"][0]
    others = [{**finding, "status": "existing"}, {**finding, "ignored": {"reason": "known"}}]
    ended(report={**REPORT, "findings": [finding, *others]})
    assert "1 new finding<" in client.get("/").text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("success", "no new findings"),
        ("neutral", "nothing blocks"),
        ("failure", "1 new finding"),
        ("error", "not decided"),
        ("skipped", "no ML call that Assayer knows"),
    ],
)
def test_badge_is_svg_for_a_public_repository(verdict, words, client, ended):
    ended(report={**REPORT, "verdict": verdict})
    answer = client.get("/badge/octo/app.svg")
    assert answer.content_type.startswith("image/svg+xml")
    drawn = ElementTree.fromstring(answer.text.strip())
    assert drawn.get("aria-label") == f"Assayer: {words}"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")


def test_badge_of_a_private_or_unknown_repository_is_not_there(client, ended):
    ended(PRIVATE)
    assert client.get("/badge/octo/secret.svg").status_code == 404
    assert client.get("/badge/octo/nothing.svg", headers=OPERATOR).status_code == 404


def test_progress_lists_what_was_found_so_far(client, waiting, store):
    run = waiting()
    with store.write() as unit:
        attempt = unit.runs.start(run, lease=60, limit=3)
        unit.runs.progress(
            attempt,
            "testing function 2 of 5: a.py::f; 1 finding so far; about 40 s left\n"
            "failure, a.py:3: `x` <b>raises</b>",
        )
    page = client.get(f"/runs/{run}").text
    assert "about 40 s left" in page
    assert "<li>failure, a.py:3: <code>x</code> &lt;b&gt;raises&lt;/b&gt;</li>" in page

"""The pages by keyboard, without scripts, and with a login through the double of GitHub."""

import json
import socket
from dataclasses import replace

import pytest

from app.github_login import GithubLogin
from tests.app.test_pages import PRIVATE, PUBLIC
from tests.github_double import github
from tests.github_double.oauth import CLIENT_ID, CLIENT_SECRET
from tests.worker.report import samples
from worker.report.artifacts import write_artifacts
from worker.report.html_report import to_html
from worker.report.json_report import report_document
from worker.store.records import Attempt

__all__ = ["github"]
pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path):
    report = samples.full_report()
    files = write_artifacts(report, tmp_path, samples.SOURCES, samples.FIXED)
    path = tmp_path / "report.html"
    path.write_text(to_html(report, files), encoding="utf-8")
    return path.as_uri()


def focused(page):
    return page.evaluate(
        "(() => { const e = document.activeElement; const s = getComputedStyle(e);"
        " return [e.tagName, e.className, s.outlineStyle, e.getAttribute('aria-label')] })()"
    )


def test_keyboard_reaches_everything_and_shows_where_it_is(viewer, file):
    page = viewer.open(file)
    seen = []
    for _ in range(200):
        page.keyboard.press("Tab")
        at = focused(page)
        if at[0] == "BODY":
            break
        assert at[2] != "none", at
        seen.append(at)
    assert {"A", "SUMMARY", "PRE", "BUTTON"} <= {tag for tag, *_ in seen}
    assert sum(name == "copy" for _, name, *_ in seen) == page.locator(".copy").count()


def test_contents_lead_to_their_finding(viewer, file):
    page = viewer.open(file)
    link = page.locator("nav.contents a").nth(1)
    link.focus()
    page.keyboard.press("Enter")
    target = page.locator(link.get_attribute("href").replace("#", "[id='") + "']")
    assert target.bounding_box()["y"] < 200


def test_copy_gives_the_new_lines(viewer, served, finished):
    address = f"{served()}/runs/{finished(samples.full_report())}"
    page = viewer.open(address, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_label("Copy the new lines").first.click()
    page.get_by_text("Copied").wait_for()
    assert "if {" in page.evaluate("navigator.clipboard.readText()")


def test_nothing_is_lost_without_scripts(viewer, file):
    plain = viewer.open(file, java_script_enabled=False)
    assert plain.locator(".copy").count() == 0
    assert plain.locator("article.finding").count() == 4
    evidence = plain.locator("article.finding details .evidence").first
    assert not evidence.is_visible()
    plain.get_by_text("Evidence", exact=True).first.click()
    assert evidence.is_visible()


def test_operator_logs_in_by_github(viewer, served, services, store, github):
    with store.write() as unit:
        run = unit.runs.ask(PRIVATE).id
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    login = GithubLogin(
        CLIENT_ID,
        CLIENT_SECRET,
        frozenset({github.user("alice").id}),
        web_url=github.url,
        api_url=github.api_url,
        public_url=address,
    )
    served(port=port, access=replace(services.access, github=login))
    page = viewer.open(f"{address}/runs/{run}")
    assert page.answer.status == 403
    page.get_by_role("link", name="Log in").click()
    page.wait_for_url(f"{address}/runs/{run}")
    assert "octo/secret" in page.inner_text("header")
    page.goto(f"{address}/")
    assert "alice" in page.inner_text("header")
    page.get_by_role("button", name="Log out").click()
    assert "octo/secret" not in page.inner_text("main")
    assert page.goto(f"{address}/runs/{run}").status == 403


def test_filter_works_by_keyboard(viewer, served, store):
    for job in (PUBLIC, replace(PUBLIC, repository="octo/other")):
        with store.write() as unit:
            attempt = unit.runs.start(unit.runs.ask(job).id, lease=60, limit=3)
            assert isinstance(attempt, Attempt)
            document = json.loads(json.dumps(report_document(samples.full_report())))
            unit.runs.finish(attempt, document)
    page = viewer.open(f"{served()}/")
    page.get_by_label("Repository").focus()
    page.keyboard.type("octo/other")
    page.keyboard.press("Enter")
    page.wait_for_url("**repository=octo*")
    assert page.locator("section[aria-labelledby=runs] tbody tr").count() == 1

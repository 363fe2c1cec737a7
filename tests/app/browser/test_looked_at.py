"""Every page in a browser, narrow and dark, and one of each kind wide and light.

axe-core finds nothing on any.
"""

from dataclasses import replace
from functools import partial

import pytest

from analyzers.vocabulary import Conclusion
from app.access import Access
from scripts.review_picture import Comment, as_html, page_of
from tests.app.test_pages import PUBLIC, link
from tests.worker.report import samples
from tests.worker.report.test_layer_errors import LAYERS, document
from tests.worker.report.test_property_reproducer import DEFECTS
from worker.report.artifacts import write_artifacts
from worker.report.html_report import page_of_document, to_html
from worker.report.json_report import report_document
from worker.report.markdown_report import finding_text, suggestion_text, summary
from worker.report.stored_report import stored
from worker.store.records import WorkerRecord, WorkerState

pytestmark = pytest.mark.slow

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> `<b>` "onload=x" \u202eevil'
LONG = "averyveryverylongnamewithoutanyplacetobreak" * 6
LOOKS = ("wide", "narrow")


def looks(wide, *others):
    """Return parameters: every page narrow, where long texts do not fit, one of them wide too."""
    pages = [(wide, "wide"), *((name, "narrow") for name in (wide, *others))]
    return pytest.mark.parametrize(("name", "look"), pages)


PICTURES = (
    "Promise.all([...document.images].map(each => { each.loading = 'eager';"
    " return each.decode().then(() => true, () => false); })).then(all => all.every(Boolean))"
)


def hostile():
    path = f"{LONG}/{HOSTILE}.py"
    finding = samples.crash(title=HOSTILE, message=f"{HOSTILE}\n{LONG}", path=path)
    return samples.report(finding, repository=f"{LONG}/{HOSTILE}", environment=(HOSTILE, LONG))


def many(count):
    finding = samples.crash()
    return samples.report(*(replace(finding, line=n, symbol=f"a.py::f{n}") for n in range(count)))


REPORTS = {
    "full": samples.full_report,
    "hostile": hostile,
    "100-findings": partial(many, 100),
    "none": samples.report,
    "our-failure": lambda: samples.report(broken=(samples.BROKEN,), conclusion=Conclusion.ERROR),
}


@pytest.fixture
def waiting(store):
    def ask(job=PUBLIC, progress=None):
        with store.write() as unit:
            run = unit.runs.ask(job).id
            if progress:
                unit.runs.progress(unit.runs.start(run, lease=60, limit=3), progress)
        return run

    return ask


@looks("full")
def test_report_of_a_run(name, look, viewer, served, finished):
    page = viewer.look(f"{served()}/runs/{finished(REPORTS[name]())}", look)
    assert page.locator("h1").inner_text()
    assert page.evaluate(PICTURES)


@looks("hostile", "100-findings", "none", "our-failure")
def test_report_as_a_file(name, look, viewer, tmp_path):
    report = REPORTS[name]()
    files = write_artifacts(report, tmp_path, samples.SOURCES, samples.FIXED)
    path = tmp_path / "report.html"
    path.write_text(to_html(report, files), encoding="utf-8")
    page = viewer.look(path.as_uri(), look)
    assert page.evaluate(PICTURES)


@pytest.mark.parametrize("look", LOOKS)
def test_report_on_deep_learning(look, viewer, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of_document(document(LAYERS), lambda _name: None), encoding="utf-8")
    page = viewer.look(path.as_uri(), look)
    told = page.locator("figcaption").all_inner_texts()
    for title in ("The call", "Should agree with", "onnxruntime-torchscript", "Double precision"):
        assert title in told
    assert page.locator("svg.heat").count() >= 2
    assert page.locator("svg.chart").get_by_text("▸ avg_pool2d").is_visible()


@looks("running", "queued", "failed", "cancelled")
def test_run_without_a_report(name, look, viewer, served, store, waiting):
    told = "testing function 2 of 5: a.py::f; 1 finding so far; about 40 s left"
    run = waiting(progress=f"{told}\nfailure, a.py:3: `x` {HOSTILE} {LONG}"[:1900])
    if name == "queued":
        run = waiting(replace(PUBLIC, repository=f"octo/{LONG}"))
    with store.write() as unit:
        if name == "failed":
            unit.runs.stop(run, f"{HOSTILE} {LONG}")
        if name == "cancelled":
            unit.runs.cancel(run, "superseded by ccccccc")
    viewer.look(f"{served()}/runs/{run}", look)


@looks("login", "expired", "missing")
def test_page_that_does_not_open(name, look, viewer, served, services, finished):
    run = finished(samples.full_report(), replace(PUBLIC, private=True))
    address = {
        "expired": f"/runs/{run}?{link(services, run, -60)}",
        "missing": f"/runs/{'a' * 32}",
        "login": f"/runs/{run}",
    }[name]
    page = viewer.look(f"{served()}{address}", look)
    assert page.answer.status in (403, 404)


@looks("operator", "empty", "stranger", "repository")
def test_dashboard(name, look, viewer, served, store, finished, waiting):
    if name != "empty":
        for number in range(24):
            shown = samples.report() if number % 3 else samples.full_report()
            finished(shown, replace(PUBLIC, repository=f"octo/app-{number % 4 * 5}"))
        waiting(progress="testing function 2 of 5: a.py::f; about 40 s left\nfailure, a.py:3: x")
        waiting(replace(PUBLIC, repository=f"octo/{LONG}"))
        with store.write() as unit:
            unit.workers_present.see(
                WorkerRecord("a" * 32, "host", WorkerState.READY, None, ("walls", LONG))
            )
    access = Everybody() if name == "operator" else Access()
    question = "?repository=octo/app-5" if name == "repository" else ""
    page = viewer.look(f"{served(access=access)}/{question}", look)
    assert ("Workers" in page.inner_text("body")) == (name == "operator")


class Everybody(Access):
    """Access of a server where everybody is an operator."""

    def is_operator(self, request):
        return True


def comments():
    findings = {
        "crash": samples.crash(),
        "recall": samples.low_recall(),
        "sentiment": samples.mixed_sentiment(),
        "branch": samples.dead_branch(),
        "changed": samples.changed(),
        **{f"property-{name}": defect for name, defect in list(DEFECTS.items())[:3]},
        "hostile": hostile().findings[0],
    }
    for name, finding in findings.items():
        report = samples.report(finding)
        told = stored(report_document(report))
        text = finding_text(told.findings[0], told, change=suggestion_text(told.findings[0]))
        yield name, Comment(finding.path, as_html(text))
    told = summary(stored(report_document(many(500))))
    yield "summary", Comment("assayer", as_html(told), bot=True)


@pytest.mark.parametrize("look", LOOKS)
def test_ten_comments(look, viewer, tmp_path):
    shown = [comment for _, comment in comments()]
    assert len(shown) == 10
    path = tmp_path / "comments.html"
    path.write_text(page_of(shown), encoding="utf-8")
    page = viewer.look(path.as_uri(), look)
    assert page.locator("script").count() == 0
    assert page.locator("img[onerror]").count() == 0

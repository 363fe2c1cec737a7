import json
from pathlib import PurePath
from xml.etree import ElementTree

import pytest

from analyzers.vocabulary import (
    Conclusion,
    Skipped,
    Suggestion,
    TargetCounters,
    Tested,
    TestedTarget,
)
from tests.worker.report import samples
from worker.report.artifacts import write_artifacts
from worker.report.format_names import FORMAT_NAMES, format_of
from worker.report.report_formats import (
    FORMATS,
    RenderOptions,
    render,
    render_stored,
)
from worker.report.report_messages import headline
from worker.report.tested_targets import read_target, untested

CONTRACT = ("text", "json", "markdown", "sarif", "junit", "html", "github", "gitlab")


def test_formats_are_the_contract_ones():
    assert tuple(FORMATS) == CONTRACT == FORMAT_NAMES


@pytest.mark.parametrize("form", CONTRACT)
@pytest.mark.parametrize("conclusion", list(Conclusion))
def test_every_verdict_has_every_form(form, conclusion):
    report = samples.report(conclusion=conclusion, head=None, partial=True)
    assert render(form, report, None, RenderOptions()).strip()


@pytest.mark.parametrize("form", CONTRACT)
def test_only_verified_suggestions_are_shown(form):
    """Nothing of one that was not tried stands anywhere; of a tried one the new line does."""
    unlike = "word_that_only_the_suggestion_has"

    def shown(**state):
        suggestion = Suggestion("shop/receipts.py", 12, 12, f"    return {unlike}", **state)
        text = render(
            form, samples.report(samples.crash(suggestion=suggestion)), None, RenderOptions()
        )
        return unlike in text

    assert not shown(verified=False)
    assert shown(verified=True) or form in ("junit", "gitlab")


@pytest.mark.parametrize("form", CONTRACT)
def test_stored_report_renders_as_the_fresh_one(form, tmp_path):
    """``assayer report`` makes of the JSON file what the check itself would have written."""
    report = samples.full_report()
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES)
    stored = json.loads(render("json", report, artifacts))
    fresh = render(form, report, artifacts)
    again = render_stored(form, stored, tmp_path)
    if form == "html":  # pictures are read from their files, whose names the page does not show
        assert again.count("data:image") == fresh.count("data:image") > 0
        assert len(again) == pytest.approx(len(fresh), rel=0.01)
    else:
        assert again == fresh


@pytest.mark.parametrize(
    ("name", "wanted", "form"),
    [
        ("r.json", None, "json"),
        ("r.json", "sarif", "sarif"),
        ("r.json", "html", "json"),
        ("r.sarif", None, "sarif"),
        ("r.sarif.json", None, "sarif"),
        ("gl-code-quality-report.json", None, "gitlab"),
        ("r.HTML", "json", "html"),
        ("r.md", None, "markdown"),
        ("r.xml", None, "junit"),
        ("r.txt", None, "text"),
        ("r.txt", "github", "github"),
        ("report", "junit", "junit"),
        ("report", None, None),
        ("/dev/stdout", "json", "json"),
    ],
)
def test_suffix_decides_the_format(name, wanted, form):
    assert format_of(PurePath(name), wanted) == form


def test_unknown_formats_are_refused():
    with pytest.raises(KeyError):
        render("pdf", samples.report())


def test_interrupted_reports_say_so():
    stopped = samples.report(conclusion=Conclusion.NEUTRAL, partial=True, interrupted=True)
    assert headline(stopped) == "Interrupted; partial results: nothing blocks"


SPENT = "the time budget was spent"
TESTS = (
    TargetCounters(executions=9, tested=Tested.YES),
    TargetCounters(
        executions=9, tested=Tested.PARTLY, reasons=("1 of 2 main branches did not run",)
    ),
    TargetCounters(tested=Tested.NO, reasons=(SPENT,)),
)


def partly_tested(**changes):
    targets = tuple(
        (target, tally) for (target, _), tally in zip(samples.TARGETS, TESTS, strict=True)
    )
    left = Skipped("assayer", targets[2][0].id, SPENT)
    changes = {"conclusion": Conclusion.NEUTRAL, "skipped": (left,), **changes}
    return samples.report(targets=targets, **changes)


def test_headline_counts_the_tested_functions():
    assert headline(partly_tested()) == "1 of 3 functions tested, 1 partly"
    failed = partly_tested(conclusion=Conclusion.ERROR)
    assert headline(failed).endswith("not yours; 1 of 3 functions tested, 1 partly")


@pytest.mark.parametrize("form", CONTRACT)
def test_every_format_counts_the_tested_functions(form):
    text = render(form, partly_tested(), None, RenderOptions())
    if form == "json":
        counted = json.loads(text)["tested"]
        assert counted == {"targets": 3, "yes": 1, "partly": 1, "no": 1}
    elif form == "junit":
        answers = [e.get("value") for e in ElementTree.fromstring(text).iter("property")]
        assert answers == ["yes", "partly", TESTS[1].reasons[0], "no", SPENT]
    elif form != "gitlab":  # a list of issues and nothing else
        assert "1 of 3 functions tested, 1 partly" in text
    if form not in ("github", "gitlab"):
        assert TESTS[1].reasons[0] in text


@pytest.mark.parametrize("form", ["text", "markdown", "sarif", "html"])
def test_reason_is_given_once(form):
    assert render(form, partly_tested(), None, RenderOptions()).count(SPENT) == 1


def test_reasons_are_grouped():
    tests = [TestedTarget(f"a.py::f{n}", Tested.NO, (SPENT,)) for n in range(7)]
    assert untested(tests) == [
        (SPENT, "a.py::f0, a.py::f1, a.py::f2, a.py::f3, a.py::f4 and 2 more")
    ]


@pytest.mark.parametrize(("executions", "answer"), [(3, Tested.YES), (0, Tested.NO)])
def test_older_reports_count_runs_alone(executions, answer):
    assert read_target({"id": "a.py::f", "executions": executions})["tested"] is answer


def test_change_that_is_no_defect_is_told_in_a_success():
    told = samples.report(samples.changed(), conclusion=Conclusion.SUCCESS)
    assert headline(told) == "No new defects"
    for form in ("text", "json", "markdown", "sarif", "junit"):
        assert "'alarm' are now 'quiet'" in render(form, told).replace("&#x27;", "'"), form

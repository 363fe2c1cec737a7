import json
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
from worker.report.report_formats import FORMATS, RenderOptions, render
from worker.report.report_messages import headline
from worker.report.tested_targets import read_target, untested

CONTRACT = ("text", "json", "markdown", "sarif", "junit", "html")


def test_formats_are_the_contract_ones():
    assert tuple(FORMATS) == CONTRACT


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
    assert shown(verified=True) or form == "junit"


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
    else:
        assert "1 of 3 functions tested, 1 partly" in text
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
    assert read_target({"id": "a.py::f", "executions": executions}).tested is answer


def test_change_that_is_no_defect_is_told_in_a_success():
    told = samples.report(samples.changed(), conclusion=Conclusion.SUCCESS)
    assert headline(told) == "No new defects"
    for form in ("text", "json", "markdown", "sarif", "junit"):
        assert "'alarm' are now 'quiet'" in render(form, told).replace("&#x27;", "'"), form

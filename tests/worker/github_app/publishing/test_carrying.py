"""Testing a part again lets the rest pass no more than it did."""

from datetime import date

import pytest

from worker.github_app.publishing.related_runs import is_partial, merged_with_whole
from worker.store.conclusions import with_current_ignores
from worker.store.records import RunOptions

A, B = "shop.py::a", "shop.py::b"


def finding(target, fingerprint, **changes):
    values = {"level": "failure", "status": "new", "analyzer": "cloud"}
    return {"target": target, "fingerprint": fingerprint, **values, **changes}


def a_document(verdict, *findings, targets=(A, B), **changes):
    whole = {
        "verdict": verdict,
        "findings": list(findings),
        "skipped": [],
        "broken": [],
        "targets": [{"id": target, "executions": 1} for target in targets],
    }
    return {**whole, **changes}


ONLY_A = RunOptions(target=A)
WHOLE = a_document("failure", finding(A, "1" * 16), finding(B, "2" * 16))


@pytest.mark.parametrize(
    ("options", "partial"),
    [
        (RunOptions(), False),
        (RunOptions(inputs=9, seed=1), False),
        (RunOptions(target=A), True),
        (RunOptions(analyzer="cloud"), True),
    ],
)
def test_a_target_or_an_analyzer_is_a_part(options, partial):
    assert is_partial(options) is partial


def test_a_rerun_of_everything_stands_for_itself():
    document = a_document("success")
    assert merged_with_whole(document, WHOLE, RunOptions(inputs=4)) is document


def test_what_was_not_tested_again_still_fails():
    found = merged_with_whole(a_document("success", targets=[A]), WHOLE, ONLY_A)
    assert found["verdict"] == "failure"
    assert [f["target"] for f in found["findings"]] == [B]
    assert [t["id"] for t in found["targets"]] == [A, B]


def test_what_was_tested_again_counts_as_it_is_now():
    whole = a_document("failure", finding(A, "1" * 16))
    assert (
        merged_with_whole(a_document("success", targets=[A]), whole, ONLY_A)["verdict"] == "success"
    )


def test_another_analyzers_findings_stay():
    options = RunOptions(analyzer="property")
    found = merged_with_whole(a_document("success"), WHOLE, options)
    assert found["verdict"] == "failure"
    assert len(found["findings"]) == 2


def test_a_new_failure_in_the_part_fails():
    document = a_document("failure", finding(A, "3" * 16), targets=[A])
    assert merged_with_whole(document, a_document("success"), ONLY_A)["verdict"] == "failure"


def test_an_outage_elsewhere_stays_an_outage():
    broken = [{"analyzer": "cloud", "target": B, "error": "timeout"}]
    whole = a_document("error", broken=broken)
    assert (
        merged_with_whole(a_document("success", targets=[A]), whole, ONLY_A)["verdict"] == "error"
    )


def bug(target, api="torch.lcm"):
    told = dict.fromkeys(("relation", "related", "call", "outcome", "expected"), "x")
    place = {"analyzer": "relations", "target": target, "path": "a.py", "line": 1}
    return {**place, **told, "api": api, "rule": "crash", "library_version": "2.13.0"}


def test_appendix_is_taken_over_where_nothing_was_tested_again():
    whole = a_document("success", appendix=[bug(A), bug(B, "torch.gcd"), bug(B)])
    document = a_document("success", targets=[A], appendix=[bug(A)])
    found = merged_with_whole(document, whole, ONLY_A)
    assert [(b["target"], b["api"]) for b in found["appendix"]] == [
        (A, "torch.lcm"),
        (B, "torch.gcd"),
    ]
    assert found["verdict"] == "success"


def test_advice_elsewhere_stays_advice():
    whole = a_document("neutral", finding(B, "2" * 16, level="warning"))
    assert (
        merged_with_whole(a_document("success", targets=[A]), whole, ONLY_A)["verdict"] == "neutral"
    )


def test_without_a_run_of_everything_nothing_passes():
    found = merged_with_whole(a_document("success", targets=[A]), None, ONLY_A)
    assert found["partial"] is True
    assert with_current_ignores(found, (), date(2027, 1, 1))["verdict"] == "error"


def test_function_left_untested_elsewhere_keeps_it_neutral():
    whole = a_document("neutral")
    for target in whole["targets"]:
        target["tested"] = "yes" if target["id"] == A else "no"
    assert (
        merged_with_whole(a_document("success", targets=[A]), whole, ONLY_A)["verdict"] == "neutral"
    )


def test_nothing_to_test_in_both_is_nothing_to_test():
    document = a_document("skipped", targets=[])
    assert merged_with_whole(document, document, ONLY_A)["verdict"] == "skipped"

"""What the judges say of small programs: every case has its expected verdicts beside it."""

from dataclasses import replace
from pathlib import Path

import pytest

from analyzers.cloud.cloud_analyzer import CloudAnalyzer
from analyzers.cloud.repairs.related_words import related
from analyzers.criteria import is_shown, translate
from analyzers.vocabulary import Broken, Finding, Skipped, Status
from tests.analyzers.cloud.bench import PATH, FakeBench, full, read
from worker.executor.execution_context import apply_suggestion

CASES = sorted((Path(__file__).parent / "cases").glob("*.toml"))
EVIDENCE = {
    "cloud/low-recall": "goal wanted inputs reached recall interval threshold",
    "cloud/dead-branch": "goal proof bound",
    "cloud/unknown-label": "label vocabulary closest",
    "cloud/mixed-sentiment": "positive negative",
    "cloud/misuse": "misuse api line",
    "cloud/crash": "exception raised_at answer",
    "code/error": "exception raised_at inputs",
    "behaviour/changed": "inputs changed examples",
}
COUNTS = ("inputs", "reached", "changed")

pytestmark = pytest.mark.skipif(not related.available(), reason="wordnet-base is absent")


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case_is_judged_as_expected(file):
    case, expected = read(file)
    bench = FakeBench(case)
    verdicts = list(CloudAnalyzer().examine(case.target, bench))
    verdicts_are_those_expected(expected, bench, verdicts)
    found = findings(verdicts)
    one_cause_is_one_finding(found)
    for finding in found:
        finding_holds_what_the_contract_says(case, finding)
        finding_is_its_own_test(bench, finding)
        suggestion_removes_its_finding(case, finding)


def findings(verdicts) -> list[Finding]:
    return [verdict for verdict in verdicts if isinstance(verdict, Finding)]


def caused_by(finding: Finding) -> list[str]:
    """The readings that a finding is about, else what it says."""
    evidence = finding.evidence
    return evidence.get("wanted") or [evidence.get("label") or finding.title]


def verdicts_are_those_expected(expected, bench, verdicts):
    found = findings(verdicts)
    assert [(f.rule, f.level, f.line) for f in found] == [
        (e["rule"], e["level"], e["line"]) for e in expected["findings"]
    ]
    for finding, wanted in zip(found, expected["findings"], strict=True):
        assert {k: finding.evidence.get(k) for k in wanted.get("evidence", {})} == wanted.get(
            "evidence", {}
        )
        assert wanted.get("says", "") in f"{finding.title}\n{finding.message}"
        suggested = finding.suggestion and finding.suggestion.replacement.strip()
        assert suggested == wanted.get("suggestion")
    reasons = [verdict.reason for verdict in verdicts if isinstance(verdict, Skipped)]
    assert len(reasons) == len(expected["skipped"]), reasons
    for reason, wanted in zip(reasons, expected["skipped"], strict=True):
        assert wanted in reason
    assert bench.proved == [full(goal) for goal in expected["proved"]]
    assert not any(isinstance(verdict, Broken) for verdict in verdicts)


def one_cause_is_one_finding(found):
    assert len({finding.fingerprint for finding in found}) == len(found)
    causes = [(f.evidence.get("goal", f.symbol), said) for f in found for said in caused_by(f)]
    assert len(set(causes)) == len(causes)


def finding_holds_what_the_contract_says(case, finding):
    assert set(EVIDENCE[finding.rule].split()) <= set(finding.evidence)
    counts = [finding.evidence[name] for name in COUNTS if name in finding.evidence]
    assert all(type(count) is int for count in counts)
    if finding.rule == "cloud/low-recall" and finding.suggestion is None:
        assert finding.evidence["no_repair"]
    assert (finding.path, finding.target) == (PATH, case.target.id)
    assert 1 <= finding.line <= finding.end_line <= len(case.source.splitlines())


def finding_is_its_own_test(bench, finding):
    assert finding.probes
    assert all(probe.script is not None for probe in finding.probes)
    shown = is_shown(finding.criterion, bench.run(finding.probes))
    assert shown is (finding.status is not Status.FIXED)


def suggestion_removes_its_finding(case, finding):
    if finding.suggestion is None:
        return
    changed = apply_suggestion(case.source, finding.suggestion)
    criterion = translate(finding.criterion, PATH, case.source, changed)
    runs = FakeBench(replace(case, source=changed)).run(finding.probes)
    assert not is_shown(criterion, runs)

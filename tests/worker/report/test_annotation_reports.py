import json
import re

from jsonschema import Draft202012Validator

from analyzers.vocabulary import Level, Status
from tests.worker.report import samples
from worker.report.report_formats import render

LINES = {
    "type": "object",
    "required": ["begin"],
    "properties": {"begin": {"type": "integer", "minimum": 1}, "end": {"type": "integer"}},
    "additionalProperties": False,
}
CODE_QUALITY = Draft202012Validator(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "minLength": 1},
                "fingerprint": {"type": "string", "minLength": 1},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": {"type": "string", "pattern": r"^(?!\./|/)"},
                        "lines": LINES,
                    },
                },
            },
        },
    }
)
"""The fields that GitLab's page on code quality documents."""
COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\n]*,?)+)::([^\n]*)")


def annotations(report):
    lines = render("github", report).splitlines()
    found = [COMMAND.fullmatch(line) for line in lines[:-1]]
    assert all(found), lines
    return [(m[1], dict(each.split("=", 1) for each in m[2].split(",")), m[3]) for m in found]


def test_new_findings_are_annotated_where_they_are():
    [(level, properties, said)] = annotations(samples.report(samples.crash()))
    assert level == "error"
    assert (properties["file"], properties["line"]) == ("shop/receipts.py", "12")
    assert "cloud/crash" in properties["title"]
    assert said


def test_only_new_findings_are_annotated():
    old = samples.crash(status=Status.EXISTING)
    ignored = samples.low_recall()
    report = samples.report(
        old, ignored, samples.changed(), ignored={ignored.fingerprint: {"reason": "known"}}
    )
    assert [level for level, _, _ in annotations(report)] == ["notice"]


def test_verdict_is_the_last_line():
    assert (
        render("github", samples.full_report())
        .splitlines()[-1]
        .startswith("Assayer: 3 new findings block.")
    )


def test_findings_give_the_runner_no_commands():
    """A text of the tested code neither begins a line nor ends an annotation's properties."""
    hostile = "x\n::set-output name=a::b\r::error file=c,line=1::d % ,:"
    report = samples.report(samples.crash(message=hostile, title=hostile, path="a,b::c.py"))
    [(_, properties, said)] = annotations(report)
    assert properties["file"] == "a%2Cb%3A%3Ac.py"
    assert "%0A::set-output name=a::b%0D::error" in said
    assert said.startswith("x")


def test_code_quality_has_gitlabs_fields():
    report = samples.full_report()
    issues = json.loads(render("gitlab", report))
    CODE_QUALITY.validate(issues)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == len(report.findings)


def test_severity_says_what_blocks():
    warning = samples.low_recall(level=Level.WARNING)
    old = samples.mixed_sentiment()
    issues = json.loads(render("gitlab", samples.report(samples.crash(), warning, old)))
    assert {issue["check_name"]: issue["severity"] for issue in issues} == {
        "cloud/crash": "blocker",
        "cloud/low-recall": "minor",
        "cloud/mixed-sentiment": "info",
    }


def test_clean_report_has_no_issues():
    assert json.loads(render("gitlab", samples.report())) == []

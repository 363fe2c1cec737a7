import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from tests.worker.report import samples
from worker.report.sarif_report import sarif_document, to_sarif

SCHEMA = Draft4Validator(
    json.loads(Path(__file__).with_name("sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
)


def results(report):
    return {r["ruleId"]: r for r in sarif_document(report)["runs"][0]["results"]}


@pytest.mark.parametrize(
    "report", [samples.report(), samples.full_report(), samples.report(broken=(samples.BROKEN,))]
)
def test_matches_the_official_schema(report):
    SCHEMA.validate(json.loads(to_sarif(report)))


def test_results_are_identified_by_fingerprint():
    finding = samples.crash()
    [result] = results(samples.report(finding)).values()
    assert result["partialFingerprints"] == {"assayer/v1": finding.fingerprint}
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 12, "endLine": 12}


def test_levels_and_baselines_are_mapped():
    found = results(samples.full_report())
    assert found["cloud/crash"]["level"] == "error"
    assert found["cloud/crash"]["baselineState"] == "new"
    assert found["cloud/mixed-sentiment"]["level"] == "warning"
    assert found["cloud/mixed-sentiment"]["baselineState"] == "unchanged"


def test_ignored_findings_are_suppressed():
    finding = samples.crash()
    report = samples.report(finding, ignored={finding.fingerprint: {"reason": "known"}})
    SCHEMA.validate(sarif_document(report))
    [result] = results(report).values()
    assert result["suppressions"] == [{"kind": "external", "justification": "known"}]


def test_every_result_names_its_rule():
    run = sarif_document(samples.full_report())["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(rule["help"]["text"] for rule in rules)


def test_only_verified_fixes_are_offered():
    found = results(samples.full_report())
    [change] = found["cloud/low-recall"]["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["deletedRegion"]["startLine"] == 12
    assert "fixes" not in found["cloud/mixed-sentiment"]

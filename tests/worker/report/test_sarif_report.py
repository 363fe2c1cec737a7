import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from analyzers.vocabulary import Status
from tests.worker.report import samples
from tests.worker.report.rendering import sarif_document, to_sarif
from worker.report.artifacts import write_artifacts
from worker.report.line_hashes import line_hashes

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


def test_region_and_hash_are_of_the_code(tmp_path):
    report = samples.report(samples.crash(line=11))
    artifacts = write_artifacts(report, tmp_path, samples.SOURCES)
    [result] = sarif_document(report, artifacts)["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    first, last = samples.RECEIPTS.splitlines()[10:12]
    assert first[region["startColumn"] - 1 :] == first.strip()
    assert last[: region["endColumn"] - 1] == last.rstrip()
    assert (region["startLine"], region["endLine"]) == (11, 12)
    hashed = result["partialFingerprints"]["primaryLocationLineHash"]
    assert hashed == line_hashes(samples.RECEIPTS)[10]


def test_region_without_the_code_is_of_whole_lines():
    [result] = results(samples.report(samples.crash())).values()
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 12, "startColumn": 1, "endLine": 13, "endColumn": 1}


def test_everything_is_there_that_github_asks_for(tmp_path):
    """The properties that GitHub's page on SARIF support marks as required, and their limits."""
    report = samples.full_report()
    document = sarif_document(report, write_artifacts(report, tmp_path, samples.SOURCES))
    assert (document["version"], bool(document["$schema"])) == ("2.1.0", True)
    [run] = document["runs"]
    assert run["tool"]["driver"]["name"] == "Assayer"
    for rule in run["tool"]["driver"]["rules"]:
        assert 0 < len(rule["id"]) <= 255
        for name in ("shortDescription", "fullDescription"):
            assert 0 < len(rule[name]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"].startswith("# ")
        assert rule["properties"]["precision"] in ("very-high", "high", "medium", "low")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert len(rule["properties"]["tags"]) <= 20
    assert run["results"]
    for result in run["results"]:
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert not place["artifactLocation"]["uri"].startswith(("/", ".."))
        assert all(
            place["region"][f"{end}{of}"] > 0
            for end in ("start", "end")
            for of in ("Line", "Column")
        )
        assert set(result["partialFingerprints"]) == {"assayer/v1", "primaryLocationLineHash"}
        assert result["baselineState"] in ("new", "unchanged")


def test_security_severity_only_where_the_process_dies():
    severe = samples.crash(rule="relation/crash")
    rules = sarif_document(samples.report(severe, samples.low_recall()))["runs"][0]["tool"][
        "driver"
    ]["rules"]
    scores = {rule["id"]: rule["properties"].get("security-severity") for rule in rules}
    assert scores == {"relation/crash": "5.3", "cloud/low-recall": None}
    assert ["security" in rule["properties"]["tags"] for rule in rules] == [False, True]


def test_flaky_findings_are_notes():
    [result] = results(samples.report(samples.crash(status=Status.FLAKY))).values()
    assert (result["level"], result["baselineState"]) == ("note", "new")


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
    whole = {"startLine": 12, "startColumn": 1, "endLine": 13, "endColumn": 1}
    assert change["replacements"][0]["deletedRegion"] == whole
    assert "fixes" not in found["cloud/mixed-sentiment"]

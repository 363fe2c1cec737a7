"""Labels of pictures, with Google's and Openverse's own protocols on the loopback."""

from pathlib import Path

import pytest

from tests.end_to_end.commandline import home
from tests.end_to_end.defects import PICTURES
from tests.end_to_end.outside import KEY
from tests.end_to_end.repositories import git
from tests.end_to_end.test_planted import target

pytestmark = pytest.mark.slow

BRANCH = ("--base", "main", "--head", "planted")
FIRE, PANTS = PICTURES
VISITOR = "watch.py::visitor"


@pytest.fixture(scope="module")
def offline_first(pictures, outside):
    """A run without a network before anything was recorded, and what was asked for it."""
    before = len(outside.asked)
    checked = pictures.check("offline", *BRANCH, "--offline")
    return checked, outside.asked[before:]


@pytest.fixture(scope="module")
def online(pictures, offline_first):
    return pictures.check("online", *BRANCH)


@pytest.fixture
def without_services(outside):
    """Both services fail; how often they were asked."""
    outside.trouble, outside.asked[:] = 503, []
    yield outside.asked
    outside.trouble = 0


def same(report):
    """What a report says; how often the search tried depends on the machine's speed."""
    said = ("fingerprint", "rule", "level", "status", "path", "line", "evidence", "suggestion")
    findings = [{name: finding[name] for name in said} for finding in report["findings"]]
    return report["verdict"], sorted(findings, key=lambda finding: finding["fingerprint"])


@pytest.mark.parametrize("defect", PICTURES, ids=str)
def test_planted_label_defect_is_found_once(online, defect):
    finding = online.about(defect.path, defect.line)
    assert finding["rule"] == defect.rule
    assert (finding["level"], finding["status"]) == (defect.level, defect.status)
    assert finding["target"] == defect.target


def test_nothing_else_is_found(online):
    assert len(online.findings) == len(PICTURES)
    assert (online.status, online.report["broken"]) == (1, [])


def test_fire_alarm_has_a_recall_with_its_interval(online):
    evidence = online.about(FIRE.path, FIRE.line)["evidence"]
    assert (evidence["inputs"], evidence["reached"]) == (10, 4)
    assert evidence["recall"] == pytest.approx(0.4)
    low, high = evidence["interval"]
    assert 0.1 < low < 0.4 < high < evidence["threshold"] == 0.75


def test_fire_alarm_gets_a_label_that_helps(online):
    finding = online.about(FIRE.path, FIRE.line)
    assert finding["evidence"]["added_labels"] == ["Flame"]
    assert finding["evidence"]["recall_after"] == pytest.approx(0.8)
    assert finding["suggestion"]["verified"] is True
    assert "Flame" in finding["suggestion"]["replacement"]


def test_suggestion_really_raises_the_recall(online, pictures):
    suggestion = online.about(FIRE.path, FIRE.line)["suggestion"]
    tree = pictures.branch("planted")
    lines = (tree / suggestion["path"]).read_text(encoding="utf-8").splitlines()
    start, end = suggestion["start_line"] - 1, suggestion["end_line"]
    lines[start:end] = suggestion["replacement"].splitlines()
    (tree / suggestion["path"]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    again = pictures.home.check(tree, pictures.folder / "applied", "--target", FIRE.target)
    git(tree, "checkout", "--quiet", "--", ".")
    assert again.findings == []
    assert (again.status, again.report["verdict"]) == (0, "success")


def test_good_recall_is_no_finding(online):
    tested = target(online, VISITOR)
    assert tested["goals"]["reached"] == tested["goals"]["total"]
    assert not [finding for finding in online.findings if finding["target"] == VISITOR]


def test_unknown_label_names_the_closest(online):
    evidence = online.about(PANTS.path, PANTS.line)["evidence"]
    assert evidence["label"] == "Pants"
    assert evidence["closest"] == "Trousers"


def test_pictures_carry_their_licence(online):
    pictures = online.about(FIRE.path, FIRE.line)["inputs"]
    assert {picture["kind"] for picture in pictures} == {"image"}
    assert all((online.folder / picture["file"]).is_file() for picture in pictures)


def test_every_question_carries_the_key(online, outside):
    assert outside.keys == {KEY}


def test_key_is_nowhere_in_the_report(online):
    texts = [path for path in online.folder.rglob("*") if path.suffix in {".json", ".py"}]
    assert texts
    assert not [path for path in texts if KEY in path.read_text(encoding="utf-8")]
    assert KEY not in online.ended.said


def test_questions_are_paid_once(online):
    cost = online.report["cost"]
    assert cost["api_calls"] > 0
    assert cost["api_calls_refused"] == 0


def test_second_run_needs_no_service(online, pictures, without_services):
    again = pictures.check("again", *BRANCH, "--fresh")
    assert without_services == []
    assert again.report["cost"]["api_calls"] == 0
    assert again.report["cost"]["api_calls_cached"] > 0
    assert same(again.report) == same(online.report)


def test_clean_twin_gets_no_finding(online, pictures):
    checked = pictures.check("twin", "--base", "main", "--head", "twin")
    assert checked.findings == []
    assert (checked.status, checked.report["verdict"]) == (0, "success")


def test_offline_asks_nobody(offline_first):
    checked, asked = offline_first
    assert asked == []
    assert checked.report["cost"]["api_calls"] == 0


def test_offline_says_what_is_missing(offline_first):
    checked, _ = offline_first
    assert "--offline" in checked.reasons()
    assert (checked.status, checked.report["verdict"]) == (0, "neutral")
    assert {finding["rule"] for finding in checked.findings} == {"cloud/unknown-label"}


def test_outage_is_never_the_authors(pictures, outside, without_services, tmp_path):
    elsewhere = home(tmp_path, **outside.variables())
    checked = elsewhere.check(
        pictures.repository, tmp_path / "outage", *BRANCH, "--target", FIRE.target
    )
    assert checked.findings == []
    assert (checked.status, checked.report["verdict"]) == (3, "error")
    assert "503" in "".join(broken["error"] for broken in checked.report["broken"])
    assert "Traceback" not in checked.ended.said
    assert 0 < len(without_services) < 20


def test_network_that_stands_in_for_a_missing_engine_is_named(pictures, tmp_path):
    bare = home(tmp_path)
    checked = bare.check(pictures.repository, tmp_path / "bare", *BRANCH, "--target", FIRE.target)
    assert (checked.findings, checked.status) == ([], 0)
    (stands_in,) = [e for e in checked.report["environment"] if e.startswith("google.vision.")]
    assert stands_in.startswith("google.vision.label_detection: local-")


def test_missing_secret_is_said(pictures, outside, tmp_path):
    keyless = home(tmp_path, **{**outside.variables(), "VISION_KEY": ""})
    checked = keyless.check(
        pictures.repository, Path(tmp_path / "keyless"), *BRANCH, "--target", FIRE.target
    )
    assert checked.findings == []
    assert "VISION_KEY" in checked.reasons() + checked.ended.err

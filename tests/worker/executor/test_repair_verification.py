"""Changes are tried in order; the first that is verified is suggested."""

from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.vocabulary import (
    AnswerSource,
    Candidate,
    Exchange,
    Misses,
    Suggestion,
    Written,
)
from tests.analyzers.cloud.bench import goals
from tests.analyzers.samples import finding
from tests.worker.report.rendering import to_markdown, to_text
from tests.worker.report.samples import full_report
from tests.worker.sessions import LABELS, answered, laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.recipe_names import imported_names
from worker.report.html_report import to_html
from worker.report.json_report import report_document
from worker.report.stored_report import stored

ALARM = """\
import numpy as np
def check(path):
    seen = labels()
    if "Fire" in seen:
        return "alarm"
    return "quiet"
"""
GOAL = next(goals(ALARM))
MISS = finding(
    rule="cloud/low-recall",
    message="1 of 3 reach it.",
    evidence={"recall": 0.3333},
    criterion=Misses(GOAL, 0.75),
    probes=(answered("Fire"), answered("Flame"), answered("Flame")),
)


def candidate(*labels, **more):
    tests = " or ".join(f'"{label}" in seen' for label in ("Fire", *labels))
    said = ", ".join(labels)
    return Candidate(
        Suggestion("app.py", 4, 4, f"    if {tests}:"),
        f"also check {said}",
        {"added_labels": list(labels), "recall_after": 0.9},
        f"Also checking {said} raises the recall to 90 %.",
        **more,
    )


def simulated(probe):
    script = (Exchange(LABELS, "", probe.script[0].answer, AnswerSource.SIMULATED),)
    return replace(probe, script=script)


@pytest.fixture
def confirm(tmp_path, sessions):
    """Confirms a finding on a head of some files and an empty base."""

    def confirm(found, **files):
        texts = {"app": ALARM, **files}
        made = laboratory(tree(tmp_path / "head", **texts), tree(tmp_path / "base", app=""))
        before = BaseTarget(made, target(), ())
        with closing(before), closing(Confirmer(made, target(), before)) as confirmer:
            return confirmer.confirmed(found, ())

    return confirm


def test_next_candidate_is_tried(confirm):
    found = confirm(MISS.with_candidates(candidate("Smoke"), candidate("Flame")))
    assert found.suggestion.verified
    assert found.evidence["added_labels"] == ["Flame"]
    assert found.message == "1 of 3 reach it.\nAlso checking Flame raises the recall to 90 %."


def test_refuted_figures_leave_the_finding(confirm):
    found = confirm(MISS.with_candidates(candidate("Smoke"), candidate("Ash")))
    assert found.suggestion is None
    assert found.message == "1 of 3 reach it."
    tried = "tried: also check Smoke (does not help), also check Ash (does not help)"
    assert found.evidence == {"recall": 0.3333, "no_repair": tried}


def test_refuted_sentence_leaves_what_was_said_after_it(confirm):
    found = MISS.with_candidates(candidate("Smoke"))
    found = confirm(replace(found, message=f"{found.message} Another provider reaches 3 of 3."))
    assert found.message == "1 of 3 reach it. Another provider reaches 3 of 3."


def test_spent_time_leaves_candidates_untried(confirm, monkeypatch):
    monkeypatch.setattr("worker.executor.repair_verification.SECONDS", -1.0)
    found = confirm(MISS.with_candidates(candidate("Smoke"), candidate("Flame")))
    assert "also check Flame (not tried" in found.evidence["no_repair"]


def test_simulated_answers_verify_no_label(confirm):
    probes = tuple(map(simulated, MISS.probes))
    found = confirm(replace(MISS, probes=probes).with_candidates(candidate("Flame")))
    assert not found.suggestion.verified
    assert "simulated answers only" in found.suggestion.unverified


@pytest.mark.parametrize(
    ("names", "verified", "reason"),
    [
        (["Flame"] * 3, True, ""),
        (["Flame", "Ash", "Ash"], None, "1 of 3 inputs that are meant"),
    ],
)
def test_inputs_of_the_wanted_label_verify(confirm, names, verified, reason):
    meant = tuple(map(answered, names))
    probes = tuple(map(simulated, MISS.probes))
    change = candidate("Flame", meant=meant, threshold=0.75)
    found = confirm(replace(MISS, probes=probes).with_candidates(change))
    assert (found.suggestion and found.suggestion.verified) is verified
    assert reason in found.evidence.get("no_repair", "")


@pytest.mark.parametrize(
    ("after", "kept", "said"),
    [
        ({"a.py::t": True, "a.py::u": False}, True, "1 pass as before"),
        ({"a.py": True}, True, "0 pass as before; 1 could not be run again"),
        ({"a.py::t": False, "a.py::u": True}, False, "breaks the test a.py::t"),
        ({"a.py": False}, False, "breaks the test a.py"),
        ({}, False, "ends the process"),
    ],
)
def test_broken_project_test_refuses_the_change(confirm, sessions, monkeypatch, after, kept, said):
    def outcomes(self, tests, seconds):
        before = {"a.py": True, "a.py::t": True, "a.py::u": False}
        return after if "Flame" in self.source else before

    monkeypatch.setattr(sessions, "test", outcomes)
    found = confirm(MISS.with_candidates(candidate("Flame")), test_app="from app import check\n")
    assert (found.suggestion is not None) is kept
    assert said in found.evidence["repair_tests" if kept else "no_repair"]


def test_tests_that_do_not_run_are_named(confirm):
    found = confirm(MISS.with_candidates(candidate("Flame")), test_app="from app import check\n")
    assert found.suggestion.verified
    assert found.evidence["repair_tests"] == "no test of the project could be run"


OLD = "import os\ndef check(path):\n    return os.environ['AZURE_ENDPONIT']\n"
MISSPELT = finding(
    rule="code/error", probes=(), criterion=Written("app.py", "os.environ['AZURE_ENDPONIT']")
)


def respelled(text="os.environ['AZURE_ENDPOINT']"):
    return MISSPELT.with_candidates(Candidate(Suggestion("app.py", 3, 3, f"    return {text}")))


@pytest.mark.parametrize(
    ("state", "verified"), [("there", True), ("missing", None), ("absent", None)]
)
def test_library_must_have_the_names(confirm, sessions, monkeypatch, state, verified):
    monkeypatch.setattr(sessions, "resolve", lambda _self, names: dict.fromkeys(names, state))
    suggestion = confirm(respelled("os.getenv('AZURE_ENDPOINT')"), app=OLD).suggestion
    assert (suggestion and suggestion.verified) is verified


def test_unchanged_file_is_not_verified_by_reading(tmp_path, sessions):
    head, base = (tree(tmp_path / name, app=OLD) for name in ("head", "base"))
    made = laboratory(head, base)
    before = BaseTarget(made, target(), ())
    with closing(before), closing(Confirmer(made, target(), before)) as confirmer:
        found = confirmer.confirmed(respelled(), ())
    assert "does not touch" in found.suggestion.unverified


def test_names_follow_the_imports():
    text = "import tensorflow as tf\nfrom os import path as p\ny = tf.io.gfile.GFile(p.sep)\n"
    names = imported_names(text, 3, 3, ())
    assert names == {"tensorflow.io.gfile.GFile", "os.path.sep"}
    assert imported_names(text, 3, 3, ("tensorflow",)) == {"os.path.sep"}


@pytest.mark.parametrize("form", [to_text, to_markdown, to_html])
def test_unverified_change_says_so(form):
    report = full_report()
    change = Suggestion("shop/alarm.py", 12, 12, "    pass", unverified="nobody ran it")
    found = replace(report.findings[1], suggestion=change)
    told = form(replace(report, findings=(found,)))
    assert "Not verified: nobody ran it" in told
    assert "```suggestion" not in told


def test_document_keeps_the_reason():
    report = full_report()
    change = Suggestion("shop/alarm.py", 12, 12, "    pass", unverified="nobody ran it")
    document = report_document(
        replace(report, findings=(replace(report.findings[1], suggestion=change),))
    )
    assert document["findings"][0]["suggestion"]["verified"] is False
    assert stored(document).findings[0].suggestion == change

"""When runs show a defect, and when they do not."""

from dataclasses import replace

import pytest

from analyzers.judging import (
    crash_of,
    decided,
    located,
    reached,
    shows,
    tells,
    translate,
    wants_world,
)
from analyzers.vocabulary import (
    Constant,
    Crashes,
    Died,
    Misses,
    Mixes,
    NotRun,
    Outcome,
    Returned,
    TimedOut,
)
from tests.analyzers.samples import SOURCE, goal, raised, run

TRUE, FALSE = "app.py::check#0:true", "app.py::check#0:false"


def test_goal_ids_follow_the_protocol():
    assert goal().id == TRUE
    assert goal(clause=1, outcome=Outcome.FALSE).id == "app.py::check#0.1:false"
    assert goal(clause=0, member="'a'").id == "app.py::check#0.0='a':true"
    assert goal(clause=1, text="x").whole(Outcome.FALSE).id == FALSE


def test_clause_goal_is_reached_by_its_decision():
    assert reached(goal(clause=1), run(TRUE))
    assert not reached(goal(clause=1), run(FALSE))


@pytest.mark.parametrize(
    ("ending", "crash"),
    [
        (raised(), ("IndexError", "app.py", "check")),
        (raised(refusal=True), None),
        (raised(standin=True), None),
        (raised(path=""), None),
        (Died(11), ("process died", "", "")),
        (TimedOut(5.0), None),
        (NotRun("no engine"), None),
        (Returned("1"), None),
    ],
)
def test_only_the_codes_own_failures_are_crashes(ending, crash):
    assert crash_of(ending) == crash


@pytest.mark.parametrize(
    "exception",
    [
        "requests.exceptions.ConnectionError",
        "httpx.ConnectError",
        "urllib.error.URLError",
        "urllib3.exceptions.MaxRetryError",
        "aiohttp.client_exceptions.ClientConnectorDNSError",
        "botocore.exceptions.EndpointConnectionError",
        "openai.APIConnectionError",
        "azure.core.exceptions.ServiceRequestError",
        "tenacity.RetryError",
        "socket.gaierror",
    ],
)
def test_refused_connection_is_nobodys_crash(exception):
    assert wants_world(raised(exception))
    assert crash_of(raised(exception)) is None
    assert not tells(goal(), run(ending=raised(exception)))


def test_run_that_missed_an_address_tells_what_it_reached():
    missed = replace(run(), outside=("example.com:443",))
    assert tells(goal(), run())
    assert not tells(goal(), missed)
    assert tells(goal(), replace(missed, hits=frozenset({FALSE})))


def test_crash_needs_the_same_exception_and_place():
    criterion = Crashes("IndexError", "app.py", "check")
    assert shows(criterion, [run(), run(ending=raised())])
    assert not shows(criterion, [run(ending=raised("KeyError"))])
    assert not shows(criterion, [run(ending=raised(function="other"))])


def test_misses_compares_the_recall_with_the_threshold():
    criterion = Misses(goal(), 0.75)
    assert shows(criterion, [run(TRUE), run(TRUE), run(FALSE)])
    assert not shows(criterion, [run(TRUE), run(TRUE), run(TRUE), run(FALSE)])
    assert not shows(criterion, [])


def test_mixes_needs_both_polarities():
    criterion = Mixes(goal(), 2, 0.25)
    assert shows(criterion, [run(TRUE), run(FALSE), run(TRUE), run(FALSE)])
    assert not shows(criterion, [run(TRUE), run(TRUE), run(FALSE), run(FALSE)])
    assert not shows(criterion, [run(TRUE), run(TRUE)])


def test_constant_is_refuted_by_the_other_outcome():
    criterion = Constant(goal())
    assert shows(criterion, [run(TRUE), run()])
    assert not shows(criterion, [run(TRUE), run(FALSE)])
    assert not shows(criterion, [run()])
    assert not shows(Constant(goal(outcome=Outcome.FALSE)), [run(TRUE)])


def test_runs_are_decided_only_when_all_ran():
    assert decided([run()])
    assert not decided([run(), run(ending=NotRun("no engine"))])
    assert not decided([])


def test_decision_is_found_again_after_lines_shift():
    moved = "import os\n\n" + SOURCE
    found = translate(Misses(goal(), 0.75), "app.py", SOURCE, moved)
    assert isinstance(found, Misses)
    assert (found.goal.decision, found.goal.line) == (0, 5)


def test_decision_is_found_again_when_its_condition_changes():
    patched = SOURCE.replace('"TOTAL" in text', 'text in ("TOTAL", "SUM")')
    found = translate(Misses(goal(), 0.75), "app.py", SOURCE, patched)
    assert isinstance(found, Misses)
    assert found.goal.decision_text == 'text in ("TOTAL", "SUM")'


def test_decision_is_aligned_when_another_comes_before():
    theirs = SOURCE.replace("    if", "    while not text:\n        break\n    if")
    found = translate(Misses(goal(), 0.75), "old.py", SOURCE, theirs)
    assert isinstance(found, Misses)
    assert (found.goal.path, found.goal.decision) == ("old.py", 1)


@pytest.mark.parametrize(
    "theirs", ["def other():\n    pass\n", "def check(:\n", "def check(path):\n    return 0\n"]
)
def test_missing_decision_cannot_show_the_defect(theirs):
    assert translate(Misses(goal(), 0.75), "app.py", SOURCE, theirs) is None


def test_unknown_ordinal_is_not_guessed():
    assert translate(Misses(goal(decision=7), 0.75), "app.py", SOURCE, SOURCE) is None


def test_crash_criterion_follows_a_rename():
    criterion = Crashes("IndexError", "app.py", "check")
    assert translate(criterion, "old.py", SOURCE, SOURCE) == Crashes(
        "IndexError", "old.py", "check"
    )


def test_decision_is_located_by_its_condition_first():
    theirs = SOURCE.replace("    if", "    while not text:\n        break\n    if")
    found = located(Misses(goal(), 0.75), theirs)
    assert isinstance(found, Misses)
    assert found.goal.decision == 1


def test_decision_is_located_by_its_ordinal_after_a_repair():
    found = located(Misses(goal(), 0.75), SOURCE.replace('"TOTAL"', '"SUM"'))
    assert isinstance(found, Misses)
    assert found.goal.decision_text == '"SUM" in text'


def test_removed_decision_is_not_located():
    assert located(Misses(goal(), 0.75), "def check(path):\n    return 0\n") is None


def test_crash_is_located_anywhere():
    criterion = Crashes("IndexError", "app.py", "check")
    assert located(criterion, "") is criterion


@pytest.mark.parametrize(
    "exception",
    ["ConnectionError", "FileNotFoundError", "requests.exceptions.Timeout", "cv2.error"],
)
def test_want_of_a_world_is_no_crash(exception):
    assert crash_of(raised(exception)) is None

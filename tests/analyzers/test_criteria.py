"""When runs show a defect, and when they do not."""

from dataclasses import replace

import pytest

from analyzers.criteria import (
    all_ran,
    crash_of,
    is_informative,
    is_shown,
    needs_environment,
    outcome_of,
    reached,
    refusal_of,
    relocated,
    translate,
)
from analyzers.vocabulary import (
    Alike,
    BranchOutcome,
    Constant,
    Crashes,
    Died,
    Exchange,
    Misses,
    Mixes,
    NotRun,
    Repeats,
    Returned,
    TimedOut,
    Turns,
)
from tests.analyzers.samples import SOURCE, goal, raised, run

TRUE, FALSE = "app.py::check#0:true", "app.py::check#0:false"


def test_goal_ids_follow_the_protocol():
    assert goal().id == TRUE
    assert goal(clause=1, outcome=BranchOutcome.FALSE).id == "app.py::check#0.1:false"
    assert goal(clause=0, member="'a'").id == "app.py::check#0.0='a':true"
    assert goal(clause=1, text="x").whole(BranchOutcome.FALSE).id == FALSE


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
    ("more", "refused"), [({}, True), ({"standin": True}, False), ({"path": ""}, False)]
)
def test_only_the_codes_own_refusals_count(more, refused):
    assert bool(refusal_of(raised(refusal=True, **more))) is refused


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
    assert needs_environment(raised(exception))
    assert crash_of(raised(exception)) is None
    assert not is_informative(goal(), run(ending=raised(exception)))


def test_run_that_missed_an_address_tells_what_it_reached():
    missed = replace(run(), outside=("example.com:443",))
    assert is_informative(goal(), run())
    assert not is_informative(goal(), missed)
    assert is_informative(goal(), replace(missed, hits=frozenset({FALSE})))


def test_crash_needs_the_same_exception_and_place():
    criterion = Crashes("IndexError", "app.py", "check")
    assert is_shown(criterion, [run(), run(ending=raised())])
    assert not is_shown(criterion, [run(ending=raised("KeyError"))])
    assert not is_shown(criterion, [run(ending=raised(function="other"))])


def test_misses_compares_the_recall_with_the_threshold():
    criterion = Misses(goal(), 0.75)
    assert is_shown(criterion, [run(TRUE), run(TRUE), run(FALSE)])
    assert not is_shown(criterion, [run(TRUE), run(TRUE), run(TRUE), run(FALSE)])
    assert not is_shown(criterion, [])


def test_mixes_needs_both_polarities():
    criterion = Mixes(goal(), 2, 0.25)
    assert is_shown(criterion, [run(TRUE), run(FALSE), run(TRUE), run(FALSE)])
    assert not is_shown(criterion, [run(TRUE), run(TRUE), run(FALSE), run(FALSE)])
    assert not is_shown(criterion, [run(TRUE), run(TRUE)])


def test_constant_is_refuted_by_the_other_outcome():
    criterion = Constant(goal())
    assert is_shown(criterion, [run(TRUE), run()])
    assert not is_shown(criterion, [run(TRUE), run(FALSE)])
    assert not is_shown(criterion, [run()])
    assert not is_shown(Constant(goal(outcome=BranchOutcome.FALSE)), [run(TRUE)])


def test_constant_clause_is_refuted_by_its_own_outcome():
    part = goal(clause=1, text="text")
    criterion = Constant(part)
    assert is_shown(criterion, [run(part.id, FALSE)])
    assert not is_shown(criterion, [run(part.id, goal(clause=1, outcome=BranchOutcome.FALSE).id)])


def test_question_repeats_where_one_run_asks_it_often_enough():
    same, other = Exchange("a", "1", {}), Exchange("a", "2", {})
    assert is_shown(Repeats("a", 2), [run(), run(exchanges=(same, other, same))])
    assert not is_shown(Repeats("a", 2), [run(exchanges=(same, other)), run(exchanges=(same,))])
    assert not is_shown(Repeats("b", 2), [run(exchanges=(same, same))])


def test_runs_are_alike_by_value_and_branches():
    assert is_shown(Alike(), [run(TRUE), run(TRUE)])
    assert not is_shown(Alike(), [run(TRUE), run(FALSE)])
    assert not is_shown(Alike(), [run(TRUE), run(TRUE, ending=Returned("2"))])
    assert not is_shown(Alike(), [run(ending=raised()), run(ending=raised())])
    assert not is_shown(Alike(), [])


@pytest.mark.parametrize("criterion", [Repeats("a", 3), Alike()])
def test_criterion_without_a_condition_holds_of_any_text(criterion):
    assert translate(criterion, "old.py", SOURCE, "") == relocated(criterion, "") == criterion


def test_clause_is_found_again_by_its_text():
    source = SOURCE.replace('"TOTAL" in text', '"TOTAL" in text and len(text) > 5')
    part = goal(clause=1, text="len(text) > 5", decision_text='"TOTAL" in text and len(text) > 5')
    turned = source.replace(
        '"TOTAL" in text and len(text) > 5', 'len(text) > 5 and "TOTAL" in text'
    )
    found = translate(Constant(part), "app.py", source, turned)
    assert isinstance(found, Constant)
    assert found.goal.clause == 0
    assert translate(Constant(part), "app.py", source, source.replace("> 5", "> 6")) is None


def test_runs_are_decided_only_when_all_ran():
    assert all_ran([run()])
    assert not all_ran([run(), run(ending=NotRun("no engine"))])
    assert not all_ran([])


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
    found = relocated(Misses(goal(), 0.75), theirs)
    assert isinstance(found, Misses)
    assert found.goal.decision == 1


def test_decision_is_located_by_its_ordinal_after_a_repair():
    found = relocated(Misses(goal(), 0.75), SOURCE.replace('"TOTAL"', '"SUM"'))
    assert isinstance(found, Misses)
    assert found.goal.decision_text == '"SUM" in text'


def test_removed_decision_is_not_located():
    assert relocated(Misses(goal(), 0.75), "def check(path):\n    return 0\n") is None


def test_crash_is_located_anywhere():
    criterion = Crashes("IndexError", "app.py", "check")
    assert relocated(criterion, "") is criterion


@pytest.mark.parametrize(
    "exception",
    ["ConnectionError", "FileNotFoundError", "requests.exceptions.Timeout", "cv2.error"],
)
def test_want_of_a_world_is_no_crash(exception):
    assert crash_of(raised(exception)) is None


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (Returned("'organic'"), "'organic'"),
        (Returned("None"), "None"),
        (Returned("'/tmp/x/inputs-ab12_c9d/f.png'"), "'inputs/f.png'"),
        (raised("ValueError", message="one"), "raises ValueError"),
        (Died(11), "process died"),
        (raised("ConnectionError"), None),
        (raised(standin=True), None),
        (TimedOut(5.0), None),
        (NotRun("no engine"), None),
    ],
)
def test_outcome_is_what_a_caller_sees(ending, outcome):
    assert outcome_of(run(ending=ending)) == outcome


def test_branches_tell_runs_that_return_nothing_apart():
    branches = (goal(), goal(decision=1))
    nothing = Returned("None")
    assert outcome_of(run(TRUE, ending=nothing), branches) == "None by 1"
    assert outcome_of(run(FALSE, ending=nothing), branches) == "None by no branch"
    assert outcome_of(run(TRUE, ending=Returned("1")), branches) == "1"


def test_changed_outcome_shows_while_some_input_has_it():
    turns = Turns(("'a'", "'a'"), ("'b'", "'c'"))
    now = [run(ending=Returned(value)) for value in ("'a'", "'c'")]
    assert is_shown(turns, now)
    assert not is_shown(turns, [now[0], now[0]])


TWO = """\
def check(path):
    text = read(path)
    if "SUM" in text:
        return 2
    if "TOTAL" in text:
        return 1
"""
SWAPPED = TWO.replace("SUM", "x").replace("TOTAL", "SUM").replace('"x"', '"TOTAL"')


def test_decision_that_changed_places_is_found_by_its_text():
    there = translate(Constant(goal(decision=1)), "app.py", TWO, SWAPPED)
    assert there.goal.decision == 0


def test_changed_decision_is_the_one_left():
    changed = SWAPPED.replace('"SUM" in text', '"SUM" in text.upper()')
    there = translate(Constant(goal(decision=0)), "app.py", TWO, changed)
    assert (there.goal.decision, there.goal.decision_text) == (1, '"SUM" in text.upper()')


def test_turns_move_with_their_branches():
    moved = translate(Turns(("a",), ("b",), (goal(),)), "old.py", SOURCE, TWO)
    assert [(g.path, g.decision) for g in moved.branches] == [("old.py", 1)]
    assert translate(Turns(("a",), ("b",)), "old.py", SOURCE, "") == Turns(("a",), ("b",))
    assert translate(Turns(("a",), ("b",), (goal(),)), "old.py", SOURCE, "x = 1\n") is None
    assert relocated(Turns(("a",), ("b",), (goal(),)), "x = 1\n") is None

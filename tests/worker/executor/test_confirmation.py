"""Nothing is reported that was not seen again."""

from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.criteria import UNSTABLE
from analyzers.vocabulary import (
    Crashes,
    FileChange,
    Finding,
    Level,
    LiteralArgument,
    Misses,
    NotRun,
    Probe,
    Returned,
    Run,
    Skipped,
    Status,
    Suggestion,
    TimedOut,
    Turns,
)
from tests.analyzers.cloud.bench import goals
from tests.analyzers.samples import finding, raised
from tests.worker.sessions import answered, laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.repair_verification import is_worse

CAREFUL = """\
def check(path):
    names = labels()
    if not names:
        return None
    return names[0]
"""
CRASHING = """\
def check(path):
    names = labels()
    return names[0]
"""
ALARM = """\
def check(path):
    seen = labels()
    if "Fire" in seen:
        return "alarm"
    return "quiet"
"""
CRASH = finding(criterion=Crashes("IndexError", "app.py", "check"), probes=(answered(),))
GOAL = next(goals(ALARM))
MISS = finding(
    rule="cloud/low-recall",
    criterion=Misses(GOAL, 0.75),
    probes=(answered("Fire"), answered("Flame"), answered("Flame")),
)
WIDER = '    if "Fire" in seen or "Flame" in seen:'


@pytest.fixture
def confirm(tmp_path, sessions):
    """Confirms a finding of a target on a head and a base that are given as texts."""

    def confirm(found, head, base, *changes, history=(), **more) -> Finding:
        texts = {"app": base} if isinstance(base, str) else base
        trees = tree(tmp_path / "head", app=head), tree(tmp_path / "base", **texts)
        made, examined = laboratory(*trees), more.get("target", target())
        before = BaseTarget(made, examined, changes)
        confirmer = Confirmer(made, examined, before, more.get("reached", lambda _: True))
        with closing(before), closing(confirmer):
            return confirmer.confirmed(found, history)

    return confirm


def suggesting(replacement, start=3, end=3, found=MISS):
    return replace(found, suggestion=Suggestion("app.py", start, end, replacement))


def test_crash_that_base_avoids_is_new(confirm):
    assert confirm(CRASH, CRASHING, CAREFUL) == CRASH


def test_crash_on_both_sides_is_existing(confirm):
    assert confirm(CRASH, CRASHING, CRASHING).status is Status.EXISTING


@pytest.mark.parametrize("annotated", [True, False])
def test_inferred_input_that_base_fails_on_elsewhere_is_not_told(confirm, annotated):
    base = "def check(path):\n    return labels().nothing\n"
    said = {"annotations": {"path": {"given": annotated}}}
    told = confirm(replace(CRASH, rule="property/crash", evidence=said), CRASHING, base)
    assert isinstance(told, Finding if annotated else Skipped)
    assert annotated or "base fails on the same input too" in told.reason


@pytest.mark.parametrize("base", [CAREFUL, "def other():\n    pass\n"])
def test_what_the_change_does_not_reach_is_existing_where_base_cannot_tell(confirm, sessions, base):
    sessions.trouble["# unloadable on base"] = TargetNotLoaded("no module named x")
    unseen = confirm(CRASH, CRASHING, f"# unloadable on base\n{base}", reached=lambda _: False)
    assert (unseen.status, unseen.level) == (Status.EXISTING, Level.FAILURE)
    assert "neither edits this code nor reaches it" in unseen.evidence["base"]


WIDE = ALARM.replace('"Fire" in seen', '"Fire" in seen or "Flame" in seen')


@pytest.mark.parametrize(("base", "number"), [(WIDE, 3), (ALARM, 1)])
def test_missed_branch_says_how_many_inputs_reach_it_on_base(confirm, base, number):
    found = confirm(MISS, ALARM, base)
    assert found.status is (Status.NEW if base == WIDE else Status.EXISTING)
    assert found.evidence["reached_on_base"] == number
    assert f"On base, {number} of the same 3 inputs reach it." in found.message


def test_finding_about_code_that_base_lacks_is_new_whatever_base_shows(confirm):
    found = replace(CRASH, absent_on_base=True)
    assert confirm(found, CRASHING, CRASHING).status is Status.NEW


def test_what_base_avoids_is_new_wherever_it_stands(confirm):
    assert confirm(CRASH, CRASHING, CAREFUL, reached=lambda _: False) == CRASH


def test_crash_in_a_new_function_is_new(confirm):
    assert confirm(CRASH, CRASHING, "def other():\n    pass\n") == CRASH


def test_unreadable_base_has_no_function(confirm):
    assert confirm(CRASH, CRASHING, "def check(:\n") == CRASH


def test_crash_that_does_not_repeat_is_flaky(confirm):
    found = confirm(suggesting("", 1, 1, CRASH), CAREFUL, CAREFUL)
    assert found.status is Status.FLAKY
    assert found.suggestion is None
    assert found.evidence["no_repair"] == "it does not repeat"


def test_notice_that_does_not_repeat_is_none(confirm):
    found = confirm(replace(CRASH, level=Level.NOTICE), CAREFUL, CAREFUL)
    assert found == Skipped(CRASH.analyzer, CRASH.target, UNSTABLE)


def test_other_outcome_is_new_where_it_repeats(confirm):
    turns = finding(criterion=Turns(("None",), ("'Fire'",)), probes=(answered("Fire"),))
    first = "def check(path):\n    return labels()[0]\n"
    assert confirm(turns, first, "def check(path):\n    labels()\n") == turns


def test_other_outcome_that_does_not_repeat_is_none(confirm):
    turns = finding(criterion=Turns(("'Sea'",), ("'Sky'",)), probes=(answered("Fire"),))
    assert confirm(turns, CAREFUL, CAREFUL) == Skipped("cloud", "app.py::check", UNSTABLE)


def test_runs_that_fail_again_confirm_nothing(confirm, sessions, monkeypatch):
    monkeypatch.setattr(
        sessions, "run", lambda self, probes, seconds=10.0: [Run(NotRun("gone"))] * len(probes)
    )
    assert confirm(MISS, ALARM, ALARM).status is Status.FLAKY


def test_finding_in_a_renamed_file_is_existing(confirm):
    renamed = FileChange("app.py", frozenset({1}), old_path="old.py")
    assert confirm(CRASH, CRASHING, {"old": CRASHING}, renamed).status is Status.EXISTING


def test_branch_in_a_renamed_file_is_existing(confirm):
    renamed = FileChange("app.py", frozenset({1}), old_path="old.py")
    moved = f"import os\n\n\n{ALARM}"
    assert confirm(MISS, ALARM, {"old": moved}, renamed).status is Status.EXISTING


def test_file_that_base_lacks_makes_the_finding_new(confirm):
    elsewhere = replace(CRASH, path="helpers.py")
    assert confirm(elsewhere, CRASHING, CRASHING).status is Status.NEW


def test_module_code_exists_where_the_file_does(confirm):
    module = replace(target(), function="<module>")
    assert confirm(CRASH, CRASHING, CRASHING, target=module).status is Status.EXISTING


def test_functions_are_found_by_their_qualified_names(confirm):
    inside = replace(target(), function="Alarm.check.<locals>.inner")
    base = (
        CRASHING
        + "\nclass Alarm:\n    if 1:\n        def check(self):\n            def inner(): pass\n"
    )
    assert confirm(CRASH, CRASHING, base, target=inside).status is Status.EXISTING


@pytest.mark.parametrize(
    "error", [TargetNotLoaded("no module named x"), GuestFailure("it died\ntail")]
)
def test_base_that_cannot_be_run_makes_it_doubtful(confirm, sessions, error):
    sessions.trouble["# unloadable here"] = error
    found = confirm(CRASH, CRASHING, f"# unloadable here\n{CRASHING}")
    assert (found.status, found.level) == (Status.NEW, Level.WARNING)
    assert found.evidence["base"].startswith("not comparable: ")
    assert "tail" not in found.evidence["base"]


def test_warning_stays_a_warning_in_doubt(confirm, sessions):
    sessions.trouble["# unloadable here"] = TargetNotLoaded("no")
    notice = replace(CRASH, level=Level.NOTICE)
    assert confirm(notice, CRASHING, f"# unloadable here\n{CRASHING}").level is Level.NOTICE


LONGER = CRASHING.replace("check(path)", "check(path, most)").replace("[0]", "[most]")
INSIDE = "    if names:\n        return names[most]"
DRAWN = replace(
    CRASH,
    line=3,
    end_line=3,
    rule="property/crash",
    probes=(Probe("app.py::check", {"most": LiteralArgument("9")}, ()),),
    evidence={"stated": True},
)


@pytest.mark.parametrize(
    ("found", "base", "level"),
    [
        (DRAWN, CRASHING, Level.FAILURE),
        (replace(DRAWN, rule="code/error", evidence={}), CRASHING, Level.FAILURE),
        (
            replace(DRAWN, rule="cloud/crash", evidence={"shape": "usage-chunk"}),
            CRASHING,
            Level.FAILURE,
        ),
        (replace(DRAWN, evidence={}), CRASHING, Level.WARNING),
        (replace(DRAWN, evidence={"stated": False}), CRASHING, Level.WARNING),
        (replace(DRAWN, level=Level.NOTICE), CRASHING, Level.NOTICE),
        (DRAWN, CRASHING.replace("[0]", "[most]"), Level.WARNING),
        (DRAWN, CRASHING.replace("    return names[0]", INSIDE), Level.WARNING),
    ],
)
def test_changed_signature_blocks_where_the_input_is_stated_and_the_line_new(
    confirm, monkeypatch, sessions, found, base, level
):
    monkeypatch.setattr(sessions, "run", lambda *_: [Run(raised("IndexError", line=3))])
    told = confirm(found, LONGER, base)
    assert (told.status, told.level) == (Status.NEW, level)
    assert told.evidence["base"] == "not comparable: `most` is no parameter there"


def test_base_that_asks_what_was_not_recorded_is_doubtful(confirm, sessions, monkeypatch):
    real = sessions.run

    def run(self, probes, seconds=10.0):
        runs = real(self, probes)
        return [Run(NotRun("no answer"))] * len(runs) if "pass" in self.source else runs

    monkeypatch.setattr(sessions, "run", run)
    found = confirm(CRASH, CRASHING, f"{CRASHING}    pass\n")
    assert found.evidence["base"] == "not comparable: the same inputs could not be run there"


def test_suggestion_that_helps_is_verified(confirm):
    found = confirm(suggesting(WIDER), ALARM, "")
    assert found.suggestion.verified
    assert "no_repair" not in found.evidence


def test_suggestion_that_does_not_help_is_dropped(confirm):
    found = confirm(suggesting('    if "Fire" in seen or "Smoke" in seen:'), ALARM, "")
    assert found.suggestion is None
    tried = '`if "Fire" in seen or "Smoke" in seen:` (does not help)'
    assert found.evidence["no_repair"] == f"tried: {tried}"


def test_suggestion_that_does_harm_is_dropped(confirm):
    harmful = suggesting('    if seen[0] in ("Fire", "Flame"):')
    before = [(answered(), Run(Returned("'quiet'")))]
    found = confirm(harmful, ALARM, "", history=before)
    assert found.suggestion is None
    assert "makes something else worse" in found.evidence["no_repair"]


@pytest.mark.parametrize(("rule", "kept"), [("relation/crash", False), ("cloud/crash", True)])
def test_call_in_the_place_of_a_librarys_gives_what_that_gave(confirm, rule, kept):
    found = suggesting("    return (names or [None])[-1]", 3, 3, replace(CRASH, rule=rule))
    both = answered("Fire", "Smoke")
    history = [(both, Run(Returned("'Fire'")))]
    repaired = confirm(found, CRASHING, CAREFUL, history=history)
    assert (repaired.suggestion is not None) is kept
    assert ("another result" in repaired.evidence.get("no_repair", "")) is not kept


def test_suggestion_that_cannot_be_run_is_dropped(confirm, sessions):
    sessions.trouble["# unloadable then"] = TargetNotLoaded("it is no Python")
    found = confirm(suggesting(f"{WIDER}  # unloadable then"), ALARM, "")
    assert found.suggestion is None
    assert found.evidence["no_repair"].endswith("(cannot be run: it is no Python)")


def test_suggestion_without_its_condition_is_dropped(confirm):
    found = confirm(suggesting("    return 'alarm'", 3, 4), ALARM, "")
    assert found.evidence["no_repair"] == "tried: `return 'alarm'` (takes the condition away)"


@pytest.mark.parametrize(
    ("before", "after", "worse"),
    [
        (Returned("1"), Returned("2"), False),
        (Returned("1"), raised(refusal=True), True),
        (raised(refusal=True), raised(), True),
        (raised(), raised("KeyError"), False),
        (Returned("1"), TimedOut(1.0), True),
        (Returned("1"), NotRun("gone"), True),
        (TimedOut(1.0), TimedOut(1.0), False),
    ],
)
def test_worse_is_further_from_a_result(before, after, worse):
    assert is_worse([(answered(), Run(before))], [Run(after)]) is worse


def test_refusing_on_purpose_is_not_worse_where_that_is_the_repair():
    before = [(answered(), Run(Returned("1")))]
    assert not is_worse(before, [Run(raised(refusal=True))], refusing=True)
    assert is_worse(before, [Run(raised())], refusing=True)


def test_guest_that_broke_off_is_not_used_again(tmp_path, sessions):
    trees = tree(tmp_path / "head", app=CRASHING), tree(tmp_path / "base", app=CAREFUL)
    made = laboratory(*trees)
    before = BaseTarget(made, target(), ())
    confirmer = Confirmer(made, target(), before)
    sessions.trouble["unrunnable"] = GuestFailure("broken pipe")
    with pytest.raises(GuestFailure):
        confirmer.confirmed(CRASH, ())
    sessions.trouble.clear()
    assert confirmer.confirmed(CRASH, ()) == CRASH
    confirmer.close()
    before.close()
    assert len(sessions.closed) == len(sessions.opened) == 3

"""All targets of a change, within the budget, and the report on them."""

import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from analyzers.detection import DetectionResult
from analyzers.vocabulary import (
    Broken,
    ChangeSet,
    Conclusion,
    Crashes,
    Divergence,
    FileChange,
    Finding,
    LibraryBug,
    Reason,
    Skipped,
    Status,
    Tested,
)
from tests.analyzers.samples import finding
from tests.worker.sessions import FakeSession, answered, laboratory, target, tree
from worker.check import target_examiner
from worker.check.result_cache import ResultCache
from worker.check.result_store import FolderResults
from worker.check.target_examination import CONFIRMING_SECONDS
from worker.check.target_examiner import (
    LEAST_CLOUD_SECONDS,
    MARGIN_SECONDS,
    SPENT,
    TargetExaminer,
)
from worker.check.target_order import most_telling_first
from worker.executor.guest_conversation import (
    OUT_OF_TIME,
    BudgetSpent,
    GuestFailure,
    TargetNotLoaded,
)
from worker.settings.repository_configuration import Configuration, Ignore
from worker.system import interruption

CRASHING = "def check(path):\n    return labels()[0]\n"
CAREFUL = "def check(path):\n    return labels()[:1]  # unloadable base\n"
CRASH = finding(line=2, criterion=Crashes("IndexError", "app.py", "check"), probes=(answered(),))
TARGETS = target(), target("two.py"), target("three.py")


class ScriptedAnalyzer:
    """An analyzer that says what it is told for each target, and notes the time it has."""

    name = "speaking"

    def __init__(self, *verdicts, after=None):
        self._verdicts = verdicts
        self._after = after
        self.remaining = []

    def examine(self, target, bench):
        self.remaining.append(bench.remaining())
        bench.run([answered("Sky")])
        yield from self._verdicts
        if self._after is not None:
            raise self._after


class Listening:
    def __init__(self):
        self.heard = []

    def compared(self, comparison):
        pass

    def detected(self, targets):
        self.heard.append(len(targets))

    def preparing(self, what):
        pass

    def examining(self, target):
        self.heard.append(target.id)

    def found(self, verdict):
        self.heard.append(verdict)


@pytest.fixture
def campaign(tmp_path, sessions):
    def campaign(*targets, skipped=(), **changed):
        texts = {"app": CRASHING, "two": CRASHING, "three": CRASHING, **changed}
        head = tree(tmp_path / "head", **texts)
        base = tree(tmp_path / "base", **dict.fromkeys(texts, CAREFUL))
        changes = ChangeSet(
            "here", "b" * 40, None, (FileChange("app.py", frozenset({2})),), head.texts, base.texts
        )
        listener = Listening()
        made = TargetExaminer(
            laboratory(head, base), changes, DetectionResult(targets, tuple(skipped)), listener
        )
        return made, listener

    return campaign


def examined(campaign, *targets, analyzer=None, seconds=100.0, configuration=None):
    made, listener = campaign(*targets)
    made.examine([analyzer or ScriptedAnalyzer()], time.monotonic() + seconds)
    return made.report(configuration or Configuration(), 1.23456, "a remark"), listener


def test_findings_are_confirmed_and_heard(campaign):
    report, listener = examined(campaign, target(), analyzer=ScriptedAnalyzer(CRASH))
    assert report.findings == (CRASH,)
    assert report.conclusion is Conclusion.FAILURE
    assert listener.heard == ["app.py::check", CRASH]


def test_what_does_not_repeat_blocks_nothing(campaign):
    other = replace(CRASH, criterion=Crashes("KeyError", "app.py", "check"))
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(other))
    assert [found.status for found in report.findings] == [Status.FLAKY]
    assert report.conclusion is Conclusion.NEUTRAL


@pytest.mark.parametrize(("path", "status"), [("app.py", Status.NEW), ("two.py", Status.EXISTING)])
def test_base_that_cannot_run_leaves_only_what_the_change_reaches_new(
    campaign, sessions, path, status
):
    sessions.trouble["# unloadable base"] = TargetNotLoaded("no module named x")
    found = replace(
        CRASH, path=path, target=f"{path}::check", criterion=Crashes("IndexError", path, "check")
    )
    report, _ = examined(campaign, target(path), analyzer=ScriptedAnalyzer(found))
    assert [each.status for each in report.findings] == [status]


def test_one_fingerprint_is_reported_once(campaign):
    again = replace(CRASH, title="in other words")
    report, listener = examined(campaign, target(), analyzer=ScriptedAnalyzer(CRASH, again))
    assert report.findings == (CRASH,)
    assert sum(isinstance(heard, Finding) for heard in listener.heard) == 1


def test_result_is_kept_unless_another_target_showed_the_finding(campaign, tmp_path):
    made, _ = campaign(target(), target("two.py"))
    made._results = ResultCache(FolderResults(tmp_path, "owner"), lambda each: each.path)
    made.examine([Told(CRASH, CRASH)], time.monotonic() + 100.0)
    assert made._results.take(target(), 1.0) is not None
    assert made._results.take(target("two.py"), 1.0) is None


def test_ignoring_one_of_two_crashes_leaves_the_other(campaign):
    """Both end one function with one exception, and once shared a fingerprint."""
    second = replace(CRASH, line=1, end_line=1)
    ignore = Ignore(fingerprint=CRASH.fingerprint, reason="known")
    report, _ = examined(
        campaign,
        target(),
        analyzer=ScriptedAnalyzer(CRASH, second),
        configuration=Configuration(ignore=(ignore,)),
    )
    assert sorted(each.line for each in report.findings) == [1, 2]
    assert len(report.ignored) == 1
    assert report.conclusion is Conclusion.FAILURE


def test_spent_budget_leaves_a_partial_report(campaign):
    report, _ = examined(campaign, *TARGETS, seconds=-1.0)
    assert (report.partial, report.interrupted) == (True, False)
    assert report.conclusion is Conclusion.NEUTRAL
    assert {each.tested for each in report.tests} == {Tested.NO}
    assert {each.reasons for each in report.tests} == {("the run's time budget was spent",)}


def test_one_reason_is_given_once(campaign):
    skipped = Skipped("speaking", "app.py::check", "no engine")
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(skipped, skipped))
    assert report.skipped == (skipped,)


CAUSE = replace(CRASH, analyzer="relations", rule="relation/crash")
EFFECT = replace(CRASH, analyzer="properties", rule="property/crash")


@pytest.mark.parametrize("verdicts", [(CAUSE, EFFECT), (EFFECT, CAUSE)])
def test_cause_alone_is_reported_whichever_comes_first(campaign, verdicts):
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(*verdicts))
    assert report.findings == (CAUSE,)


def test_cause_that_does_not_repeat_explains_nothing_away(campaign):
    flaky = replace(EFFECT, rule="relation/crash", probes=())
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(flaky, EFFECT))
    assert {(f.rule, f.status) for f in report.findings} >= {("property/crash", Status.NEW)}


@pytest.mark.parametrize("order", [1, -1])
def test_of_targets_that_fail_at_one_line_the_innermost_is_named(campaign, order):
    inner = replace(EFFECT, symbol="app.py::check", target="app.py::check")
    outer = replace(inner, target="app.py::outer")
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(*[outer, inner][::order]))
    assert [each.target for each in report.findings] == ["app.py::check"]


def test_bugs_of_libraries_go_to_the_appendix_once(campaign):
    divergence = Divergence("torch.lcm", "crash", "value", "torch.g(x)", "torch.lcm(0)", "-", "0")
    bug = LibraryBug("speaking", "app.py::check", "app.py", 2, divergence, "2.13.0")
    report, listener = examined(
        campaign,
        target(),
        analyzer=ScriptedAnalyzer(bug, replace(bug, target="two.py::check", line=1)),
    )
    assert report.appendix == (bug,)
    assert not report.findings
    assert report.conclusion is Conclusion.NEUTRAL
    assert listener.heard == ["app.py::check"]


def test_budget_is_shared_and_kept(campaign):
    analyzer = ScriptedAnalyzer()
    examined(campaign, *TARGETS, analyzer=analyzer, seconds=90)
    first, second, third = analyzer.remaining
    assert first == pytest.approx(30, abs=2)
    assert second == pytest.approx(45, abs=2)
    assert third == pytest.approx(90, abs=2)


def test_what_changed_has_more_time_than_what_calls_it(campaign):
    analyzer = ScriptedAnalyzer()
    calling = (replace(each, reason=Reason.CALLS_CHANGED) for each in TARGETS[1:])
    examined(campaign, TARGETS[0], *calling, analyzer=analyzer, seconds=200)
    assert analyzer.remaining[0] == pytest.approx(100, abs=20)


def test_small_budget_is_not_overdrawn(campaign):
    analyzer = ScriptedAnalyzer()
    examined(campaign, *TARGETS, analyzer=analyzer, seconds=LEAST_CLOUD_SECONDS + 4)
    assert analyzer.remaining[0] == pytest.approx(LEAST_CLOUD_SECONDS, abs=3)


def test_last_seconds_are_not_stretched(campaign):
    analyzer = ScriptedAnalyzer()
    examined(campaign, target(), analyzer=analyzer, seconds=5)
    assert analyzer.remaining[0] <= 5


def test_spent_budget_skips_the_rest(campaign):
    report, listener = examined(campaign, *TARGETS, seconds=-1)
    assert [s.target for s in report.skipped] == [t.id for t in TARGETS]
    assert {s.reason for s in report.skipped} == {"the run's time budget was spent"}
    assert report.conclusion is Conclusion.NEUTRAL
    assert not any(isinstance(heard, str) for heard in listener.heard)


def test_order_of_examination_is_not_that_of_the_report(campaign):
    made, listener = campaign(*TARGETS)
    made._order = (TARGETS[2], TARGETS[0], TARGETS[1])
    made.examine([ScriptedAnalyzer()], time.monotonic() + 100)
    assert listener.heard == ["three.py::check", "app.py::check", "two.py::check"]
    report = made.report(Configuration(), 1.0)
    assert [each.id for each, _ in report.targets] == [each.id for each in TARGETS]


def test_guests_are_asked_little_longer_than_the_budget(campaign, sessions, monkeypatch):
    """A guest that keeps no limit once held a run for minutes."""
    until = []
    original = sessions.__init__

    def opened(self, place, *arguments):
        until.append(place.until)
        original(self, place, *arguments)

    monkeypatch.setattr(sessions, "__init__", opened)
    began = time.monotonic()
    examined(campaign, *TARGETS, analyzer=ScriptedAnalyzer(CRASH), seconds=60)
    assert until
    assert all(each <= began + 60 + MARGIN_SECONDS + 20 for each in until)
    assert until[0] <= began + 20 + CONFIRMING_SECONDS + 20


def test_finding_that_time_left_unconfirmed_is_no_fault(campaign, sessions, monkeypatch):
    def run(self, probes, seconds=10.0):
        raise BudgetSpent("the time budget was spent")

    monkeypatch.setattr(sessions, "run", run)
    report, _ = examined(campaign, target(), analyzer=Told(CRASH))
    assert (report.findings, report.broken) == ((), ())
    (skipped,) = report.skipped
    assert skipped.reason == "cloud/crash at app.py:2 could not be confirmed: " + OUT_OF_TIME
    assert report.conclusion is Conclusion.NEUTRAL


def test_partial_reports_take_little_of_the_time(campaign, monkeypatch):
    """A report of 875 functions was once written before each of them."""
    clock = Clock(monkeypatch)
    many = [replace(target(), line=n, function=f"check{n}") for n in range(100)]
    made, _ = campaign(*many)
    made.examine([Waiting(clock, 1.0)], clock.now + 1000, lambda: clock.wait(2.0))
    assert clock.waited[2.0] <= 0.05 * clock.waited[1.0] + 2 * 2.0


def test_reading_what_cannot_be_run_any_more_ends_with_the_margin(campaign, monkeypatch):
    """324 functions were once read for 32 s after a budget of 30 s."""
    clock = Clock(monkeypatch)
    many = [replace(target(), line=n, function=f"check{n}") for n in range(50)]
    made, _ = campaign(*many)
    monkeypatch.setattr(target_examiner, "settle_and_read", lambda *_: clock.wait(1.0) or iter(()))
    made.examine([ScriptedAnalyzer()], clock.now - 1.0)
    assert 1.0 <= clock.waited[1.0] <= MARGIN_SECONDS
    assert len(made.report(Configuration(), 1.0).skipped) == len(many)


def test_ten_seconds_are_useful_and_honest(campaign, monkeypatch):
    """Of six functions of 4 s each, what changed is tested first, and the others are named."""
    clock = Clock(monkeypatch)
    callers = [
        replace(target("two.py", f"caller{n}"), reason=Reason.CALLS_CHANGED, line=n)
        for n in range(5)
    ]
    targets = (*callers, target())
    made, _ = campaign(*targets)
    made._order = most_telling_first(targets, made._changes, {})
    analyzer = DelayedAnalyzer(clock, 4.0, {"app.py::check": CRASH})
    made.examine([analyzer], clock.now + 10.0)
    report = made.report(Configuration(), 10.0)
    assert report.findings == (CRASH,)
    assert report.conclusion is Conclusion.FAILURE
    assert report.partial
    assert analyzer.examined[0] == "app.py::check"
    assert clock.waited[4.0] <= 10.0 + MARGIN_SECONDS
    untested = [each for each in report.tests if SPENT in each.reasons]
    assert len(untested) == len(targets) - len(analyzer.examined) >= 3


class DelayedAnalyzer(ScriptedAnalyzer):
    """An analyzer that takes its time, and knows what it will find."""

    def __init__(self, clock, seconds, findings):
        super().__init__()
        self._clock, self._spent, self._known = clock, seconds, findings
        self.examined = []

    def examine(self, target, bench):
        self.examined.append(target.id)
        self._clock.wait(self._spent)
        if target.id in self._known:
            yield self._known[target.id]


class Clock:
    """A time that passes only where something waits."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        self.waited = Counter()
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def wait(self, seconds):
        self.now += seconds
        self.waited[seconds] += seconds


class Waiting(ScriptedAnalyzer):
    def __init__(self, clock, seconds):
        super().__init__()
        self._clock = clock
        self._seconds = seconds

    def examine(self, target, bench):
        self._clock.wait(self._seconds)
        yield from ()


def test_interruption_keeps_what_was_found(campaign, sessions):
    analyzer = ScriptedAnalyzer(CRASH, after=KeyboardInterrupt())
    report, _ = examined(campaign, *TARGETS, analyzer=analyzer)
    assert report.partial
    assert report.findings == (CRASH,)
    assert report.conclusion is Conclusion.FAILURE
    assert len(analyzer.remaining) == 1
    assert [tally.executions for _, tally in report.targets] == [1, 0, 0]
    assert len(sessions.closed) == len(sessions.opened)


class Deafened(ScriptedAnalyzer):
    """Ctrl-C strikes under something that loses it, as an import that catches everything."""

    def examine(self, target, bench):
        yield from super().examine(target, bench)
        with suppress(BaseException):
            signal.raise_signal(signal.SIGINT)


def test_lost_interruption_is_heard_before_the_next_target(campaign, monkeypatch):
    monkeypatch.setattr(interruption, "_once", interruption.DebouncedInterrupt())
    before = signal.getsignal(signal.SIGINT)
    interruption.interrupt_once()
    try:
        report, _ = examined(campaign, *TARGETS, analyzer=Deafened(CRASH))
    finally:
        signal.signal(signal.SIGINT, before)
    assert report.partial
    assert report.findings == (CRASH,)
    assert [tally.executions for _, tally in report.targets] == [1, 0, 0]


def test_interrupted_run_without_findings_is_neutral(campaign):
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(after=KeyboardInterrupt()))
    assert report.partial
    assert report.conclusion is Conclusion.NEUTRAL


def test_our_own_mistake_is_broken(campaign):
    report, _ = examined(
        campaign, target(), analyzer=ScriptedAnalyzer(after=ZeroDivisionError("ours"))
    )
    (broken,) = report.broken
    assert broken.analyzer == "speaking"
    assert "ZeroDivisionError" in broken.error
    assert report.conclusion is Conclusion.ERROR


def test_finding_that_cannot_be_confirmed_is_broken(campaign, sessions, monkeypatch):
    def run(self, probes, seconds=10.0):
        if probes == CRASH.probes:
            raise GuestFailure("the guest ended")
        return []

    monkeypatch.setattr(sessions, "run", run)
    report, _ = examined(campaign, target(), analyzer=Told(CRASH))
    assert report.findings == ()
    assert report.broken == (
        Broken("cloud", "app.py::check", "could not confirm cloud/crash: the guest ended"),
    )


class Told(ScriptedAnalyzer):
    """Runs nothing itself."""

    def examine(self, target, bench):
        yield from self._verdicts


def test_outages_are_no_success(campaign):
    made, _ = campaign(target())
    made.examine([ScriptedAnalyzer()], time.monotonic() + 100)
    laboratory = made._laboratory
    laboratory.broker.troubles.failed(
        "google.vision.label_detection", "digest", "Google does not answer"
    )
    report = made.report(Configuration(), 1.0)
    assert report.broken == (Broken("engines", "", "Google does not answer"),)
    assert report.conclusion is Conclusion.ERROR


def test_ignored_finding_is_kept_and_blocks_nothing(campaign):
    ignore = Ignore(fingerprint=CRASH.fingerprint, reason="known")
    configuration = Configuration(ignore=(ignore,))
    report, _ = examined(
        campaign, target(), analyzer=ScriptedAnalyzer(CRASH), configuration=configuration
    )
    assert report.findings == (CRASH,)
    assert report.ignored == {CRASH.fingerprint: {"reason": "known", "until": None}}
    assert report.conclusion is not Conclusion.FAILURE


def test_report_says_how_it_was_made(campaign):
    report, _ = examined(campaign, target())
    assert report.environment[0] == "a remark"
    assert "app.py: stand-ins replaced what is not installed: numpy" in report.environment
    assert "app.py: a note" in report.environment
    assert report.cost.seconds == 1.235
    assert report.cost.executions == 1
    assert (report.base, report.head) == ("b" * 40, None)


def test_addresses_asked_in_vain_are_named_once(campaign, monkeypatch):
    def run(session, probes, seconds=10.0):
        return [replace(each, outside=("example.com:443",)) for each in original(session, probes)]

    original = FakeSession.run
    monkeypatch.setattr(FakeSession, "run", run)
    report, _ = examined(campaign, target())
    said = [note for note in report.environment if "no described ML API" in note]
    assert said == [f"{target().id}: asked addresses that are no described ML API: example.com:443"]


def test_detection_is_part_of_the_report(campaign):
    skipped = Skipped("detection", "bad.py", "line 1 cannot be parsed")
    made, _ = campaign(target(), skipped=[skipped])
    assert made.report(Configuration(), 0.0).skipped == (skipped,)

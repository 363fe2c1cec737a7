"""Targets side by side: the same report whichever is over first, and an orderly end."""

import signal
import threading
import time
from dataclasses import replace

import pytest

from analyzers.detection import DetectionResult
from analyzers.vocabulary import ChangeSet, FileChange, Skipped
from tests.worker.check.test_target_examiner import (
    CAREFUL,
    CRASH,
    CRASHING,
    Listening,
    ScriptedAnalyzer,
    Told,
)
from tests.worker.sandbox.forking import plan
from tests.worker.sessions import PLACE, laboratory, target, tree
from worker.broker.request_admission import ApiBudget
from worker.check import target_examiner
from worker.check.side_by_side import GIB, targets_at_once
from worker.check.target_examiner import TargetExaminer
from worker.engines.engine import NoAnswer
from worker.errors import MachineError
from worker.sandbox.guest_process import guest_program
from worker.sandbox.isolation import TRUSTED
from worker.sandbox.warm_sandboxes import WarmSandboxes
from worker.settings.repository_configuration import Configuration
from worker.system import interruption

NAMES = ("app.py", "two.py", "three.py", "four.py")
TARGETS = tuple(target(name) for name in NAMES)


@pytest.fixture
def examiner(tmp_path, sessions):
    def examiner(parallel, warm=None):
        texts = {name.removesuffix(".py"): CRASHING for name in NAMES}
        folder = tmp_path / str(time.monotonic_ns())
        folder.mkdir()
        head = tree(folder / "head", **texts)
        base = tree(folder / "base", **dict.fromkeys(texts, CAREFUL))
        changes = ChangeSet(
            "here", "b" * 40, None, (FileChange("app.py", frozenset({2})),), head.texts, base.texts
        )
        place = replace(PLACE, parallel=parallel, warm=warm)
        listener = Listening()
        context = laboratory(head, base, place)
        return TargetExaminer(context, changes, DetectionResult(TARGETS, ()), listener), listener

    return examiner


class Unhurried(ScriptedAnalyzer):
    """The first target takes the longest; each tells what is also told of others."""

    def examine(self, target, bench):
        time.sleep(0.3 - 0.1 * NAMES.index(target.path))
        yield from super().examine(target, bench)
        yield replace(CRASH, path=target.path, title=f"in {target.path}")
        yield Skipped(self.name, target.id, f"no engine for {target.path}")


def report_of(made):
    return replace(made.report(Configuration(), 1.0), cost=None)


def test_report_and_what_is_heard_do_not_depend_on_who_is_first(examiner):
    reports, heard = [], []
    for parallel in (1, 2, 4):
        made, listener = examiner(parallel)
        made.examine([Unhurried(CRASH)], time.monotonic() + 100)
        reports.append(report_of(made))
        heard.append([each for each in listener.heard if not isinstance(each, str)])
    assert reports[0] == reports[1] == reports[2]
    assert heard[0] == heard[1] == heard[2]
    assert len(reports[0].findings) > 2
    assert not reports[0].partial


class Meeting(ScriptedAnalyzer):
    """Goes on only when as many as expected are here at the same time; counts them."""

    def __init__(self, expected):
        super().__init__()
        self._barrier = threading.Barrier(expected)
        self._lock = threading.Lock()
        self._now = 0
        self.most = 0

    def examine(self, target, bench):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        self._barrier.wait(600)
        yield from super().examine(target, bench)
        with self._lock:
            self._now -= 1


def test_as_many_at_a_time_as_said(examiner):
    made, listener = examiner(2)
    meeting = Meeting(2)
    made.examine([meeting], time.monotonic() + 100)
    assert meeting.most == 2
    assert [each for each in listener.heard if isinstance(each, str)] == [t.id for t in TARGETS]


def test_each_gets_its_share_of_the_time(examiner):
    made, _ = examiner(2)
    meeting = Meeting(2)
    made.examine([meeting], time.monotonic() + 400)
    assert sorted(meeting.remaining)[:2] == pytest.approx([200, 200], abs=10)


def test_partial_report_grows_function_by_function(examiner, monkeypatch):
    monkeypatch.setattr(target_examiner, "KEEPING_SHARE", 1e9)
    made, _ = examiner(2)
    grown = []

    def keep():
        report = made.report(Configuration(), 1.0)
        grown.append([counters.executions > 0 for _, counters in report.targets].count(True))

    made.examine([Unhurried(CRASH)], time.monotonic() + 100, keep)
    assert grown == sorted(grown)
    assert grown[-1] > 1


class Interrupted(ScriptedAnalyzer):
    """Ctrl-C strikes when the second target has told something and the first has not."""

    def __init__(self, pool):
        super().__init__()
        self._pool = pool
        self.ended = threading.Event()
        self.seen = []

    def examine(self, target, bench):
        self.seen.append(target.path)
        if target.path == "app.py":
            self._await_the_end()
        yield replace(CRASH, path=target.path, title=f"in {target.path}")
        threading.Timer(0.1, signal.pthread_kill, (MAIN, signal.SIGINT)).start()
        self._await_the_end()

    def _await_the_end(self):
        """Be as what waits for a guest: stopped with it, no sooner."""
        until = time.monotonic() + 600
        while not self._pool._stopped:
            assert time.monotonic() < until
            time.sleep(0.01)
        self.ended.set()
        raise KeyboardInterrupt


MAIN = threading.main_thread().ident


def test_interruption_ends_all_and_keeps_what_was_found(examiner, monkeypatch, sessions):
    monkeypatch.setattr(interruption, "_once", interruption.DebouncedInterrupt())
    before = signal.getsignal(signal.SIGINT)
    interruption.interrupt_once()
    try:
        with WarmSandboxes() as pool:
            made, _ = examiner(2, pool)
            analyzer = Interrupted(pool)
            made.examine([analyzer], time.monotonic() + 100)
    finally:
        signal.signal(signal.SIGINT, before)
    report = made.report(Configuration(), 1.0)
    assert analyzer.ended.is_set()
    assert sorted(analyzer.seen) == ["app.py", "two.py"]
    assert [each.path for each in report.findings] == ["two.py"]
    assert (report.partial, report.interrupted) == (True, True)
    assert len(sessions.closed) == len(sessions.opened)
    assert not [each for each in threading.enumerate() if each.name.startswith("target-")]


def test_machine_that_fails_one_ends_all(examiner, sessions, monkeypatch):
    def run(self, probes, seconds=10.0):
        raise MachineError("no slots", "run fewer")

    monkeypatch.setattr(sessions, "run", run)
    with WarmSandboxes() as pool:
        made, _ = examiner(2, pool)
        with pytest.raises(MachineError, match="no slots"):
            made.examine([Told(CRASH)], time.monotonic() + 100)
    assert len(sessions.closed) == len(sessions.opened)


def test_stopped_pool_starts_no_guest(trusted_plan):
    with WarmSandboxes() as pool:
        guest = pool.guest(trusted_plan)
        pool.stop()
        assert guest.wait(600) is not None
        assert guest.stopped == "it was interrupted"
        with pytest.raises(KeyboardInterrupt):
            pool.guest(trusted_plan)
        guest.close()


@pytest.fixture
def trusted_plan(tmp_path):
    return plan(TRUSTED, tmp_path, guest_program())


def test_refusals_are_those_of_the_asking_target():
    budget = ApiBudget(calls=0)
    told = []

    def ask():
        with pytest.raises(NoAnswer):
            budget.spend("google.vision.label_detection", 1)
        told.append(budget.refusals)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(told[0]) == 1
    assert budget.refusals == ()


@pytest.mark.parametrize(
    ("cores", "memory", "expected"), [(2, 64 * GIB, 2), (8, 3 * GIB, 3), (4, GIB // 2, 1)]
)
def test_cores_and_memory_bound_the_targets(cores, memory, expected):
    assert targets_at_once(cores, memory) == expected

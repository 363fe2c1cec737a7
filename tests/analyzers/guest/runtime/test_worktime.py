"""Time as processes work: what else a machine has to do changes no limit and no search."""

import importlib
import os
import time

import pytest

from analyzers.guest.inputs.exploration.hypothesis_draws import Budget, StopDrawing
from analyzers.guest.runtime import time_limits
from analyzers.guest.runtime.time_limits import Clock, TimeUp, WorkClock
from analyzers.guest.search.search_campaign import Stopwatch
from benchmarks.search_suite.harness import cases, search_all

FUNCTION = """\
from google.cloud import vision


def look(path):
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    labels = client.label_detection(image=image).label_annotations
    names = [label.description for label in labels]
    if "Fire" in names and "Smoke" in names and len(names) > 2:
        return "alarm"
    if names and names[0] == "Quokka":
        return "rare"
    return "quiet"
"""


class FakeProcessor:
    """A processor whose time the tests tell."""

    def __init__(self):
        self.passed = self.worked = 0.0
        self.clock = WorkClock(lambda: self.worked, lambda: self.passed)

    def go(self, passed, share):
        """Let time pass, some of it worked."""
        self.passed += passed
        self.worked += passed * share


@pytest.fixture
def machine():
    return FakeProcessor()


def test_busy_machine_takes_longer(machine):
    for _ in range(40):
        machine.go(1.0, 0.2)
        machine.clock.now()
    assert machine.clock.now() == pytest.approx(8.0)


def test_quiet_machine_takes_as_long(machine):
    machine.go(8.0, 1.0)
    assert machine.clock.now() == pytest.approx(8.0)


def test_several_threads_take_no_shorter(machine):
    machine.go(2.0, 4.0)
    assert machine.clock.now() == pytest.approx(2.0)


def test_waiting_for_something_else_counts(machine):
    machine.go(3.0, 0.01)
    assert machine.clock.now() == pytest.approx(3.0)


def test_moment_without_a_processor_is_no_waiting(machine):
    machine.go(0.3, 0.0)
    assert machine.clock.now() == 0.0


def test_clock_never_goes_back(machine):
    seen = []
    for share in (1.0, 0.0, 0.05, 0.9, 0.0, 0.3) * 5:
        machine.go(0.2, share)
        seen.append(machine.clock.now())
    assert seen == sorted(seen)


def test_work_of_another_process_is_read():
    child = os.fork()
    if child == 0:
        while True:
            pass
    try:
        while time_limits.worked_by(child) < 0.01:
            time.sleep(0.001)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
    assert time_limits.worked_by(child) == 0.0


def _spin():
    while True:
        pass


def _work_on(told):
    """The clock may ring as soon as it is told that the work took longer."""
    told[0] = 1.0
    _spin()


@pytest.fixture
def told(monkeypatch):
    """What the clock of this process says."""
    now = [0.0]
    monkeypatch.setattr(time_limits, "now", lambda: now[0])
    return now


def test_limit_waits_until_the_work_is_done(told):
    clock = Clock()
    until = time.monotonic() + 0.3
    clock.start(0.05)
    try:
        while time.monotonic() < until:
            pass
        assert not clock.expired
        with pytest.raises(TimeUp):
            _work_on(told)
    finally:
        clock.stop()


def test_budgets_end_with_the_work(told):
    budget, watch = Budget(2.0), Stopwatch(2.0)
    budget.check()
    assert not watch.over()
    told[0] = 2.5
    assert watch.over()
    with pytest.raises(StopDrawing):
        budget.check()


def test_search_on_a_slow_machine_finds_the_same(tmp_path, monkeypatch):
    (tmp_path / "app.py").write_text(FUNCTION)
    given = list(cases("app.py", FUNCTION))

    def found():
        (frame,) = search_all(str(tmp_path), given, mutation_seconds=30.0, symbolic_seconds=30.0)
        return {name: value for name, value in frame.items() if name != "seconds"}

    quiet = found()
    monkeypatch.setattr(time_limits._own, "_passed", lambda: 8 * time.process_time())
    assert found() == quiet
    assert quiet["notes"] == []


def test_search_that_is_cut_short_says_so(tmp_path):
    (tmp_path / "app.py").write_text(FUNCTION)
    (frame,) = search_all(
        str(tmp_path), cases("app.py", FUNCTION), mutation_seconds=0.0, symbolic_seconds=0.001
    )
    assert any("cut short" in note for note in frame["notes"])


def test_what_is_imported_may_take_longer(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import time\nwork(0.5)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("builtins.work", work, raising=False)
    clock = Clock()
    clock.start(0.1)
    importlib.import_module("slow_to_import")

    clock.stop()
    assert not clock.expired
    clock.start(0.1)
    with pytest.raises(TimeUp):
        work(30.0)
    clock.stop()


def work(seconds):
    end = time_limits.now() + seconds
    while time_limits.now() < end:
        pass

"""Trees to run on, and the bench that an analyzer works at."""

import time
from dataclasses import replace

import pytest

from analyzers.vocabulary import InputRequest, InputSupply, NotRun, Suggestion, TargetCounters
from tests.analyzers.cloud.bench import goals
from tests.worker.sessions import LABELS, answered, laboratory, target, tree
from worker.executor.base_target import relocated
from worker.executor.execution_context import apply_suggestion
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import SPENT, SandboxExecutor

ALARM = """\
def check(path):
    if "Fire" in labels():
        return "alarm"
    return "quiet"
"""


def suggestion(replacement, start=2, end=2):
    return Suggestion("app.py", start, end, replacement)


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a\nb\nc\n", "a\nX\nY\nc\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nX\r\nY\r\nc\r\n"),
        ("a\nb", "a\nX\nY\n"),
        ("a\x0cstill a\nb\nc\n", "a\x0cstill a\nX\nY\nc\n"),
        ("a\u2028still a\nb\n", "a\u2028still a\nX\nY\n"),
    ],
)
def test_suggestion_replaces_whole_lines(source, changed):
    assert apply_suggestion(source, suggestion("X\nY")) == changed


def test_suggestion_may_join_lines():
    assert apply_suggestion("a\nb\nc\nd\n", suggestion("X", 2, 3)) == "a\nX\nd\n"


def test_patched_tree_is_a_copy(tmp_path):
    head = tree(tmp_path / "head", app=ALARM, other="")
    with laboratory(head, head).patched(suggestion("    if labels():")) as copy:
        assert (copy.root / "app.py").read_text() == copy.texts["app.py"]
        assert copy.texts["app.py"].splitlines()[1] == "    if labels():"
        assert (copy.root / "other.py").exists()
    assert not copy.root.exists()
    assert (head.root / "app.py").read_text() == ALARM
    assert head.texts["app.py"] == ALARM


@pytest.fixture
def bench(tmp_path, sessions):
    head = tree(tmp_path / "head", app=ALARM)
    found = replace(target(), goals=tuple(goals(ALARM)))
    made = SandboxExecutor(laboratory(head, head), found, time.monotonic() + 100)
    yield made
    made.close()


def test_runs_are_counted_by_the_host(bench):
    engine_run = replace(answered("Fire"), script=None)
    runs = bench.run([answered("Fire"), answered("Sky")])
    assert bench.tally() == TargetCounters(2, 2, 0, 2, 2, 2)
    assert bench.coverage().answered == 0
    assert [run for _, run in bench.history] == runs
    bench.run([engine_run])
    assert bench.coverage().answered == 1
    assert bench.history[-1][0].script


def test_goals_that_nothing_reached_are_open(bench):
    bench.run([answered("Sky")])
    bench.unreachable("app.py::check#0:true")
    assert bench.tally() == TargetCounters(2, 1, 1, 2, 1, 1)


def test_spent_time_runs_nothing(tmp_path, sessions):
    head = tree(tmp_path / "head", app=ALARM)
    bench = SandboxExecutor(laboratory(head, head), target(), time.monotonic() - 1)
    assert bench.run([answered("Fire")]) == [SPENT]
    assert isinstance(SPENT.ending, NotRun)
    assert bench.tally().executions == 0
    assert sessions.opened == []


def test_start_of_the_guest_does_not_count_before_a_search(tmp_path, sessions, monkeypatch):
    head, now = tree(tmp_path / "head", app=ALARM), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sessions, "_raise_if", lambda *_: now.__setitem__(0, now[0] + 3.0))
    bench = SandboxExecutor(laboratory(head, head).ending(12.0), target(), 10.0)
    bench.search(target())
    assert bench.remaining() == 6.0


def test_nothing_to_run_starts_no_guest(bench, sessions):
    assert bench.run([]) == []
    assert sessions.opened == []


@pytest.mark.parametrize(("is_cheap", "opened"), [(True, 2), (False, 1)])
def test_cheap_guest_is_given_back(bench, sessions, monkeypatch, is_cheap, opened):
    monkeypatch.setattr(sessions, "is_cheap", is_cheap)
    first = bench.run([answered("Fire")])
    bench.give_back()
    assert bench.run([answered("Fire")]) == first
    assert len(sessions.opened) == opened
    assert bench.tally().executions == 2


def test_broken_guest_is_started_afresh_once(bench, sessions, monkeypatch):
    failures = [GuestFailure("broken pipe")]
    real = sessions.run
    monkeypatch.setattr(
        sessions, "run", lambda self, probes, seconds=10.0: _raise(failures) or real(self, probes)
    )
    assert len(bench.run([answered("Fire")])) == 1
    assert (len(sessions.opened), len(sessions.closed)) == (2, 1)
    failures += [GuestFailure("again")] * 2
    with pytest.raises(GuestFailure, match="again"):
        bench.run([answered("Fire")])


def _raise(failures):
    if failures:
        raise failures.pop()


def test_unloadable_target_is_an_obstacle(bench, sessions):
    sessions.trouble["unloadable"] = TargetNotLoaded("no module named x")
    assert bench.search(target()).obstacle == "no module named x"


def test_searching_counts_as_no_execution(bench):
    """How often a search has run the target is the guest's own word."""
    assert bench.search(target()).obstacle == "nothing to search"
    assert bench.tally().executions == 0
    assert (bench.standins, bench.notes) == (("numpy",), ("a note",))


def test_bench_reaches_the_outside_world(bench):
    assert bench.source("app.py") == ALARM
    assert not bench.substitute(LABELS)
    assert 90 < bench.remaining() <= 100
    assert bench.inputs(InputRequest(LABELS, "Zeppelin"), 3) == InputSupply(
        (), "Assayer has 0 pictures of 'Zeppelin'; there is none"
    )


def test_renamed_target_has_its_old_paths():
    moved = relocated(replace(target(), files=("app.py", "b.py")), {"app.py": "old.py"})
    assert (moved.path, moved.files) == ("old.py", ("old.py", "b.py"))


def test_circumstances_are_told_in_sentences(tmp_path):
    head = tree(tmp_path / "head", app=ALARM)
    (isolation,) = laboratory(head, head).describe()
    assert isolation.startswith("isolation: ")

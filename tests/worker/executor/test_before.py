"""A target as it was on base."""

import time
from contextlib import closing
from dataclasses import replace

import pytest

from analyzers.vocabulary import FileChange, NotRun, Returned
from tests.worker.sessions import answered, laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import SPENT, SandboxExecutor

OLD = "def check(path):\n    return labels()[0]\n"
NEW = "def check(path):\n    return labels()[-1]\n"
RENAMED = FileChange("app.py", frozenset({1}), old_path="old.py")


@pytest.fixture
def bench(tmp_path, sessions):
    """A bench of a target that was so on base; ``left`` seconds are left."""
    made = []

    def bench(*changes, left=100, **base):
        trees = tree(tmp_path / "head", app=NEW), tree(tmp_path / "base", **base)
        before = BaseTarget(laboratory(*trees), target(), changes)
        made.append(before)
        return SandboxExecutor(laboratory(*trees), target(), time.monotonic() + left, before)

    yield bench
    for before in made:
        before.close()


def values(runs):
    return [run.ending.value for run in runs if isinstance(run.ending, Returned)]


def test_recorded_answers_go_through_base(bench):
    runs = bench(app=OLD).run_on_base([answered("Fire", "Sky"), answered("Sea")])
    assert values(runs) == ["'Fire'", "'Sea'"]


def test_base_of_a_renamed_file_is_where_it_was(bench):
    renamed = bench(RENAMED, old=OLD)
    assert values(renamed.run_on_base([answered("Fire", "Sky")])) == ["'Fire'"]
    assert renamed.base("app.py") == ("old.py", OLD)
    assert renamed.base("other.py") is None


def test_base_that_asks_something_else_asks_the_engines(bench):
    probe = answered("Fire")
    (exchange,) = probe.script
    recorded = replace(exchange, answer={"label_annotations": [{"description": "Sky"}]})
    same, other = (replace(recorded, digest=digest) for digest in ("digest", "another"))
    probes = [replace(probe, script=(each,)) for each in (same, other)]
    assert values(bench(app=OLD).run_on_base(probes)) == ["'Sky'", "'Fire'"]


@pytest.mark.parametrize("base", [{}, {"app": "def other(): pass\n"}, {"app": "def check(:\n"}])
def test_target_that_base_lacks_has_no_runs(bench, sessions, base):
    assert bench(**base).run_on_base([answered("Fire")]) is None
    assert sessions.opened == []


@pytest.mark.parametrize("error", [TargetNotLoaded("no module named x"), GuestFailure("it died")])
def test_base_that_cannot_be_run_has_no_runs(bench, sessions, error):
    sessions.trouble["unloadable"] = error
    assert bench(app=OLD).run_on_base([answered("Fire")]) is None


def test_guest_that_broke_off_is_not_used_again(bench, sessions):
    broken = bench(app=OLD)
    sessions.trouble["unrunnable"] = GuestFailure("broken pipe")
    assert broken.run_on_base([answered("Fire")]) is None
    sessions.trouble.clear()
    assert values(broken.run_on_base([answered("Fire")])) == ["'Fire'"]
    assert len(sessions.opened) == 2


def test_spent_time_runs_nothing_on_base(bench, sessions):
    assert bench(app=OLD, left=-1).run_on_base([answered("Fire")]) == [SPENT]
    assert isinstance(SPENT.ending, NotRun)
    assert sessions.opened == []


def test_bench_without_a_base_has_none(tmp_path, sessions):
    head = tree(tmp_path / "head", app=NEW)
    alone = SandboxExecutor(laboratory(head, head), target(), time.monotonic() + 100)
    with closing(alone):
        assert alone.run_on_base([answered("Fire")]) is None
        assert alone.base("app.py") is None

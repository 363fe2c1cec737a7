"""What meets a limit of the sandbox: once more, alone and with more, or undecided."""

import signal
import time
from dataclasses import replace

import pytest

from analyzers.guest.runtime import exit_reasons
from analyzers.vocabulary import (
    Contract,
    Crashes,
    Died,
    ExplorationRequest,
    LiteralArgument,
    NotRun,
    Probe,
    Returned,
    Skipped,
)
from tests.analyzers.cloud.bench import goals
from tests.analyzers.samples import finding
from tests.worker.check.test_target_examiner import CRASHING, ScriptedAnalyzer, campaign, examined  # noqa: F401
from tests.worker.sessions import FakeSession, answered, laboratory, target, tree
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.execution_context import GuestRuntime
from worker.executor.guest_conversation import GuestEnded
from worker.executor.sandbox_executor import SandboxExecutor
from worker.sandbox.guest_limits import GIB, MIB, Limits
from worker.sandbox.isolation import TRUSTED
from worker.settings.operator_settings import SandboxSettings

APP = """\
import mmap
import os
import resource

from google.cloud import vision

SMALL = resource.getrlimit(resource.RLIMIT_AS)[0] < 3 << 30


def check(what):
    if what == "killed once" and SMALL or what == "killed":
        os.kill(os.getpid(), 9)
    if what == "large":
        mmap.mmap(-1, 5 << 29)
    if what == "huge":
        mmap.mmap(-1, 1 << 46)
    if what == "refused":
        raise MemoryError("one at a time, please")
    if what == "crash":
        os.kill(os.getpid(), 11)
    return what


def look(path):
    if SMALL:
        os.kill(os.getpid(), 9)
    client = vision.ImageAnnotatorClient()
    with open(path, "rb") as file:
        image = vision.Image(content=file.read())
    answer = client.label_detection(image=image)
    if "Fire" in [each.description for each in answer.label_annotations]:
        return "alarm"


def fill(n: int):
    return len(mmap.mmap(-1, n << 46))


def fit(n: int):
    return len(mmap.mmap(-1, 5 << 29)) + n
"""


@pytest.fixture
def bench(tmp_path):
    made = []

    def bench(function="check", memory=4 * GIB):
        limits = Limits(memory=memory, address_space=2 * GIB)
        place = GuestRuntime(TRUSTED, SandboxSettings().python, limits)
        head = tree(tmp_path / "head", app=APP)
        found = replace(
            target(function=function),
            goals=tuple(each for each in goals(APP) if each.function == function),
        )
        made.append(SandboxExecutor(laboratory(head, head, place), found, time.monotonic() + 300))
        return made[-1], found

    yield bench
    for each in made:
        each.close()


def given(what):
    return Probe("app.py::check", {"what": LiteralArgument(repr(what))}, ())


def endings(runs):
    return [run.ending for run in runs]


@pytest.mark.slow
def test_what_meets_a_limit_runs_again_with_more(bench):
    at, _ = bench()
    wanted = ["a", "killed once", "b", "large", "c"]
    assert endings(at.run([given(each) for each in wanted])) == [
        Returned(repr(each)) for each in wanted
    ]
    assert at.undecided == {}
    assert at.tally().executions == len(wanted)


@pytest.mark.parametrize("what", ["killed", "huge"])
def test_limit_that_is_met_again_is_ours(bench, what):
    at, _ = bench()
    first, met, last = endings(at.run([given("a"), given(what), given("b")]))
    assert (first, last) == (Returned("'a'"), Returned("'b'"))
    assert isinstance(met, NotRun)
    assert met.our_fault
    (told,) = at.undecided.values()
    assert "also alone, with more memory" in told


@pytest.mark.slow
def test_few_probes_are_tried_again_with_more(bench):
    at, _ = bench()
    runs = at.run([given("huge")] * 6)
    assert all(ending.our_fault for ending in endings(runs))
    assert "met a limit too often" in runs[-1].ending.reason


def test_crash_of_its_own_is_no_limit(bench):
    at, _ = bench()
    assert endings(at.run([given("crash"), given("a")])) == [Died(11), Returned("'a'")]
    (refused,) = endings(at.run([given("refused")]))
    assert (refused.exception, refused.refusal) == ("MemoryError", True)
    assert at.undecided == {}


@pytest.mark.slow
def test_search_that_was_killed_is_made_again(bench):
    at, wanted = bench("look")
    searched = at.search(wanted)
    assert "app.py::look#1:true" in {each.goal for each in searched.witnesses}
    assert at.undecided == {}


@pytest.mark.slow
@pytest.mark.parametrize(("function", "obstacle"), [("fit", None), ("fill", exit_reasons.MEMORY)])
def test_exploration_without_memory_is_made_again(bench, function, obstacle):
    at, wanted = bench(function)
    contract = Contract({"n": "ints(min=1, max=9)"})
    explored = at.explore(
        wanted, ExplorationRequest(contract, examples=9, seconds=20.0, timeout=20.0)
    )
    assert explored.obstacle == obstacle
    assert list(at.undecided) == ([obstacle] if obstacle else [])


def test_watch_that_kills_for_memory_is_named(bench):
    at, _ = bench(memory=MIB)
    (ending,) = endings(at.run([given("a")]))
    assert ending == NotRun("it used more than 2 MiB", our_fault=True)


# ------------------------------------------------------- guests that are not there


@pytest.fixture
def ending(sessions, monkeypatch):
    """Sessions that end as they are told to, one after another."""
    ends = []
    real = FakeSession.run

    def run(self, probes, seconds=10.0):
        end = ends.pop(0) if ends else None
        if isinstance(end, Exception):
            raise end
        return (
            real(self, probes)
            if end is None
            else [replace(r, ending=end) for r in real(self, probes)]
        )

    monkeypatch.setattr(sessions, "run", run)
    return ends


LIMIT = NotRun("it used more than 4096 MiB", our_fault=True)


def test_guest_that_ended_keeps_what_was_run(tmp_path, ending, sessions):
    head = tree(tmp_path / "head", app=CRASHING)
    at = SandboxExecutor(laboratory(head, head), target(), time.monotonic() + 100)
    ended = GuestEnded("it ran longer than 900 s\nand said nothing")
    ended.runs = FakeSession.run(
        sessions(at._laboratory.place, head.root, target(), None), [answered("Sky")]
    )
    ending += [ended, GuestEnded("again"), None]
    runs = at.run([answered("Sky"), answered("Sea"), answered("Sun")])
    assert endings(runs)[0] == ended.runs[0].ending
    assert endings(runs)[1] == NotRun("again", our_fault=True)
    assert isinstance(endings(runs)[2], Returned)
    assert list(at.undecided) == ["again"]


def test_finding_that_meets_a_limit_is_undecided(tmp_path, ending):
    head = tree(tmp_path / "head", app=CRASHING)
    here = laboratory(head, head)
    shown = finding(
        line=2, criterion=Crashes("IndexError", "app.py", "check"), probes=(answered(),)
    )
    ending += [LIMIT, LIMIT]
    told = Confirmer(here, target(), BaseTarget(here, target(), ())).confirmed(shown, [])
    assert isinstance(told, Skipped)
    assert told.our_fault
    assert "cloud/crash at app.py:2 could not be confirmed" in told.reason


def test_undecided_target_is_no_success(campaign, ending):  # noqa: F811
    ending += [LIMIT, LIMIT]
    report, _ = examined(campaign, target())
    (told,) = report.skipped
    assert (told.target, told.our_fault) == ("app.py::check", True)
    assert report.conclusion == "error"


def test_reason_that_was_given_is_given_once(campaign, ending):  # noqa: F811
    ending += [LIMIT, LIMIT]
    said = Skipped("speaking", "app.py::check", f"nothing was run: {LIMIT.reason}")
    report, _ = examined(campaign, target(), analyzer=ScriptedAnalyzer(said))
    (told,) = report.skipped
    assert told.analyzer == "speaking"
    assert told.our_fault
    assert "also alone" in told.reason


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL"])
def test_signals_of_defects_are_crashes(name):
    assert exit_reasons.is_crash(getattr(signal, name))


@pytest.mark.parametrize("name", ["SIGKILL", "SIGXCPU", "SIGTERM", "SIGALRM", "SIGSYS"])
def test_other_signals_are_limits(name):
    number = getattr(signal, name)
    assert not exit_reasons.is_crash(number)
    assert f"signal {int(number)}" in exit_reasons.reason(number)


def test_settings_say_how_much_more():
    limits = Limits(memory=GIB).times(SandboxSettings(retry=3).retry)
    assert (limits.memory, limits.wall_seconds, limits.patience) == (3 * GIB, 2700.0, 3.0)

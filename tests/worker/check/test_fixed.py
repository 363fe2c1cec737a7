"""What fails on base and returns on head is fixed."""

import signal
import time
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest

from analyzers.vocabulary import (
    BranchOutcome,
    Contract,
    Crashes,
    Died,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    Level,
    LiteralArgument,
    Misses,
    NotRun,
    Probe,
    Status,
    TimedOut,
)
from tests.analyzers.cloud.bench import goals
from tests.analyzers.samples import finding, raised, run
from tests.worker.sessions import TARGET, answered, laboratory, target, tree
from worker.check.base_comparison import BaseExplorer
from worker.executor.base_target import BaseTarget
from worker.executor.confirmation import Confirmer
from worker.executor.guest_conversation import GuestFailure, TargetNotLoaded
from worker.executor.sandbox_executor import SandboxExecutor

CRASHING = "def check(path):\n    return labels()[0]\n"
CAREFUL = "def check(path):\n    return labels()[:1]\n"
REFUSING = "def check(path):\n    if not labels():\n        raise ValueError(path)\n"
BROKEN = "def check(path):\n    return 1 / 0\n"
OTHER = "def check(path):\n    return {}[labels()[0]] if labels() else labels()[0]\n"
EMPTY, SKY = answered(), answered("Sky")


@pytest.fixture
def fixed(tmp_path, sessions):
    """What is fixed for probes that head ran, between two texts."""

    def fixed(base, head, probes=(EMPTY, SKY), kept=(), seconds=100, contract=None):
        trees = tree(tmp_path / "head", app=head), tree(tmp_path / "base", app=base)
        made = laboratory(*trees)
        made.examples.keep(TARGET, kept)
        before = BaseTarget(made, target(), ())
        bench = SandboxExecutor(made, target(), time.monotonic() + seconds, before)
        confirmer = Confirmer(made, target(), before)
        with closing(before), closing(bench), closing(confirmer):
            bench.run(probes)
            if contract is not None:
                bench.explore(target(), ExplorationRequest(contract))
            return list(BaseExplorer(target(), bench, before).fixed(confirmer.is_fixed))

    return fixed


@pytest.fixture
def confirmer(tmp_path, sessions):
    """Confirms what is fixed between two texts."""

    @contextmanager
    def confirmer(base, head):
        trees = tree(tmp_path / "head", app=head), tree(tmp_path / "base", app=base)
        made = laboratory(*trees)
        before = BaseTarget(made, target(), ())
        confirmer = Confirmer(made, target(), before)
        with closing(before), closing(confirmer):
            yield confirmer

    return confirmer


def test_crash_that_head_avoids_is_fixed(fixed):
    (finding,) = fixed(CRASHING, CAREFUL)
    assert (finding.rule, finding.status) == ("cloud/crash", Status.FIXED)
    assert finding.level is Level.FAILURE
    assert finding.criterion == Crashes("IndexError", "app.py", "check")
    assert finding.evidence["raised_at"] == "app.py:2"
    assert (finding.evidence["seen"], finding.evidence["executions"]) == (1, 2)
    assert finding.message.startswith("Fixed by this change. On base, given a picture, ")


@pytest.mark.parametrize(
    ("base", "head"),
    [(CRASHING, CRASHING), (CAREFUL, CAREFUL), (CAREFUL, CRASHING), (CRASHING, REFUSING)],
)
def test_only_what_returns_on_head_and_fails_on_base_is_fixed(fixed, base, head):
    assert fixed(base, head) == []


def test_one_cause_is_told_once(fixed):
    found = fixed(OTHER, CAREFUL, [EMPTY, SKY, answered("Sea"), answered("Fire")])
    assert [(each.input_kind, each.evidence["seen"]) for each in found] == [
        ("KeyError", 3),
        ("IndexError", 1),
    ]


def test_crash_without_an_answer_is_not_the_answers(fixed):
    assert fixed(BROKEN, CAREFUL) == []


def test_what_failed_before_is_tried_on_base(fixed):
    kept = Probe(TARGET, {"path": LiteralArgument("1")})
    (finding,) = fixed(BROKEN, CAREFUL.replace("labels()", "[]"), (), [kept])
    assert (finding.rule, finding.probes[0].arguments) == ("property/crash", kept.arguments)
    assert "`return 1 / 0` (app.py:2) raises `ZeroDivisionError`" in finding.message
    assert finding.evidence["arguments"] == {"path": "1"}


DRAWN = Probe(TARGET, {"path": LiteralArgument("3")})
PLAIN = "def check(path):\n    return path\n"


@pytest.fixture
def exploring(sessions, monkeypatch):
    """What each side was asked to explore: base fails with 4 of 10 inputs, head with none."""
    asked = []

    def explore(self, exploring):
        asked.append((self.source, exploring.contract.ensures))
        ending = raised("ZeroDivisionError", line=2)
        failures = (Failure(DRAWN, run(ending=ending), seen=4),) if "1 / 0" in self.source else ()
        return ExplorationResult(10, 10, seconds=0.1, failures=failures), frozenset()

    monkeypatch.setattr(sessions, "explore", explore)
    return asked


def test_base_is_explored_as_head_was(fixed, exploring):
    contract = Contract({"path": "ints(min=0)"})
    (finding,) = fixed(BROKEN, PLAIN, (), contract=contract)
    assert [source for source, _ in exploring] == [PLAIN, BROKEN]
    assert (finding.rule, finding.probes) == ("property/crash", (DRAWN,))
    assert finding.evidence["annotations"] == {"path": "ints(min=0)"}
    assert "4 of 10 inputs fail this way on base, none of them on head." in finding.message


def test_base_with_other_parameters_is_not_explored(fixed, exploring):
    other = BROKEN.replace("path", "path, size")
    assert fixed(other, PLAIN, (), contract=Contract({"path": "ints(min=0)"})) == []
    assert [source for source, _ in exploring] == [PLAIN]


@pytest.mark.parametrize(("said", "asked"), [("#@ensure(result > 0)\n", True), ("", False)])
def test_base_is_held_to_what_it_promised_itself(fixed, exploring, said, asked):
    ensures = ("result > 0",)
    head = f"#@ensure(result > 0)\n{PLAIN}"
    fixed(f"{said}{BROKEN}", head, (), contract=Contract(ensures=ensures))
    assert exploring[-1][1] == (ensures if asked else ())


def test_stand_in_that_only_base_met_fixes_nothing(fixed, sessions, monkeypatch):
    real = BaseTarget.standins.fget
    monkeypatch.setattr(BaseTarget, "standins", property(lambda self: (*real(self), "torch")))
    assert fixed(CRASHING, CAREFUL) == []


@pytest.mark.parametrize("trouble", [TargetNotLoaded("no module named x"), GuestFailure("it died")])
def test_base_that_cannot_be_run_has_nothing_fixed(fixed, sessions, trouble):
    sessions.trouble["# unloadable here"] = trouble
    assert fixed(f"# unloadable here\n{CRASHING}", CAREFUL) == []


def test_crash_that_a_fresh_base_does_not_show_is_not_fixed(fixed, sessions, monkeypatch):
    real, opened = sessions.run, sessions.opened

    def first_alone(self, probes, seconds=10.0):
        again = "labels()[0]" in self.source and opened.count("base") > 1
        return [run() for _ in probes] if again else real(self, probes, seconds)

    monkeypatch.setattr(sessions, "run", first_alone)
    assert fixed(CRASHING, CAREFUL) == []


@pytest.mark.parametrize(("number", "told"), [(signal.SIGSEGV, 1), (signal.SIGKILL, 0)])
def test_death_is_fixed_where_the_code_itself_died(fixed, sessions, monkeypatch, number, told):
    real = sessions.run

    def die(self, probes, seconds=10.0):
        there = "labels()[0]" in self.source
        return [run(ending=Died(number))] if there else real(self, probes, seconds)

    monkeypatch.setattr(sessions, "run", die)
    found = fixed(CRASHING, CAREFUL, [SKY])
    assert [each.evidence["exception"] for each in found] == ["process died"] * told


def test_base_that_missed_an_address_shows_nothing(fixed, sessions, monkeypatch):
    real = sessions.run

    def offline(self, probes, seconds=10.0):
        missed = ("example.com:443",) if "labels()[0]" in self.source else ()
        return [replace(each, outside=missed) for each in real(self, probes, seconds)]

    monkeypatch.setattr(sessions, "run", offline)
    assert fixed(CRASHING, CAREFUL) == []


def test_base_that_takes_too_long_is_left(fixed, sessions, monkeypatch):
    real, asked = sessions.run, []

    def slow(self, probes, seconds=10.0):
        if "labels()[0]" not in self.source:
            return real(self, probes, seconds)
        asked.append(len(probes))
        return [run(ending=TimedOut(seconds)) for _ in probes]

    monkeypatch.setattr(sessions, "run", slow)
    assert fixed(CRASHING, CAREFUL, [answered(str(number)) for number in range(50)]) == []
    assert asked == [20]


ALARM = 'def check(path):\n    if "Fire" in labels():\n        return 1\n    return 0\n'
WIDE = ALARM.replace("if ", 'if "Flame" in labels() or ')


@pytest.mark.parametrize(
    ("base", "head", "is_fixed"),
    [(ALARM, WIDE, True), (ALARM, ALARM, False), (WIDE, WIDE, False), (CAREFUL, WIDE, False)],
)
def test_missed_branch_is_fixed_where_only_base_misses_it(confirmer, base, head, is_fixed):
    branch = next(each for each in goals(head) if each.clause is None)
    found = finding(
        rule="cloud/low-recall",
        criterion=Misses(branch.whole(BranchOutcome.TRUE), 0.75),
        probes=(answered("Fire"), answered("Flame"), answered("Flame")),
        status=Status.FIXED,
    )
    with confirmer(base, head) as confirm:
        assert confirm.is_fixed(found) is is_fixed


def test_inputs_that_a_fresh_base_runs_in_part_show_nothing(confirmer, sessions, monkeypatch):
    real = sessions.run

    def in_part(self, probes, seconds=10.0):
        first, *rest = real(self, probes, seconds)
        there = "labels()[0]" in self.source
        return [first, *(run(ending=NotRun("no answer")) if there else each for each in rest)]

    monkeypatch.setattr(sessions, "run", in_part)
    found = finding(criterion=Crashes("IndexError", "app.py", "check"), probes=(EMPTY, SKY))
    with confirmer(CRASHING, CAREFUL) as confirm:
        assert not confirm.is_fixed(found)
        assert confirm.is_fixed(replace(found, probes=(EMPTY,)))


def test_spent_time_explores_nothing(fixed, sessions):
    assert fixed(CRASHING, CAREFUL, seconds=1) == []
    assert "base" not in sessions.opened

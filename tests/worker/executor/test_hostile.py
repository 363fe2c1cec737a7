"""A guest that hostile code has taken over: it ends, the worker and other targets do not."""

from __future__ import annotations

import resource
import select
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import worker.executor.guest_conversation
import worker.executor.session
from analyzers.vocabulary import (
    AssemblyRequest,
    BranchOutcome,
    Contract,
    ExecutionRequest,
    LiteralArgument,
    Probe,
    Raised,
    RelationRequest,
    Returned,
)
from tests.analyzers.cloud.bench import goals
from tests.worker.executor.hostile.main import ASSEMBLING, EXECUTING, RELATING, WAYS
from tests.worker.sessions import laboratory, target, tree
from worker.broker.api_broker import Broker
from worker.engines.engine_selection import Engines
from worker.engines.recordings import Recordings
from worker.errors import MachineError
from worker.executor import execution_context
from worker.executor.execution_context import GuestRuntime
from worker.executor.guest_conversation import GuestFailure
from worker.executor.sandbox_executor import SandboxExecutor
from worker.executor.session import Session
from worker.sandbox.guest_launch import GuestProgram
from worker.sandbox.guest_limits import Limits
from worker.sandbox.isolation import find_isolation

PROGRAM = GuestProgram(Path(__file__).parent / "hostile", "hostile")
APP = """\
def claims_the_work_of_others(names):
    if "Fire" in names:
        return 1
    return 2
"""
HONEST_ENOUGH = {
    *("raises_elsewhere", "claims_the_work_of_others", "relates_elsewhere", "executes_elsewhere"),
}
UNHEARD = {
    *("falls_silent", "says_half_a_result", "asks_without_listening"),
    *("relates_half", "executes_half", "assembles_half"),
}
MIB = 1 << 20


@pytest.fixture
def place(monkeypatch):
    try:
        isolation = find_isolation()
    except MachineError as missing:
        pytest.skip(str(missing))
    monkeypatch.setattr(execution_context, "guest_program", lambda: PROGRAM)
    return GuestRuntime(isolation, Path(sys.executable), Limits(wall_seconds=120))


@pytest.fixture
def broker():
    return Broker(Engines([]), Recordings(None), None)


def session(place, tmp_path, broker, way) -> Session:
    head = tree(tmp_path / "head", app=APP)
    return Session(place, head.root, target(function=way), broker)


PROBE = Probe("app.py::f", {"names": LiteralArgument("[]")})
ASKED = RelationRequest((PROBE,), Contract(), apis=("torch.lcm",), seconds=1.0)


RUN = ExecutionRequest((PROBE,), ("onnxruntime",), seconds=1.0)
VARIANTS = AssemblyRequest("app.py", (APP, APP), timeout=0.5, seconds=1.0)


def asked(hostile: Session, way: str) -> object:
    """What the guest is asked for, of which it makes something else."""
    if WAYS[way] in RELATING:
        return hostile.relate(ASKED)
    if WAYS[way] in EXECUTING:
        return hostile.execute(RUN)
    if WAYS[way] in ASSEMBLING:
        return hostile.assemble(VARIANTS)
    return hostile.run([PROBE], 1.0)


@pytest.mark.parametrize("way", sorted(set(WAYS) - HONEST_ENOUGH))
def test_hostile_guest_ends_alone(place, tmp_path, broker, way, monkeypatch):
    """Within bounded time and memory, as a failure of its own session."""
    if way in UNHEARD:
        monkeypatch.setattr(worker.executor.session, "MARGIN_SECONDS", 1.0)
        monkeypatch.setattr(worker.executor.session, "BUSY", 1.0)
        monkeypatch.setattr(worker.executor.session, "PROBE_SECONDS", 1.0)
        monkeypatch.setattr(worker.executor.session, "MODEL_SECONDS", 1.0)
        monkeypatch.setattr(worker.executor.guest_conversation, "ANSWER_SECONDS", 1.0)
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with session(place, tmp_path, broker, way) as hostile:
        if way == "answers_what_was_not_asked":
            assert select.select([hostile._talk._guest.channel._socket], [], [], 30)[0]
        with pytest.raises(GuestFailure):
            asked(hostile, way)
    assert time.monotonic() - began < 60
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 200 * MIB


def test_what_it_says_for_the_report_is_bounded(place, tmp_path, broker):
    with session(place, tmp_path, broker, "falls_silent") as hostile:
        assert sum(map(len, hostile.prepared.notes)) <= 100_000


def test_exception_outside_the_project_is_nowhere(place, tmp_path, broker):
    with session(place, tmp_path, broker, "raises_elsewhere") as hostile:
        for _ in range(4):
            (run,) = hostile.run([PROBE], 1.0)
            assert isinstance(run.ending, Raised)
            assert (run.ending.path, run.ending.function) == ("", "")


def test_library_calls_elsewhere_and_such_as_act_are_left_out(place, tmp_path, broker):
    with session(place, tmp_path, broker, "relates_elsewhere") as hostile:
        related = hostile.relate(ASKED)
    assert [at.path for _, at in related.beyond] == ["app.py"]


def test_layers_elsewhere_and_programs_that_act_are_left_out(place, tmp_path):
    head = tree(tmp_path / "head", app=APP)
    mine = target(function="executes_elsewhere")
    bench = SandboxExecutor(
        replace(laboratory(head, head), place=place), mine, time.monotonic() + 60
    )
    try:
        found = bench.execute(mine, RUN)
    finally:
        bench.close()
    assert found.obstacle is None
    layers = [each.layer.path for each in found.departures if each.layer is not None]
    assert layers == ["", "", "", "", "app.py"]
    singles = [each.single for each in found.departures if each.layer is None]
    assert singles == ["", "", "", "torch.nn.ReLU()", "", ""]
    conditions = {each.probe.ensures for each in found.departures}
    assert conditions == {("executes('divergence', 'onnxruntime')",)}


def test_guest_speaks_for_its_own_target_alone(place, tmp_path):
    """It may lie about itself; what ran, and for whom, the host counts."""
    head = tree(tmp_path / "head", app=APP, b="def victim(names):\n    return bool(names)\n")
    mine = replace(
        target(function="claims_the_work_of_others"), goals=tuple(goals(APP)), files=("app.py",)
    )
    bench = SandboxExecutor(
        replace(laboratory(head, head), place=place), mine, time.monotonic() + 60
    )
    try:
        searched = bench.search(mine)
        (run,) = bench.run([PROBE])
    finally:
        bench.close()
    tally = bench.tally()
    assert run.ending == Returned("None")
    assert {witness.goal for witness in searched.witnesses} == {goal.id for goal in mine.goals}
    assert searched.exhausted == ()
    assert set(searched.constants) == {goal.id for goal in mine.goals}
    assert tally.executions == 1
    assert (tally.branches_total, tally.branches_covered, tally.goals_reached) == (0, 0, 0)
    assert {goal.outcome for goal in mine.goals} == set(BranchOutcome)

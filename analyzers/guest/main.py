"""The guest process: a zygote that loads one target and forks to run it.

The host starts ``main(descriptor)``; ``docs/guest-protocol.md`` says what
comes and goes over the descriptor.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence

from .protocol import api_calls
from .protocol.child_channel import (
    AWAITING,
    IDLE,
    RUNNING,
    SENDING,
    HostSupplier,
    SharedMemory,
    Wire,
    WireError,
    pack,
    send_results,
)
from .runtime import exit_reasons, replaced_libraries, standins, time_limits
from .runtime.call_outcomes import not_run, timed_out
from .runtime.child_processes import OUR_FAILURE, fork, hide_streams, report_own_failure
from .runtime.execution import PreparedTarget, execute, execute_program
from .runtime.late_imports import LateImports
from .runtime.programs import ProgramRun
from .runtime.target_loading import LoadedProject, Unprepared

GRACE = 1.0
SEARCH_GRACE = 13.0
EXPLORE_GRACE = 14.0
STUDY_GRACE = 30.0
MOST_TIMED_OUT = 3
MOST_RECORDED = 64
_NAMED: Dict[Any, Any] = {}
_LONGEST = 4 * 1024 * 1024
_Answer = Callable[[PreparedTarget, Mapping[str, Any]], Mapping[str, Any]]


class Guest:
    """Serves the host until it says ``quit`` or goes away."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._board = SharedMemory()
        self._late = LateImports()
        self._project: Optional[LoadedProject] = None
        self._prepared: Optional[PreparedTarget] = None
        self._serve: Dict[str, Callable[[Mapping[str, Any]], None]] = {
            "prepare": self._prepare,
            "run": self._run,
            "search": self._search,
            "explore": self._explore,
            "observe": self._observe,
            "study": self._study,
            "record": self._record,
            "relate": self._relate,
            "execute": self._execute,
            "assemble": self._assemble,
            "resolve": self._resolve,
        }

    def serve(self) -> None:
        """Answer frame after frame."""
        while True:
            message = self._wire.receive()
            if message is None or message["type"] == "quit":
                return
            serve = self._serve.get(message["type"])
            if serve is None:
                raise WireError(f"an unknown frame {message['type']!r}")
            serve(message)

    def _prepare(self, message: Mapping[str, Any]) -> None:
        try:
            if self._project is None:
                self._project = LoadedProject(message)
            prepared = self._prepared = self._project.prepare(message)
        except Unprepared as reason:
            self._wire.send({"type": "unprepared", "reason": str(reason)})
            return
        replaced_libraries.begin()
        gc.collect()
        gc.freeze()
        self._wire.send(
            {
                "type": "prepared",
                "points": prepared.points,
                "parameters": prepared.parameters,
                "standins": list(standins.names),
                "replaced": replaced_libraries.libraries(),
                "notes": prepared.notes,
            }
        )

    def _target(self) -> PreparedTarget:
        if self._prepared is None:
            raise WireError("nothing has been prepared")
        return self._prepared

    # ---------------------------------------------------------------- run

    def _run(self, message: Mapping[str, Any]) -> None:
        prepared, board = self._target(), self._board
        prepared.blobs.update(message["blobs"])
        probes, seconds = message["probes"], message["seconds"]
        self._late.take()
        self._late.bring([each["program"] for each in probes if "program" in each])
        board.reset(0)
        slow = 0
        while board.index < len(probes):
            child = fork(lambda: self._run_from(board.index, message))
            status, killed = self._watch(child, seconds)
            index, running = board.index, self._settle(board.state)
            board.flush(self._wire)
            if running or status:
                if not killed:
                    self._done({"index": index, "signal": _signal(status)})
                    return
                self._report(index, timed_out(seconds))
                board.reset(index + 1)
            slow += 1
            if slow > MOST_TIMED_OUT:
                self._give_up(board.index, len(probes), seconds)
                break
        self._done(None)

    def _done(self, ended: Optional[Mapping[str, int]]) -> None:
        self._wire.send({"type": "done", "ended": ended, "used": replaced_libraries.used()})

    def _run_from(self, first: int, message: Mapping[str, Any]) -> None:
        """Run the probes from ``first``; after a time-out leave the rest to others."""
        prepared, board, seconds = self._target(), self._board, message["seconds"]
        sent, known = time.monotonic(), frozenset(sys.modules)
        for index in range(first, len(message["probes"])):
            probe = message["probes"][index]
            script = probe.get("script")
            board.run(index)
            ensures = probe.get("ensures") or ()
            supplier = self._supplier(script)
            observed = bool(probe.get("observed"))
            if "program" in probe:
                program = _program(prepared, probe)
                result = execute_program(
                    prepared, program, supplier, seconds, ensures, observed=observed
                )
                self._late.leave(known)
            else:
                result = execute(
                    prepared, probe["arguments"], supplier, seconds, ensures, observed=observed
                )
            found = result.as_json(index, scripted=script is not None)
            board.done(index, _json(found), self._wire)
            if result.ending["kind"] == "timed-out":
                break
            if time.monotonic() - sent > 0.05:
                board.flush(self._wire)
                sent = time.monotonic()
        board.flush(self._wire)

    def _settle(self, state: int) -> bool:
        """Return whether a child that has ended was at work; the wire is left between two frames.

        What it asked and did not live to read is thrown away.
        """
        if state == SENDING:
            raise WireError("a child died inside a frame")
        if state == AWAITING:
            self._wire.receive()
        return state != IDLE

    def _supplier(self, script: Any) -> api_calls.Supplier:
        if script is None:
            return HostSupplier(self._wire, self._board)
        if any("shape" in entry["answer"] for entry in script):
            from .search.answer_shapes import ShapedAnswers

            return ShapedAnswers(script)
        return api_calls.RecordedAnswers(script)

    def _watch(self, child: int, seconds: float) -> Any:
        """Wait for a child; kill it where a probe does not heed its limit."""
        killed = False
        clock, since, begun = time_limits.clock_of(child), -1.0, 0.0
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status, killed
            if self._board.since != since:
                since, begun = self._board.since, clock.now()
            running = self._board.state == RUNNING
            if running and clock.now() - begun > seconds + GRACE:
                os.kill(child, signal.SIGKILL)
                killed = True
            signal.sigtimedwait([signal.SIGCHLD], 0.1)

    def _report(self, index: int, ending: Mapping[str, Any]) -> None:
        result = {"index": index, "ending": ending, "hits": [], "exchanges": []}
        send_results(self._wire, [_json({**result, "seconds": ending.get("seconds", 0.0)})])

    def _give_up(self, first: int, end: int, seconds: float) -> None:
        reason = f"too many inputs before took longer than {seconds:g} s"
        for index in range(first, end):
            self._report(index, not_run(reason))

    # ------------------------------------------------------------- search

    def _search(self, message: Mapping[str, Any]) -> None:
        """Search; without the symbolic part where that does not come to an end."""
        end: Optional[_End] = None
        for seconds in dict.fromkeys([message["symbolic_seconds"], 0.0]):
            frame = {**message, "symbolic_seconds": seconds}
            most = seconds + message["mutation_seconds"] + SEARCH_GRACE
            end = self._answer(frame, _searched, most)
            if end is None:
                return
        self._say_end("search", end, lambda said: {**_NOTHING_FOUND, "obstacle": said})

    def _await_stage(self, child: int, seconds: float) -> _End:
        """Wait for a process that does a stage; kill it where that takes too long."""
        deadline = time.monotonic() + time_limits.BUSY * seconds
        late = 0.0
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return _End(status, late)
            is_late = time.monotonic() > deadline or time_limits.worked_by(child) > seconds
            if is_late and self._board.state != SENDING:
                os.kill(child, signal.SIGKILL)
                late = seconds
            signal.sigtimedwait([signal.SIGCHLD], 0.1)

    def _say_end(
        self, stage: str, end: Optional[_End], nothing: Callable[[str], Mapping[str, Any]]
    ) -> None:
        """Say that the process of a stage ended without a result, if it did, and why.

        By a signal or too late it met a limit; ``nothing`` makes the frame where it left.
        """
        if end is None:
            return
        if end.is_our_failure:
            raise RuntimeError(f"the {stage} ended without a result")
        number = _signal(end.status)
        why = f"it was not over after {end.late:g} s" if end.late else exit_reasons.reason(number)
        reason = f"the {stage} has no result: {why}"
        self._wire.send({"type": "limited", "reason": reason} if number else nothing(reason))

    # ------------------------------------------------------ explore and observe

    def _explore(self, message: Mapping[str, Any]) -> None:
        """Explore in a process of its own, which directs others."""
        end = self._answer(
            message, _explored, message["seconds"] + message["timeout"] + EXPLORE_GRACE
        )
        self._say_end("exploration", end, lambda said: {**_NOTHING_EXPLORED, "obstacle": said})

    def _observe(self, message: Mapping[str, Any]) -> None:
        """Run the project's own tests, and say how functions were called."""
        from .inputs.project_tests import nothing_observed

        end = self._answer(message, _observed, message["seconds"] + SEARCH_GRACE)
        self._say_end("run of the tests", end, nothing_observed)

    # ---------------------------------------------------- record and relate

    def _record(self, message: Mapping[str, Any]) -> None:
        """Run probes and tell their library calls."""
        from .relations.reaching import target_calls

        self._target().blobs.update(message["blobs"])
        self._in_child(message, target_calls.record, target_calls.nothing)

    def _relate(self, message: Mapping[str, Any]) -> None:
        """Compare the target's library calls with those that they should agree with."""
        from .relations.reaching import relate_frame

        self._target().blobs.update(message["blobs"])
        self._in_child(message, relate_frame.relate, relate_frame.nothing)

    def _execute(self, message: Mapping[str, Any]) -> None:
        """Run the model that the target is, or makes, by several executions."""
        from .models import execute_frame

        self._target().blobs.update(message["blobs"])
        self._in_child(message, execute_frame.execute, execute_frame.nothing, message["timeout"])

    def _resolve(self, message: Mapping[str, Any]) -> None:
        """Tell which names the installed libraries have."""
        from .runtime import name_lookup

        self._in_child(message, name_lookup.resolve, name_lookup.nothing_resolved)

    def _in_child(
        self,
        message: Mapping[str, Any],
        answer: _Answer,
        nothing: Callable[[str], Mapping[str, Any]],
        grace: float = EXPLORE_GRACE,
    ) -> None:
        """Answer a frame in a process that directs others; nothing where it does not live."""
        end = self._answer(message, answer, message["seconds"] + grace)
        self._say_end(message["type"], end, nothing)

    def _answer(
        self, message: Mapping[str, Any], answer: _Answer, seconds: float
    ) -> Optional[_End]:
        """Answer a frame in a process of its own; return how that ended without an answer."""
        self._board.reset(0)
        child = fork(lambda: self._answer_once(message, answer))
        end = self._await_stage(child, seconds)
        return None if self._board.index else end

    def _answer_once(self, message: Mapping[str, Any], answer: _Answer) -> None:
        self._board.run(0)
        found = pack({**answer(self._target(), message), "used": replaced_libraries.used()})
        self._board.enter(SENDING)
        self._wire.write(found)
        self._board.reset(1)

    def _assemble(self, message: Mapping[str, Any]) -> None:
        """Run variants of the target's file."""
        from .assembly import assembly

        self._target().blobs.update(message["blobs"])
        assembly.preload()
        self._in_child(message, assembly.assemble, assembly.nothing_assembled)

    # -------------------------------------------------------------- study

    def _study(self, message: Mapping[str, Any]) -> None:
        """Study a library in a process of its own, which says how far it is."""
        self._board.reset(0)
        child = fork(lambda: self._study_once(message))
        end = self._await_stage(child, message["seconds"] + STUDY_GRACE)
        if self._board.index:
            return
        if end.is_our_failure:
            os._exit(OUR_FAILURE)  # it has said why: a library that cannot be imported
        raise RuntimeError(f"the study ended: {exit_reasons.reason(_signal(end.status))}")

    def _study_once(self, message: Mapping[str, Any]) -> None:
        from .relations.study.library_study import study

        def send(frame: Mapping[str, Any]) -> None:
            packed = pack(frame)
            self._board.enter(SENDING)
            self._wire.write(packed)
            self._board.run(0)

        self._board.run(0)
        send(study(message, send))
        self._board.reset(1)


def _program(prepared: PreparedTarget, probe: Mapping[str, Any]) -> ProgramRun:
    recorder = _recorder(prepared, tuple(probe.get("recorded") or ()))
    return ProgramRun(probe["program"], prepared.root, probe.get("watched") or (), recorder)


def _recorder(prepared: PreparedTarget, functions: Sequence[str]) -> Optional[Any]:
    if not functions:
        return None
    from .inputs.observed_calls import CallRecorder, functions_by_line

    key = prepared.path, functions
    if key not in _NAMED:
        _NAMED[key] = functions_by_line(prepared, functions)
    return CallRecorder(_NAMED[key], MOST_RECORDED)


def _searched(prepared: PreparedTarget, message: Mapping[str, Any]) -> Mapping[str, Any]:
    from .search.answer_search import search

    return {**search(prepared, message), "type": "searched"}


def _explored(prepared: PreparedTarget, message: Mapping[str, Any]) -> Mapping[str, Any]:
    from .inputs.exploration.exploration import explore

    return explore(prepared, message)


def _observed(prepared: PreparedTarget, message: Mapping[str, Any]) -> Mapping[str, Any]:
    from .inputs.project_tests import observe

    found = observe(prepared, message)
    replaced_libraries.used()  # what tests use says nothing of the target
    return found


class _End(NamedTuple):
    """The end of a stage's process; ``late``: killed for not being over in these seconds."""

    status: int
    late: float = 0.0

    @property
    def is_our_failure(self) -> bool:
        """Return whether its own work failed."""
        return os.WIFEXITED(self.status) and os.WEXITSTATUS(self.status) == OUR_FAILURE


_NOTHING_FOUND: Mapping[str, Any] = {
    "type": "searched",
    "template": None,
    "witnesses": [],
    "crashes": [],
    "exhausted": [],
    "bound": "",
    "constants": {},
    "executions": 0,
}


_NOTHING_EXPLORED: Mapping[str, Any] = {
    "type": "explored",
    "executions": 0,
    "passed": 0,
    "refused": 0,
    "rejected": 0,
    "timed_out": 0,
    "seconds": 0.0,
    "failures": [],
    "passing": [],
    "failing": [],
    "hits": [],
    "unmet": None,
    "notes": [],
}


def _json(result: Mapping[str, Any]) -> bytes:
    """A result as JSON on one line, cut down where it is far too long."""
    body = pack(result)[4:]
    if len(body) <= _LONGEST:
        return body
    ending = not_run("the result is too long")
    return pack({**result, "ending": ending, "exchanges": [], "hits": [], "asked": []})[4:]


def _signal(status: int) -> int:
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def main(descriptor: int) -> None:
    """Serve the host on an inherited descriptor until it ends."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    guest = Guest(Wire(hide_streams(descriptor)))
    try:
        guest.serve()
    except BaseException:
        report_own_failure()
        os._exit(1)
    os._exit(0)


__all__ = ["Guest", "main"]

"""Library calls, seen and compared, in the words of docs/guest-protocol.md.

The channel checked their shape; here they are bounded to files, names and calls that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from analyzers.guest.inputs.exploration.postconditions import closed
from analyzers.relations.library_names import harmless, harmless_words
from analyzers.vocabulary import (
    Contract,
    Died,
    Divergence,
    ExplorationRequest,
    ExplorationResult,
    Failure,
    LibraryCall,
    ObservedCall,
    Probe,
    ReachedDivergence,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Run,
    Violated,
)
from worker.executor.probe_codec import (
    Frame,
    argument_frame,
    argument_of,
    call_of,
    ending_of,
    run_frame,
)


def explore_frame(exploring: ExplorationRequest, layer: Path | None) -> Frame:
    """The ``explore`` frame; ``layer`` holds the guest's own packages."""
    return {
        "type": "explore",
        "contract": contract_frame(exploring.contract),
        "generators": {n: contract_frame(each) for n, each in exploring.generators.items()},
        "first": [
            {place: argument_frame(argument) for place, argument in each.items()}
            for each in exploring.first
        ],
        "examples": exploring.examples,
        "seconds": exploring.seconds,
        "timeout": exploring.timeout,
        "seed": exploring.seed,
        "layer": None if layer is None else str(layer),
    }


def postconditions_of(contract: Contract) -> tuple[str, ...]:
    """Return a contract's postconditions as they are asked outside of an exploration."""
    return tuple(closed(contract.ensures, contract.arguments))


def contract_frame(contract: Contract) -> Frame:
    """A contract as the guest reads it."""
    constructor = contract.constructor
    return {
        "arguments": dict(contract.arguments),
        "requires": list(contract.requires),
        "ensures": list(contract.ensures),
        "constructor": None if constructor is None else contract_frame(constructor),
        "examples": list(contract.examples),
        "defaults": dict(contract.defaults),
        "calls": [dict(each) for each in contract.calls],
    }


def explored_of(frame: Frame, target: str, ensures: Sequence[str]) -> ExplorationResult:
    """Return what came of an exploration; inputs are run again with ``ensures``."""
    unmet = frame["unmet"]
    return ExplorationResult(
        executions=frame["executions"],
        passed=frame["passed"],
        refused=frame["refused"],
        rejected=frame["rejected"],
        timed_out=frame["timed_out"],
        seconds=float(frame["seconds"]),
        failures=tuple(_failure(each, target, ensures) for each in frame["failures"]),
        passing=tuple(_probe(each, target, ensures) for each in frame["passing"]),
        failing=tuple(_probe(each, target, ensures) for each in frame["failing"]),
        unmet=None if unmet is None else (unmet["annotation"], unmet["problem"]),
        obstacle=frame["obstacle"],
        notes=tuple(frame["notes"]),
    )


def _failure(frame: Frame, target: str, ensures: Sequence[str]) -> Failure:
    died = "signal" in frame
    ending = Died(frame["signal"]) if died else ending_of(frame["ending"])
    probe = _probe(frame["arguments"], target, ensures)
    matters = tuple(name for name in frame["matters"] if name in probe.arguments)
    return Failure(probe, Run(ending), matters, frame["seen"])


def _probe(arguments: Frame, target: str, ensures: Sequence[str]) -> Probe:
    made = {place: argument_of(each) for place, each in arguments.items()}
    return Probe(target, made, ensures=tuple(ensures))


def observe_frame(
    functions: Sequence[str],
    tests: Sequence[str],
    seconds: float,
    layer: Path | None,
    documents: Sequence[str] = (),
) -> Frame:
    """The ``observe`` frame: which functions to watch while which tests and examples run."""
    return {
        "type": "observe",
        "functions": list(functions),
        "tests": list(tests),
        "documents": list(documents),
        "seconds": seconds,
        "layer": None if layer is None else str(layer),
    }


def observed_of(
    frame: Frame, functions: Sequence[str], tests: Sequence[str]
) -> tuple[ObservedCall, ...]:
    """The calls of an ``observed`` frame, of functions and in tests that were asked for."""
    return tuple(
        call_of(each)
        for each in frame["calls"]
        if each["function"] in functions and each["test"].partition("::")[0] in tests
    )


IsFile = Callable[[str], bool]


def record_frame(probes: Sequence[Probe], seconds: float, timeout: float) -> Frame:
    """The ``record`` frame; ``timeout`` is the limit of one probe."""
    return {**run_frame(probes, seconds), "type": "record", "timeout": timeout}


def relate_frame(relating: RelationRequest, layer: Path | None, timeout: float) -> Frame:
    """The ``relate`` frame; ``layer`` holds the guest's own packages."""
    return {
        **run_frame(relating.probes, relating.seconds),
        "type": "relate",
        "timeout": timeout,
        "contract": contract_frame(relating.contract),
        "generators": {n: contract_frame(each) for n, each in relating.generators.items()},
        "apis": list(relating.apis),
        "equivalences": [asdict(each) for each in relating.equivalences],
        "known": [asdict(each) for each in relating.known],
        "seed": relating.seed,
        "layer": None if layer is None else str(layer),
    }


def recorded_of(frame: Frame, is_file: IsFile) -> RecordedCalls:
    """The library calls of a ``recorded`` frame that stand in files of the tree."""
    return RecordedCalls(
        frame["library"],
        frame["version"],
        tuple(_place(each, each["probe"]) for each in frame["calls"] if is_file(each["path"])),
        tuple(frame["notes"]),
    )


def related_of(frame: Frame, target: str, is_file: IsFile) -> RelationResult:
    """Return what came of comparing, from a ``related`` frame.

    Rows that name other functions of a library than computing ones, or another postcondition,
    are left out, except inputs that end the process.
    """
    reached = [_reached(each, target) for each in _told(frame["reached"], is_file)]
    return RelationResult(
        reached=tuple(filter(_is_consistent, reached)),
        beyond=tuple(
            (_divergence(each["divergence"]), _place(each["at"]))
            for each in _told(frame["beyond"], is_file)
            if each["divergence"]["call"]
        ),
        executions=frame["executions"],
        seconds=float(frame["seconds"]),
        obstacle=frame["obstacle"],
        notes=tuple(frame["notes"]),
    )


def agreement_condition(divergence: Divergence) -> str:
    """The postcondition that a divergence breaks."""
    parts = (divergence.api, divergence.relation, divergence.related)
    return f"agrees({', '.join(map(repr, parts))})"


def _told(frames: Iterable[Frame], is_file: IsFile) -> list[Frame]:
    return [each for each in frames if is_file(each["at"]["path"]) and _is_harmless(each)]


def _is_harmless(frame: Frame) -> bool:
    divergence = frame["divergence"]
    return harmless(divergence["call"]) and harmless_words(divergence["related"])


def _reached(frame: Frame, target: str) -> ReachedDivergence:
    divergence = _divergence(frame["divergence"])
    made = {place: argument_of(each) for place, each in frame["arguments"].items()}
    ensures = (agreement_condition(divergence),) if frame["ensures"] else ()
    ending = Died(frame["signal"]) if "signal" in frame else ending_of(frame["ending"])
    probe = Probe(target, made, (), ensures)
    return ReachedDivergence(divergence, _place(frame["at"]), probe, Run(ending))


def _is_consistent(reached: ReachedDivergence) -> bool:
    ending = reached.run.ending
    if isinstance(ending, Violated):
        return bool(reached.divergence.call) and reached.probe.ensures == (ending.condition,)
    return not reached.probe.ensures


def _divergence(frame: Frame) -> Divergence:
    return Divergence(**{name: frame[name] for name in _PARTS})


_PARTS = ("api", "rule", "relation", "related", "call", "outcome", "expected")


def _place(frame: Frame, probe: int = 0) -> LibraryCall:
    source = frame["source"] if harmless(frame["source"]) else ""
    return LibraryCall(frame["api"], frame["path"], frame["line"], frame["function"], source, probe)

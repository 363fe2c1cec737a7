"""Models run several ways, in the words of docs/guest-protocol.md.

The channel checked their shape; broken conditions are written here from rule and execution.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from analyzers.guest.models.mutation.mutation_grammar import format_mutations, parse_mutations
from analyzers.relations.library_names import harmless_template, is_line
from analyzers.vocabulary import (
    AssembledRun,
    AssemblyRequest,
    Departure,
    Died,
    ExecutionRequest,
    ExecutionResult,
    LayerError,
    ModelLayer,
    Probe,
    Run,
    Violated,
)
from worker.executor.exploration_codec import contract_frame
from worker.executor.probe_codec import Frame, argument_of, ending_of, run_frame


def assemble_frame(assembling: AssemblyRequest) -> Frame:
    """The ``assemble`` frame."""
    probes = () if assembling.probe is None else (assembling.probe,)
    frame = run_frame(probes, assembling.seconds)
    return {
        "type": "assemble",
        "blobs": frame["blobs"],
        "seconds": frame["seconds"],
        "files": list(assembling.files),
        "probe": frame["probes"][0] if probes else None,
        "train": assembling.train,
        "timeout": assembling.timeout,
        "seed": assembling.seed,
    }


def assembled_of(frame: Frame, files: int) -> tuple[AssembledRun, ...]:
    """A state for each file; ``not-run`` where the guest has none."""
    states = frame["states"] or [None] * files
    return tuple(NOTHING if each is None else _state(each) for each in states)


def _state(frame: Frame) -> AssembledRun:
    changed: Frame = {"apis": tuple(frame["apis"]), "seconds": float(frame["seconds"])}
    return AssembledRun(**{**frame, **changed})


NOTHING = AssembledRun("not-run", detail="the process that runs them broke off")

IsFile = Callable[[str], bool]


def execute_frame(executing: ExecutionRequest, layer: Path | None, timeout: float) -> Frame:
    """The ``execute`` frame; ``timeout`` is the limit of one execution."""
    forward = executing.forward
    return {
        **run_frame(executing.probes, executing.seconds),
        "type": "execute",
        "timeout": timeout,
        "contract": None if forward is None else contract_frame(forward),
        "generators": {n: contract_frame(each) for n, each in executing.generators.items()},
        "executions": list(executing.executions),
        "ratio": executing.ratio,
        "mutants": executing.mutants,
        "guided": executing.guided,
        "seed": executing.seed,
        "layer": None if layer is None else str(layer),
    }


def executed_of(frame: Frame, target: str, is_file: IsFile) -> ExecutionResult:
    """Return what came of running a model several ways; inconsistent departures are left out."""
    departures = (_departure(each, target, is_file) for each in frame["departures"])
    return ExecutionResult(
        departures=tuple(each for each in departures if each is not None),
        done=tuple(frame["done"]),
        left_out=tuple((each["execution"], each["reason"]) for each in frame["left_out"]),
        model=frame["model"],
        mutants=frame["mutants"],
        amplified=frame["amplified"],
        apis=tuple(frame["apis"]),
        executions=frame["executions"],
        seconds=float(frame["seconds"]),
        obstacle=frame["obstacle"],
        notes=tuple(frame["notes"]),
        versions=tuple((each["package"], each["version"]) for each in frame["versions"]),
    )


def execution_condition(
    rule: str, execution: str, inputs: str = "", mutations: str = "", other: str = ""
) -> str:
    """The postcondition that a departure breaks, as it is asked again."""
    parts = [repr(rule), repr(execution)]
    if inputs:
        parts.append(f"inputs={inputs!r}")
    if mutations:
        parts.append(f"mutations={mutations!r}")
    if other:
        parts.append(f"other={other!r}")
    return ast.unparse(ast.parse(f"executes({', '.join(parts)})", mode="eval"))


def _departure(frame: Frame, target: str, is_file: IsFile) -> Departure | None:
    condition = execution_condition(*(frame[name] for name in _ASKED))
    made = {place: argument_of(each) for place, each in frame["arguments"].items()}
    ending = Died(frame["signal"]) if frame["ending"] is None else ending_of(frame["ending"])
    if isinstance(ending, Violated):
        ending = Violated(condition, ending.detail)
    elif not isinstance(ending, Died):
        return None
    return Departure(
        rule=frame["rule"],
        execution=frame["execution"],
        probe=Probe(target, made, (), (condition,)),
        run=Run(ending),
        layer=None if frame["layer"] is None else _layer(frame["layer"], is_file),
        single=frame["single"] if _is_program(frame["single"]) else "",
        layers=tuple(LayerError(**each) for each in frame["layers"]),
        mutations=tuple(format_mutations([each]) for each in parse_mutations(frame["mutations"])),
        **{name: frame[name] for name in _PLAIN},
    )


_ASKED = ("rule", "execution", "inputs", "mutations", "other")
_PLAIN = ("outcome", "expected", "error_ratio", "d_mad", "low", "high")


def _layer(frame: Frame, is_file: IsFile) -> ModelLayer:
    known = bool(frame["line"]) and is_file(frame["path"])
    return ModelLayer(
        frame["name"],
        frame["kind"],
        frame["path"] if known else "",
        frame["line"] if known else 0,
        frame["source"] if is_line(frame["source"]) else "",
    )


def _is_program(source: str) -> bool:
    return bool(source) and is_line(source) and harmless_template(source)

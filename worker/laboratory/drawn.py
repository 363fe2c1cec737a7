"""Explorations and observed calls in the words of docs/guest-protocol.md.

What comes from the guest has the right shape (the channel checked it); here it
is bounded to what the host knows: functions that were asked for, constraints
that parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from analyzers.guest.exploring.postconditions import closed
from analyzers.vocabulary import (
    Contract,
    Died,
    Explored,
    Exploring,
    Failure,
    ObservedCall,
    Probe,
    Run,
)
from worker.laboratory.codec import Frame, argument_frame, argument_of, ending_of
from worker.sandbox.explored import LONGEST_CONSTRAINT
from worker.sandbox.said import is_constraint


def explore_frame(exploring: Exploring, layer: Path | None) -> Frame:
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


def promised(contract: Contract) -> tuple[str, ...]:
    """The postconditions of a contract as they are asked outside of an exploration.

    What they have to know of the arguments' constraints is written into them.
    """
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
    }


def explored_of(frame: Frame, target: str, ensures: Sequence[str]) -> Explored:
    """What came of an exploration, from its ``explored`` frame.

    ``ensures`` are the postconditions that inputs are run with again.
    """
    unmet = frame["unmet"]
    return Explored(
        executions=frame["executions"],
        passed=frame["passed"],
        refused=frame["refused"],
        rejected=frame["rejected"],
        timed_out=frame["timed_out"],
        seconds=float(frame["seconds"]),
        failures=tuple(_failure(each, target, ensures) for each in frame["failures"]),
        passing=tuple(_probe(each, target, ensures) for each in frame["passing"]),
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


def observe_frame(functions: Sequence[str], tests: Sequence[str], seconds: float) -> Frame:
    """The ``observe`` frame: which functions to watch while which tests run."""
    return {
        "type": "observe",
        "functions": list(functions),
        "tests": list(tests),
        "seconds": seconds,
    }


def observed_of(
    frame: Frame, functions: Sequence[str], tests: Sequence[str]
) -> tuple[ObservedCall, ...]:
    """The calls of an ``observed`` frame, of functions and in tests that were asked for."""
    return tuple(
        ObservedCall(
            each["function"], _constraints(each["arguments"]), each["test"], each["raised"]
        )
        for each in frame["calls"]
        if each["function"] in functions and each["test"].partition("::")[0] in tests
    )


def _constraints(arguments: Mapping[str, str]) -> dict[str, str]:
    """The arguments whose description can be read."""
    return {
        name: said
        for name, said in arguments.items()
        if name.isidentifier() and is_constraint(said, LONGEST_CONSTRAINT, literal=True)
    }

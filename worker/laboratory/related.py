"""Library calls, seen and compared, in the words of docs/guest-protocol.md.

What comes from the guest has the right shape (the channel checked it); here it
is bounded to what the host knows: files of the tree, recipes that use the file's own
names, calls that only compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from analyzers.relations.library_names import harmless, harmless_words
from analyzers.vocabulary import (
    Died,
    Divergence,
    LibraryCall,
    Probe,
    Reached,
    Recorded,
    Related,
    Relating,
    Run,
    Violated,
)
from worker.laboratory.codec import Frame, argument_of, ending_of, run_frame
from worker.laboratory.drawn import contract_frame

IsFile = Callable[[str], bool]


def record_frame(probes: Sequence[Probe], seconds: float, timeout: float) -> Frame:
    """The ``record`` frame; ``timeout`` is the limit of one probe."""
    return {**run_frame(probes, seconds), "type": "record", "timeout": timeout}


def relate_frame(relating: Relating, layer: Path | None, timeout: float) -> Frame:
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


def recorded_of(frame: Frame, is_file: IsFile) -> Recorded:
    """The library calls of a ``recorded`` frame that stand in files of the tree."""
    return Recorded(
        frame["library"],
        frame["version"],
        tuple(_place(each, each["probe"]) for each in frame["calls"] if is_file(each["path"])),
        tuple(frame["notes"]),
    )


def related_of(frame: Frame, target: str, is_file: IsFile) -> Related:
    """What came of comparing, from a ``related`` frame.

    Left out is what names other functions of a library than those that compute, what
    breaks another postcondition than its own, and what does not say by which call,
    unless an input is there that ends the process.
    """
    reached = [_reached(each, target) for each in _told(frame["reached"], is_file)]
    return Related(
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


def agreement(divergence: Divergence) -> str:
    """The postcondition that a divergence breaks."""
    parts = (divergence.api, divergence.relation, divergence.related)
    return f"agrees({', '.join(map(repr, parts))})"


def _told(frames: Iterable[Frame], is_file: IsFile) -> list[Frame]:
    return [each for each in frames if is_file(each["at"]["path"]) and _is_harmless(each)]


def _is_harmless(frame: Frame) -> bool:
    divergence = frame["divergence"]
    return harmless(divergence["call"]) and harmless_words(divergence["related"])


def _reached(frame: Frame, target: str) -> Reached:
    divergence = _divergence(frame["divergence"])
    made = {place: argument_of(each) for place, each in frame["arguments"].items()}
    ensures = (agreement(divergence),) if frame["ensures"] else ()
    ending = Died(frame["signal"]) if "signal" in frame else ending_of(frame["ending"])
    probe = Probe(target, made, (), ensures)
    return Reached(divergence, _place(frame["at"]), probe, Run(ending))


def _is_consistent(reached: Reached) -> bool:
    """Whether a run ends as it is told to: a condition that does not hold is the host's own."""
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

"""Variants of a file, and what they came to, in the words of docs/guest-protocol.md."""

from __future__ import annotations

from analyzers.vocabulary import Assembled, Assembling
from worker.laboratory.codec import Frame, run_frame


def assemble_frame(assembling: Assembling) -> Frame:
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


def assembled_of(frame: Frame, files: int) -> tuple[Assembled, ...]:
    """A state for each file; ``not-run`` where the guest has none."""
    states = frame["states"] or [None] * files
    return tuple(NOTHING if each is None else _state(each) for each in states)


def _state(frame: Frame) -> Assembled:
    changed: Frame = {"apis": tuple(frame["apis"]), "seconds": float(frame["seconds"])}
    return Assembled(**{**frame, **changed})


NOTHING = Assembled("not-run", detail="the process that runs them broke off")

"""The frame ``study`` is answered with progress and an end, over the wire."""

import os
import socket

from analyzers.guest.main import main
from analyzers.guest.protocol.child_channel import Wire
from tests.analyzers.guest.relations.small import CALLS, FUNCTIONS, SmallLibrary

FEW = {name: FUNCTIONS[name] for name in ("absolute", "magnitude")}
STUDY = {
    "type": "study",
    "library": "small",
    "task": "relations",
    "apis": None,
    "relations": [],
    "done": {},
    "inputs": 12,
    "seconds": 60.0,
    "seed": 0,
    "workers": 2,
    "oracles": None,
}


def test_a_guest_studies(monkeypatch):
    monkeypatch.setattr(
        "analyzers.guest.relations.study.library_study.installed",
        lambda name: SmallLibrary(FEW, CALLS[:2]),
    )
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        ours.close()
        main(theirs.fileno())
    theirs.close()
    wire = Wire(ours.fileno())
    wire.send(STUDY)
    frames = [wire.receive()]
    while frames[-1]["type"] != "studied":
        frames.append(wire.receive())
    wire.send({"type": "quit"})
    assert os.waitpid(child, 0)[1] == 0
    assert {frame["type"] for frame in frames[:-1]} == {"progress"}
    assert frames[-1] == {"type": "studied", "version": "1.0", "notes": [], "complete": True}
    rows = [row for frame in frames[:-1] for row in frame["rows"] if row["kind"] == "relation"]
    assert [(row["source"], row["target"], row["holds"]) for row in rows] == [
        ("small.absolute", "small.magnitude", "value"),
        ("small.magnitude", "small.absolute", "value"),
    ]

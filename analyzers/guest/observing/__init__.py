"""Runs the project's own tests and notes how some functions were called."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping

from ..execution import Prepared
from .functions import numbered
from .recorder import Recorder
from .running import run_tests

MOST_CALLS = 2000


def observe(prepared: Prepared, message: Mapping[str, Any]) -> Dict[str, Any]:
    """The ``observed`` frame for an ``observe`` frame (docs/guest-protocol.md).

    Runs in a process of its own with the target loaded: whatever the tests do
    to it ends with it.
    """
    notes: List[str] = []
    names = numbered(prepared, message["functions"])
    recorder = Recorder(prepared, names, MOST_CALLS)
    notes += run_tests(prepared.root, message["tests"], message["seconds"], recorder)
    return {
        "type": "observed",
        "calls": recorder.calls(),
        "outcomes": recorder.outcomes,
        "notes": notes[:20],
    }


def nothing(reason: str) -> Dict[str, Any]:
    """The frame where the tests could not be run to an end."""
    return {"type": "observed", "calls": [], "outcomes": {}, "notes": [reason]}

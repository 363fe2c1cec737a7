"""What the run of one assembled file came to (MoCo, section III-A3), as the protocol has it."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Dict, Optional

from .. import deaths

LOAD, BUILD, FORWARD, BACKWARD, STEP = "load", "build", "forward", "backward", "step"
STAGES = (LOAD, BUILD, FORWARD, BACKWARD, STEP)
RAN, RAISED, DIED, TIMED_OUT, NOT_RUN = "ran", "raised", "died", "timed-out", "not-run"
LONGEST = 300
State = Dict[str, Any]


def state(kind: str, stage: str = "", **more: Any) -> State:
    """The state of one file; what is not told is as it is where nothing happened."""
    return {
        "state": kind,
        "stage": stage,
        "exception": "",
        "detail": "",
        "line": 0,
        "finite": True,
        "apis": [],
        "seconds": 0.0,
        **more,
    }


def raised(error: BaseException, stage: str, file: str) -> State:
    """The state of a file that raised, with the deepest of its own lines."""
    if deaths.is_limit(error):
        return state(NOT_RUN, stage, detail=deaths.MEMORY)
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = f"{kind.__module__}.{name}"
    line = _own_line(error.__traceback__, file)
    if not line and isinstance(error, SyntaxError):
        line = error.lineno or 0
    return state(RAISED, stage, exception=name[:LONGEST], detail=_said(error), line=line)


def _said(error: BaseException) -> str:
    try:
        return str(error)[:LONGEST]
    except BaseException:
        return ""


def _own_line(trace: Optional[TracebackType], file: str) -> int:
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line

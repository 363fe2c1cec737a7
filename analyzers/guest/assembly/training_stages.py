"""Results of running one assembled file (MoCo, section III-A3), as the protocol has them."""

from __future__ import annotations

import functools
import sys
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Callable, Dict, Generator, Optional

from ..runtime import exit_reasons

LOAD, BUILD, FORWARD, BACKWARD, STEP = "load", "build", "forward", "backward", "step"
STAGES = (LOAD, BUILD, FORWARD, BACKWARD, STEP)
RAN, RAISED, DIED, TIMED_OUT, NOT_RUN = "ran", "raised", "died", "timed-out", "not-run"
LONGEST = 300
State = Dict[str, Any]


def state(kind: str, stage: str = "", **more: Any) -> State:
    """Return the state of one file; what is not told is as it is where nothing happened."""
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
    """Return the state of a file that raised, with the deepest of its own lines."""
    if exit_reasons.is_limit(error):
        return state(NOT_RUN, stage, detail=exit_reasons.MEMORY)
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


Stage = Callable[[str], None]


class ScriptProgress:
    """The state of a script: whether each loss that it derived was finite."""

    finite = True


@contextmanager
def watch_stages(stage: Stage) -> Generator[ScriptProgress, None, None]:
    """Tell the stage of what runs inside by the calls of torch that it makes."""
    seen = ScriptProgress()
    torch = sys.modules.get("torch")
    if torch is None:
        yield seen
        return

    def derived(loss: Any, *_: Any, **__: Any) -> None:
        if loss.is_floating_point() and not bool(torch.isfinite(loss).all()):
            seen.finite = False
        stage(BACKWARD)

    from torch.optim.optimizer import register_optimizer_step_pre_hook

    def stepping(*_: Any) -> None:
        stage(STEP)

    module = torch.nn.Module
    with ExitStack() as stack:
        stack.enter_context(_before(module, "__init__", lambda *_, **__: stage(BUILD)))
        stack.enter_context(_before(module, "__call__", lambda *_, **__: stage(FORWARD)))
        stack.enter_context(_before(torch.Tensor, "backward", derived))
        stack.callback(register_optimizer_step_pre_hook(stepping).remove)
        yield seen


@contextmanager
def _before(owner: Any, name: str, act: Callable[..., None]) -> Generator[None, None, None]:
    plain = getattr(owner, name)

    @functools.wraps(plain)
    def acting(*given: Any, **more: Any) -> Any:
        act(*given, **more)
        return plain(*given, **more)

    setattr(owner, name, acting)
    try:
        yield
    finally:
        setattr(owner, name, plain)

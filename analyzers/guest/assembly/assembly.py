"""The frame ``assemble``: variants of a file, run one after another in forked processes."""

from __future__ import annotations

import functools
import gc
import sys
import warnings
from contextlib import suppress
from typing import Any, Callable, Dict, List, Mapping, Optional

from ..relations.process_pool import (
    ItemFailed,
    ProcessDied,
    ProcessHung,
    ProcessPool,
    ReplaceProcess,
)
from ..runtime import exit_reasons, time_limits
from ..runtime.execution import PreparedTarget
from . import training_stages
from .training_stages import State
from .variant_runs import VariantRunner

WORKERS = 2
FILES_A_PROCESS = 2_000
COLLECT_EVERY = 100
GRACE = 0.5
NO_TIME = "the time was spent"


def assemble(prepared: PreparedTarget, message: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the ``assembled`` frame to an ``assemble`` frame."""
    return {"type": "assembled", "states": run(prepared, message)}


def nothing_assembled(reason: str, files: int = 0) -> Dict[str, Any]:
    """Return the ``assembled`` frame where nothing came of it."""
    return {
        "type": "assembled",
        "states": [training_stages.state(training_stages.NOT_RUN, detail=reason)] * files,
    }


def preload() -> None:
    """Load what all files need, before the process that answers is forked; that is done once."""
    with suppress(Exception):
        _load_optimizers()


def run(prepared: PreparedTarget, message: Mapping[str, Any]) -> List[State]:
    """Return the state of each file, in order."""
    files = message["files"]
    found: List[Optional[State]] = [None] * len(files)
    shares = [range(at, len(files), WORKERS) for at in range(min(WORKERS, len(files)))]
    work = _Work(prepared, message, [list(share) for share in shares])
    pool = ProcessPool(
        work.work,
        len(shares),
        message["timeout"] + GRACE,
        workers=WORKERS,
        deaths=len(files) + 1,
    )
    for item, result in pool:
        _take(result, shares[item], found)
    lost = training_stages.state(training_stages.NOT_RUN, detail=NO_TIME)
    return [lost if each is None else each for each in found]


def _take(result: Any, share: range, found: List[Optional[State]]) -> None:
    if isinstance(result, (ProcessDied, ProcessHung, ItemFailed)):
        if 0 <= result.step < len(share):
            found[share[result.step]] = _ended(result)
    elif hasattr(result, "value"):
        found[share[result.value["step"]]] = result.value["state"]


def _ended(result: Any) -> State:
    if isinstance(result, ProcessHung):
        return training_stages.state(training_stages.TIMED_OUT, result.text, seconds=result.seconds)
    if (
        isinstance(result, ProcessDied)
        and result.signal
        and not exit_reasons.is_crash(result.signal)
    ):
        return training_stages.state(
            training_stages.NOT_RUN, result.text, detail=exit_reasons.reason(result.signal)
        )
    if isinstance(result, ProcessDied):
        return training_stages.state(
            training_stages.DIED, result.text, detail=_signal(result.signal)
        )
    return training_stages.state(
        training_stages.NOT_RUN, detail=result.text[-training_stages.LONGEST :]
    )


def _signal(number: int) -> str:
    import signal

    known = {int(each): each.name for each in signal.Signals}
    return known.get(number, str(number)) if number else "it left"


class _Work:
    def __init__(
        self, prepared: PreparedTarget, message: Mapping[str, Any], shares: List[List[int]]
    ) -> None:
        self._files = message["files"]
        self._shares = shares
        self._until = time_limits.now() + message["seconds"]
        self._runner = VariantRunner(prepared, message["probe"], train=message["train"])

    def work(
        self,
        item: int,
        start: int,
        begin: Callable[[int, str], None],
        report: Callable[[Any], None],
    ) -> None:
        warnings.simplefilter("ignore")  # no reading of sources for them
        gc.disable()
        share = self._shares[item]
        for step in range(start, len(share)):
            if time_limits.now() > self._until:
                return
            text = self._files[share[step]]
            state = self._runner.run(text, functools.partial(begin, step))
            report({"step": step, "state": state})
            if step % COLLECT_EVERY == COLLECT_EVERY - 1:
                gc.collect()
            if step - start >= FILES_A_PROCESS:
                raise ReplaceProcess


@functools.cache
def _load_optimizers() -> None:
    """Load once what torch loads with an optimizer's first step; no backward, so forks work."""
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "optim"):
        return
    weight = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight])
    optimizer.zero_grad()
    weight.grad = torch.zeros(1)
    optimizer.step()

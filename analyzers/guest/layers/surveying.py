"""The survey of a library's layers: read, tried in processes that may die, and put together."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ..relations.process_pool import (
    Begin,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
)
from . import catalogue, deciding, errors, examples, reading, trying
from .nouns import Outcome, Subject, Tried

SECONDS = 10.0
"""How long one trial may take."""
MEMORY = 2 << 30
_CONTAINED = 20
Send = Callable[[Dict[str, Any]], None]


def survey(message: Mapping[str, Any], send: Send) -> Dict[str, Any]:
    """Survey the layers of the installed torch; ``message`` has ``names`` (all where empty).

    Sends ``progress`` frames with a row for each layer, returns the ``surveyed`` frame.
    """
    import torch

    warnings.simplefilter("ignore")
    began = time.monotonic()
    wanted = set(map(str, message.get("names") or ()))
    chosen = [each for each in catalogue.layers() if not wanted or each[0] in wanted]
    subjects = [_subject(*each) for each in chosen]
    trials, done = 0, 0
    for row, count in _tried(subjects):
        trials, done = trials + count, done + 1
        send({"type": "progress", "done": done, "total": len(subjects), "rows": [row]})
    return {
        "type": "surveyed",
        "version": torch.__version__,
        "trials": trials,
        "seconds": round(time.monotonic() - began, 1),
    }


def _subject(name: str, constructor: Any, container: bool) -> Subject:
    found = reading.subject(name, constructor, container=container)
    return found if container else replace(found, example=examples.example(found))


def _tried(subjects: Sequence[Subject]) -> Iterator[Tuple[Dict[str, Any], int]]:
    """Each layer's row once it was tried, and of how many trials."""
    plans = [trying.trials(each) for each in subjects]
    results: List[Dict[int, Outcome]] = [{} for _ in subjects]

    def work(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        warnings.simplefilter("ignore")
        for step in range(start, len(plans[item])):
            begin(step, plans[item][step].text)
            report([step, trying.tried(subjects[item], plans[item][step]).row()])

    pool = ProcessPool(work, len(subjects), SECONDS, workers=1, memory=MEMORY, batch=_CONTAINED)
    for item, result in pool:
        if isinstance(result, ItemReport):
            step, told = result.value
            results[item][step] = _outcome(told)
        elif isinstance(result, (ProcessDied, ProcessHung)):
            results[item][result.step] = _broken(result)
        if isinstance(result, (ItemReport, ProcessDied, ProcessHung)):
            continue
        if isinstance(result, ItemFailed) and result.step >= 0:
            continue
        subject = subjects[item]
        tried = _sorted(plans[item], results[item])
        yield deciding.row(subject, tried, errors.expected(subject)), len(results[item])


def _outcome(told: Dict[str, Any]) -> Outcome:
    return Outcome(told["stage"], told["error"], tuple(told["signs"]), told["digest"])


def _broken(result: Any) -> Outcome:
    """A trial that took its process down counts as taken: nothing refused it."""
    sign = f"signal {result.signal}" if isinstance(result, ProcessDied) else "does not return"
    return Outcome(signs=(sign,))


def _sorted(plan: Sequence[trying.Trial], outcomes: Dict[int, Outcome]) -> Tried:
    tried = Tried()
    for step, outcome in sorted(outcomes.items()):
        changed = plan[step].changed
        if len(changed) == 1:
            name, value = changed[0]
            tried.outcomes.setdefault(name, {})[value] = outcome
        else:
            (one, left), (other, right) = changed
            pair = (int(left), int(right), outcome)
            tried.pairs.setdefault((one, other), []).append(pair)
    return tried

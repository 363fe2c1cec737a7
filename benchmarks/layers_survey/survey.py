"""The survey of a library's layers: read, tried in processes that may die, and put together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from analyzers.guest.relations.process_pool import (
    Begin,
    ItemFailed,
    ItemReport,
    ProcessDied,
    ProcessHung,
    ProcessPool,
)

from . import (
    constructor_reading,
    expected_errors,
    layer_list,
    layer_trials,
    range_decisions,
    working_calls,
)
from .survey_models import Outcome, Subject, Tried

SECONDS = 10.0
"""How long one trial may take."""
MEMORY = 2 << 30
_CONTAINED = 20


def survey(names: Iterable[str] = ()) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield a row for each layer of the installed torch, and how many trials it took.

    ``names`` are all layers where there are none.
    """
    warnings.simplefilter("ignore")
    wanted = set(names)
    chosen = [each for each in layer_list.layers() if not wanted or each[0] in wanted]
    return _tried([_subject(name, made, container=container) for name, made, container in chosen])


def _subject(name: str, constructor: Any, *, container: bool) -> Subject:
    found = constructor_reading.subject(name, constructor, container=container)
    return found if container else replace(found, example=working_calls.example(found))


def _tried(subjects: Sequence[Subject]) -> Iterator[tuple[dict[str, Any], int]]:
    """Each layer's row once it was tried, and of how many trials."""
    plans = [layer_trials.trials(each) for each in subjects]
    results: list[dict[int, Outcome]] = [{} for _ in subjects]

    def work(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        warnings.simplefilter("ignore")
        for step in range(start, len(plans[item])):
            begin(step, plans[item][step].text)
            report([step, layer_trials.tried(subjects[item], plans[item][step]).row()])

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
        yield (
            range_decisions.row(subject, tried, expected_errors.expected(subject)),
            len(results[item]),
        )


def _outcome(told: dict[str, Any]) -> Outcome:
    return Outcome(told["stage"], told["error"], tuple(told["signs"]), told["digest"])


def _broken(result: Any) -> Outcome:
    """A trial that took its process down counts as taken: nothing refused it."""
    sign = f"signal {result.signal}" if isinstance(result, ProcessDied) else "does not return"
    return Outcome(signs=(sign,))


def _sorted(plan: Sequence[layer_trials.Trial], outcomes: dict[int, Outcome]) -> Tried:
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

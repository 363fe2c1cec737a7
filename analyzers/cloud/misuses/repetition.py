"""The same question asked again and again in one call of the target."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers import catalogue
from analyzers.cloud.branches import NAME
from analyzers.cloud.crashes import Executed
from analyzers.cloud.editing.source import Source
from analyzers.cloud.misuses.loops import LoopedCall, asks_the_same, looped_calls
from analyzers.cloud.misuses.shared import RULE, Case
from analyzers.judging import most_repeated, shows
from analyzers.vocabulary import ApiCall, Finding, Level, Repeats

KIND = "constant-input-in-loop"
TIMES = 3
STEADY = ("google.vision.", "google.language.", "google.speech.", "aws.", "azure.")
"""Providers whose services answer the same question alike; a language model need not."""
_POLLS = ("get_", "operation", "poll", "status", "list_", "describe_")


def repetitions(case: Case) -> Iterator[Finding]:
    """Findings for calls in loops that ask the same in every round, and did so."""
    for call in case.target.calls:
        if not call.api.startswith(STEADY) or _polls(call.api):
            continue
        criterion = Repeats(call.api, TIMES)
        shown = next((each for each in case.executed if shows(criterion, [each[1]])), None)
        looped = _looped(case, call) if shown is not None else None
        if shown is not None and looped is not None:
            yield _finding(case, call, *looped, shown)


def _polls(api: str) -> bool:
    return any(word in api.rpartition(".")[2] for word in _POLLS)


def _looped(case: Case, call: ApiCall) -> tuple[str, LoopedCall] | None:
    """The first loop in which the call, or a call of its function, asks the same."""
    own = call.function.rpartition(".")[2]
    wrapper = frozenset({own} if call.function != case.target.function else set[str]())
    for path in dict.fromkeys([call.path, case.target.path, *case.target.files]):
        try:
            source = Source(case.bench.source(path))
        except (SyntaxError, ValueError):
            continue
        line = call.line if path == call.path else None
        for looped in looped_calls(source, line, _methods(call.api), wrapper):
            if asks_the_same(looped):
                return path, looped
    return None


def _methods(api: str) -> frozenset[str]:
    """The last names of the methods that ask an API."""
    known = catalogue.load().apis[api]
    return frozenset(each.rpartition(".")[2] for each in (*known.methods, *known.requests))


def _finding(case: Case, call: ApiCall, path: str, looped: LoopedCall, shown: Executed) -> Finding:
    probe, run = shown
    line, times = looped.call.lineno, most_repeated(run, call.api)
    return Finding(
        analyzer=NAME,
        rule=RULE,
        level=Level.NOTICE,
        path=path,
        line=line,
        end_line=looped.call.end_lineno or line,
        symbol=f"{path}::{call.function if path == call.path else case.target.function}",
        target=case.target.id,
        title=f"{call.api} is asked the same question in every round of a loop",
        message=(
            f"One run asked {call.api} the same question {times} times. Nothing that goes into "
            "it changes in the loop, and the service answers it alike: ask once, before the loop."
        ),
        evidence={
            "misuse": KIND,
            "api": call.api,
            "line": line,
            "loop": looped.loop.lineno,
            "times": times,
        },
        probes=(probe,),
        criterion=Repeats(call.api, TIMES),
        input_kind=f"{KIND}:{call.api}",
    )

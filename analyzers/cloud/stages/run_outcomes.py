"""Crashes of the whole examination, and the goals that it left open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud.answer_crashes import Crash, ExecutedProbe, is_of_parsing, made_up
from analyzers.cloud.api_answers import (
    FREE_FORM_TASKS,
    fully_modelled,
    sample_script,
    with_sample_answers,
)
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.examination import Examination
from analyzers.cloud.messages import location, no_response_found
from analyzers.code_errors import ObservedError, code_error, is_own_error
from analyzers.criteria import crash_of
from analyzers.vocabulary import Exchange, NotRun, Probe, Raised, Run, TimedOut, Verdict

MOST_LOCATIONS = 3


def crashes(look: Examination) -> Iterator[Verdict]:
    """Yield the crashes on answers that an API might give, those of the search included.

    Beside them the errors that the code raises by itself; the rest is undecided.
    """
    possible = _possible(look)
    yield from look.crashes.findings(possible)
    own = _own_errors(look, possible)
    for crash, seen in own.items():
        look.crashes.settle(crash)
        yield code_error(NAME, look.target, seen, look.bench)
    yield from look.crashes.undecided(look.executed)


def _own_errors(look: Examination, possible: Sequence[ExecutedProbe]) -> dict[Crash, ObservedError]:
    """Return the errors that the code raises whatever is answered, by their identity."""
    found: dict[Crash, ObservedError] = {}
    ended = [r for _, r in look.executed if not isinstance(r.ending, NotRun | TimedOut)]
    for probe, run in possible:
        crash = crash_of(run.ending)
        if crash is None or crash in found:
            continue
        if look.is_own_error(run) or _is_usual(look, probe, run):
            times = max(1, sum(crash_of(each.ending) == crash for each in ended))
            asked = with_sample_answers(probe, run, look.asked)
            found[crash] = ObservedError(asked, run, times, max(times, len(ended)))
    return found


def _is_usual(look: Examination, probe: Probe, run: Run) -> bool:
    """Return whether an error that no answer avoids rests on everyday answers of an API."""
    usual = sample_script(look.asked)
    everyday = usual is not None and tuple(probe.script or ()) == usual
    modelled = all(fully_modelled(exchange.api) for exchange in run.exchanges)
    if look.crashes.is_an_answers_doing(run) or not modelled:
        return False
    return (everyday or not made_up(probe)) and is_own_error(run, look.bench)


def _possible(look: Examination) -> list[ExecutedProbe]:
    """Return all runs, crashes of the search included, on answers that an API may give."""
    probes = [probe for probe, _ in look.searched.crashes]
    again = zip(probes, look.bench.run(probes), strict=True)
    return [
        (probe, run)
        for probe, run in [*look.executed, *again]
        if not made_up(probe) or all(_is_legal(each, run) for each in run.exchanges)
    ]


def _is_legal(exchange: Exchange, run: Run) -> bool:
    """Return whether an API may give a made-up answer, as far as it matters for how a run ended.

    A language model's text may be any; of what it says in the fields of its JSON nothing is
    known, so only failures to take the text apart, or to do without one, are told.  Of labels that
    are the operator's own nothing is known either: only an answer without any may be given.
    """
    api = catalogue.load_catalogue().apis.get(exchange.api)
    if api is not None and api.own_labels:
        return not any(values_at(exchange.answer, api.result_at))
    if api is None or api.task not in FREE_FORM_TASKS:
        return fully_modelled(exchange.api)
    ending = run.ending
    return not isinstance(ending, Raised) or is_of_parsing(ending.exception, ending.message)


def unreached_goals(look: Examination) -> Iterator[Verdict]:
    """Yield the reason why goals are not judged of which nothing is known."""
    known = look.points | set(look.searched.exhausted) | look.proved
    missing = [
        g for g in look.target.goals if g.id not in known and g.decision_id not in look.closed
    ]
    if missing:
        places = sorted({location(goal) for goal in missing})
        rest = len(places) - MOST_LOCATIONS
        yield look.skipped(no_response_found(places[:MOST_LOCATIONS], rest))

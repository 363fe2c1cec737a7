"""Software that uses ML cloud APIs: the method of Keeper (ICSE 2022).

Search for answers that reach each branch; find inputs whose human reading is
that answer; run them with the engines answering; judge every branch by the
share of its inputs that reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.api_answers import with_sample_answers
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.examination import Examination
from analyzers.cloud.messages import NOT_CALLED
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.readings.text_readings import readings
from analyzers.cloud.repairs.guards.guard_clauses import guarded
from analyzers.cloud.stages.changed_behaviour import behaviour
from analyzers.cloud.stages.constant_branches import classes, constants, exhausted, settled
from analyzers.cloud.stages.failed_requests import failed_requests
from analyzers.cloud.stages.input_runs import (
    empty_inputs,
    find_objectives,
    reaching,
    unrelated,
    unusual_inputs,
    witnesses,
)
from analyzers.cloud.stages.low_recall import recall
from analyzers.cloud.stages.misuses import misuses
from analyzers.cloud.stages.mixed_sentiment import sentiment
from analyzers.cloud.stages.other_providers import compared
from analyzers.cloud.stages.regressions import judged_by_base, regressions
from analyzers.cloud.stages.run_outcomes import crashes, unreached_goals
from analyzers.cloud.stages.shaped_answers import shaped_answers
from analyzers.code_errors import (
    ObservedError,
    broken_files,
    code_error,
    is_own_error,
    misspelt_variables,
    uncalled_functions,
)
from analyzers.ports import Executor
from analyzers.vocabulary import Finding, SearchResult, Skipped, Target, Verdict

Stage = Callable[[Examination], Iterator[Verdict]]
STAGES: tuple[Stage, ...] = (
    witnesses,
    empty_inputs,
    constants,
    misuses,
    shaped_answers,
    failed_requests,
    regressions,
    classes,
    find_objectives,
    unrelated,
    recall,
    sentiment,
    reaching,
    unusual_inputs,
    exhausted,
    crashes,
    unreached_goals,
    behaviour,
)
JUDGING: tuple[Stage, ...] = (recall, sentiment, exhausted)
"""Stages whose verdict rests on inputs that met every condition outside of the API's answer."""


def read_text(target: Target, bench: Executor) -> Iterator[Finding]:
    """Yield what the text of a target that asks an ML API shows without a run."""
    known = catalogue.load_catalogue().apis
    asked = {name: known[name] for name in target.apis if name in known}
    if asked:
        yield from uncalled_functions(NAME, target, bench)
        yield from broken_files(NAME, target, bench, _method_names(asked.values()))
        yield from readings(TargetText(target, asked, bench))


def _method_names(asked: Iterable[Api]) -> frozenset[str]:
    """Return the names of the methods that ask APIs."""
    methods = (method for api in asked for method in api.methods)
    return frozenset(method.rpartition(".")[2] for method in methods)


def _uncalled(target: Target, searched: SearchResult, bench: Executor) -> Iterator[Verdict]:
    """Yield the code's own errors before a request, or else why it could not be called."""
    known = catalogue.load_catalogue().apis
    apis = [known[name] for name in target.apis if name in known]
    probes = [with_sample_answers(probe, run, apis) for probe, run in searched.crashes]
    again = zip(probes, bench.run(probes), strict=True)
    own = [(probe, run) for probe, run in again if is_own_error(run, bench)]
    for probe, run in own[:1]:
        yield code_error(NAME, target, ObservedError(probe, run), bench)
    if not own:
        reason = searched.obstacle or NOT_CALLED
        yield Skipped(NAME, target.id, reason)


class CloudAnalyzer:
    """The analyzer of branches on ML answers that fail, are dead, or crash."""

    name = NAME

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target; none where it asks no ML API."""
        if not catalogue.asks_cloud(target):
            return
        known = settled(target, bench)
        searched = bench.search(
            replace(target, goals=tuple(goal for goal in target.goals if goal.id not in known))
        )
        yield from misspelt_variables(self.name, target, bench)
        if searched.template is None:
            yield from _uncalled(target, searched, bench)
            return
        look = Examination(target, bench, searched, searched.template)
        if look.unjudged:
            yield look.skipped(look.unjudged, *target.goals)
        for stage in STAGES:
            if look.unjudged and stage in JUDGING:
                continue
            for verdict in stage(look):
                told = judged_by_base(compared(verdict, look), look)
                look.record(told)
                yield guarded(told, look.executed, bench)

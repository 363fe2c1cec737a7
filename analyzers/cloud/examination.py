"""The state of one examination: the runs so far, and what they settle."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.cloud.answer_crashes import CrashLog, ExecutedProbe
from analyzers.cloud.api_answers import sample_script
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.inversion import Inverter
from analyzers.cloud.messages import ASSUMED, LEARNED
from analyzers.cloud.objectives import Objective
from analyzers.code_errors import is_own_error
from analyzers.guest.protocol.input_paths import SERVICE, parse
from analyzers.ports import Executor
from analyzers.vocabulary import (
    ErrorOrigin,
    Finding,
    Goal,
    InputRequest,
    NotRun,
    Probe,
    Raised,
    RecipeArgument,
    Run,
    SearchResult,
    Skipped,
    Target,
    Verdict,
    Witness,
)


@dataclass
class Examination:
    """The state that the stages of an examination share.

    ``executed`` are all recorded probes with their runs, ``empty`` those with
    nothing to find in them, ``unmeant`` those that show what no branch waits
    for, ``plain`` those on plain answers of language models and their shapes, ``failed``
    those whose request fails, ``replayed`` the confirmed witnesses with theirs.
    ``objectives`` are the readings that branches wait for.
    ``closed`` are ids of decisions of which something is known already: one
    cause, one finding; ``findings`` are those so far.  ``proved`` are ids of
    goals that no answer can reach.  ``own_errors`` are endings, with whether the code
    alone is their cause.
    """

    target: Target
    bench: Executor
    searched: SearchResult
    template: Probe
    executed: list[ExecutedProbe] = field(default_factory=list[ExecutedProbe])
    empty: list[ExecutedProbe] = field(default_factory=list[ExecutedProbe])
    unmeant: list[ExecutedProbe] = field(default_factory=list[ExecutedProbe])
    plain: list[ExecutedProbe] = field(default_factory=list[ExecutedProbe])
    failed: list[ExecutedProbe] = field(default_factory=list[ExecutedProbe])
    objectives: list[Objective] = field(default_factory=list[Objective])
    replayed: list[tuple[Witness, Run]] = field(default_factory=list[tuple[Witness, Run]])
    closed: set[str] = field(default_factory=set[str])
    findings: list[Finding] = field(default_factory=list[Finding])
    proved: set[str] = field(default_factory=set[str])
    own_errors: dict[Raised, bool] = field(default_factory=dict[Raised, bool])

    @cached_property
    def crashes(self) -> CrashLog:
        """The crashes seen so far."""
        return CrashLog(self.target, self.is_own_error)

    def is_own_error(self, run: Run) -> bool:
        """Return whether the code alone raised what ended a run, whatever an API answers.

        Of a local variable that is unbound an answer decides the way, never the value.
        """
        ending = run.ending
        if not isinstance(ending, Raised) or ending.origin is ErrorOrigin.UNKNOWN:
            return False
        if ending.origin is ErrorOrigin.ANSWERS and ending.exception != "UnboundLocalError":
            return False
        if ending not in self.own_errors:
            self.own_errors[ending] = is_own_error(run, self.bench)
        return self.own_errors[ending]

    @cached_property
    def unjudged(self) -> str | None:
        """Return why the share of inputs that reach a branch tells nothing; crashes do tell.

        Libraries or services that are not here were assumed to give something, or arguments
        were learned from how the code uses them.
        """
        if any(parse(key).root == SERVICE for key in self.template.arguments):
            return ASSUMED
        learned = any(isinstance(a, RecipeArgument) for a in self.template.arguments.values())
        return LEARNED if learned else None

    @cached_property
    def inverter(self) -> Inverter:
        """Return how texts have to be passed to the target."""
        return Inverter(self.target, self.bench, sample_script(self.asked))

    @cached_property
    def asked(self) -> tuple[Api, ...]:
        """The APIs that the target asks."""
        apis = catalogue.load_catalogue().apis
        return tuple(apis[name] for name in self.target.apis if name in apis)

    @property
    def points(self) -> frozenset[str]:
        """The goals and decisions that some run has hit."""
        return frozenset(point for _, run in [*self.executed, *self.failed] for point in run.hits)

    def ran(self, probes: Sequence[Probe], runs: Sequence[Run]) -> Iterator[Finding]:
        """Keep the runs of recorded probes; the crashes among them."""
        executed = list(zip(probes, runs, strict=True))
        self.executed += executed
        yield from self.crashes.findings(executed)

    def given(
        self, wanted: InputRequest, count: int, template: Probe, tried: int = 0
    ) -> list[ExecutedProbe]:
        """Return recorded runs of inputs ``tried`` to ``count`` for an objective.

        Those that could not be run are left out.
        """
        supply = self.bench.inputs(wanted, count)
        items = self.inverter.passed(wanted.api, template, supply.inputs[tried:]).inputs
        probes = [template.with_input(item) for item in items]
        runs = self.bench.run(probes)
        made = [(p.answered(r.exchanges), r) for p, r in zip(probes, runs, strict=True)]
        return [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]

    def record(self, verdict: Verdict) -> None:
        """Keep the findings."""
        if isinstance(verdict, Finding):
            self.findings.append(verdict)

    def prove(self, unreachable: Collection[str]) -> None:
        """Record goals that no answer can reach."""
        self.proved.update(unreachable)
        for goal in self.target.goals:
            if goal.id in unreachable:
                self.bench.unreachable(goal.id)

    def skipped(self, reason: str, *unjudged: Goal) -> Skipped:
        """Return what of this target was not tried, and which branches that leaves unjudged."""
        goals = tuple(goal.whole().id for goal in unjudged)
        return Skipped(NAME, self.target.id, reason, goals=goals)

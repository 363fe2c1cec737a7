"""The bench that an analyzer works at."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from analyzers.cloud.inversion import asks_about_text, openings
from analyzers.coverage import main_branches
from analyzers.detection.file_facts import FRAMEWORKS
from analyzers.guest.instrumentation.goals import instrument
from analyzers.inference.function_lookup import find_function
from analyzers.ports import ExaminationPlan
from analyzers.vocabulary import (
    AssembledRun,
    AssemblyRequest,
    BranchOutcome,
    Coverage,
    DriverCounts,
    ExecutionRequest,
    ExecutionResult,
    ExplorationRequest,
    ExplorationResult,
    Input,
    InputRequest,
    InputSupply,
    JsonObject,
    NotRun,
    ObservedCall,
    Probe,
    Reason,
    RecordedCalls,
    RelationRequest,
    RelationResult,
    Run,
    SearchResult,
    Skipped,
    Target,
    TargetCounters,
    TimedOut,
)
from worker.broker.api_broker import alternative_apis, plain_request
from worker.engines.engine import NoAnswer
from worker.executor.base_target import BaseTarget, IncomparableSignature
from worker.executor.execution_context import ExecutionContext
from worker.executor.execution_counts import ExecutionCounts
from worker.executor.guest_conversation import (
    OUT_OF_TIME,
    BudgetSpent,
    GuestEnded,
    GuestFailure,
    TargetNotLoaded,
)
from worker.executor.project_files import (
    documents,
    functions_of,
    observed_functions,
    related_examples,
    related_tests,
)
from worker.executor.recipe_names import RecipeNames
from worker.executor.session import Session
from worker.executor.target_preparation import bounded_texts, missing_framework, required_frameworks
from worker.executor.warm_guest import WarmGuest
from worker.sandbox.protocol.exploration_frames import LONGEST_NAME
from worker.system.interruption import raise_pending

T = TypeVar("T")
R = TypeVar("R", ExplorationRequest, RelationRequest, ExecutionRequest, AssemblyRequest)
SPENT = Run(NotRun(OUT_OF_TIME))
NOT_ON_BASE = "base has no such function"
OBSERVING_SECONDS = 10.0
OBSERVING_SHARE = 0.25
RECORDING_SECONDS = 10.0
MOST_RECORDED, CALLS_OF_ONE = 50, 8


class SandboxExecutor:
    """Probes of a target, run in a warm guest; ``before`` is base, ``history`` all runs."""

    def __init__(
        self,
        laboratory: ExecutionContext,
        target: Target,
        deadline: float,
        before: BaseTarget | None = None,
    ) -> None:
        self._laboratory = laboratory
        self._target = target
        self._deadline = self._allotted = deadline
        self._ran_out = False
        self._before = before
        head, together = laboratory.head, laboratory.targets
        self._guest = WarmGuest(laboratory, head, target, self._prepared, together)
        self._counts = ExecutionCounts(target)
        self._refused_before = len(laboratory.broker.over_budget)
        self.explorations: list[tuple[ExplorationRequest, ExplorationResult]] = []
        self.history: list[tuple[Probe, Run]] = []
        self.standins: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.outside: dict[str, None] = {}
        self._beside = ThreadPoolExecutor(1)  # a guest ends with the thread that started it
        self._driven = DriverCounts()

    @property
    def plan(self) -> ExaminationPlan:
        """Return how much to do."""
        return self._laboratory.plan

    @property
    def replaced(self) -> tuple[str, ...]:
        """The libraries whose stand-ins the runs of the target used."""
        return tuple(sorted(self._guest.used))

    def obstacle(self, target: Target) -> Skipped | None:
        """Return that the target needs a framework that a stand-in replaced, if so."""
        lost = FRAMEWORKS & set(self.replaced)
        if not lost and (wanted := required_frameworks(target)):
            try:
                lost = wanted & self._guest.ask(lambda session: set(session.prepared.replaced))
            except (TargetNotLoaded, GuestFailure):
                return None
        return missing_framework(target, sorted(lost), self._laboratory.head.environment)

    def search(self, target: Target) -> SearchResult:
        """Search for the target's goals; an unloadable target is an obstacle."""
        raise_pending()
        try:
            self._start()
            return self._guest.ask(lambda session: self._searched(session, target))
        except (TargetNotLoaded, GuestEnded, BudgetSpent) as reason:
            return SearchResult(None, obstacle=_first_line(reason))

    def _start(self) -> None:
        """Start the guest where none is; its start does not count, but for the time of all."""
        began, most = time.monotonic(), self._laboratory.place.until
        self._guest.ask(lambda _: None)
        started = time.monotonic() - began
        self._deadline = max(self._deadline, min(self._deadline + started, most))
        self._allotted = max(self._allotted, min(self._allotted + started, most))

    def _searched(self, session: Session, target: Target) -> SearchResult:
        left = max(1.0, self.remaining())
        searched = session.search(target.goals, self.plan.seed, left, self._texts(target))
        self._note(session.prepared.notes)
        return RecipeNames(target.path, self._laboratory.head.texts).searched(searched)

    def _texts(self, target: Target) -> Sequence[str]:
        texts = self._laboratory.head.texts
        sources = {path: texts[path] for path in (target.path, *target.files) if path in texts}
        return openings(sources, target.path, target.function) if asks_about_text(target) else ()

    def explore(self, target: Target, exploring: ExplorationRequest) -> ExplorationResult:
        """Explore on head, once for a contract; what it found is run again and kept."""
        raise_pending()
        for known, explored in self.explorations:
            if known.contract == exploring.contract:
                return explored
        explored = self._explored_once(target, exploring)
        self.explorations.append((exploring, explored))
        return explored

    def _explored_once(self, target: Target, exploring: ExplorationRequest) -> ExplorationResult:
        if self.remaining() <= 0:
            return ExplorationResult(obstacle=OUT_OF_TIME)
        try:
            explored, hits = self._guest.ask(
                lambda session: session.explore(self._within(session, exploring))
            )
        except (TargetNotLoaded, GuestEnded, BudgetSpent) as reason:
            return ExplorationResult(obstacle=_first_line(reason))
        self._note(explored.notes)
        explored = RecipeNames(target.path, self._laboratory.head.texts).known(explored)
        self._counts.explored(explored, hits)
        with suppress(GuestFailure):
            self.run([*explored.passing, *(failure.probe for failure in explored.failures)])
        return explored

    def observe(self, target: Target, *, runs_tests: bool = True) -> Sequence[ObservedCall]:
        """Return the target's calls, and its class's: of the project's own programs on base.

        Where these made none, the tests and examples that name it are run.
        """
        raise_pending()
        texts, known = self._laboratory.head.texts, self._laboratory.observed
        wanted = observed_functions(target, texts)
        recorded = [
            replace(call, function=ours)
            for name, ours in wanted.items()
            for call in self._laboratory.recorded.get(_qualified(target.path, name), ())
        ]
        if not runs_tests or any(call.function == target.function for call in recorded):
            return recorded
        tests = related_tests(target, texts)
        documents = related_examples(target, self._all_texts) if self._before is not None else ()
        seconds = min(OBSERVING_SECONDS, OBSERVING_SHARE * self.remaining())
        if not (tests or documents) or seconds <= 0:
            return ()
        others = [each for each in wanted if "::" in each and len(each) <= LONGEST_NAME]
        functions = (*functions_of(texts[target.path]), *others)
        about = (target.path, frozenset((*others, *tests, *documents)))
        if about not in known:
            known[about] = self._observed(functions, tests, seconds, documents)
        return tuple(
            replace(call, function=wanted[call.function])
            for call in known[about]
            if call.function in wanted
        )

    def _observed(
        self,
        functions: Sequence[str],
        tests: Sequence[str],
        seconds: float,
        documents: Sequence[str],
    ) -> Sequence[ObservedCall]:
        with suppress(TargetNotLoaded, GuestFailure):
            return self._guest.ask(
                lambda session: session.observe(
                    functions, tests, self._seconds(session, seconds), documents
                )
            )
        return ()

    def record(self, target: Target, probes: Sequence[Probe]) -> RecordedCalls | None:
        """The library calls of these probes' runs on head; a broken guest tells of none."""
        del target
        raise_pending()
        seconds = min(RECORDING_SECONDS, self.remaining())
        if seconds <= 0:
            return None
        with suppress(TargetNotLoaded, GuestFailure):
            recorded = self._guest.ask(
                lambda session: session.record(probes, self._seconds(session, seconds))
            )
            return recorded if recorded.library else None
        return None

    def relate(self, target: Target, relating: RelationRequest) -> RelationResult:
        """Compare on head; inputs found are run again, and left out where they end otherwise."""
        raise_pending()
        if self.remaining() <= 0:
            return RelationResult(obstacle=OUT_OF_TIME)
        try:
            related = self._guest.ask(
                lambda session: session.relate(self._within(session, relating))
            )
        except (TargetNotLoaded, GuestFailure) as reason:
            return RelationResult(obstacle=_first_line(reason))
        names = RecipeNames(target.path, self._laboratory.head.texts)
        reached = [each for each in related.reached if names.knows(each.probe)]
        self._counts.executions += related.executions
        try:
            runs = self.run([each.probe for each in reached])
        except GuestFailure as failure:
            return replace(related, reached=(), obstacle=_first_line(failure))
        again = zip(reached, runs, strict=True)
        repeated = (each for each, run in again if type(run.ending) is type(each.run.ending))
        return replace(related, reached=tuple(repeated))

    def execute(self, target: Target, executing: ExecutionRequest) -> ExecutionResult:
        """Run a model several ways on head; what the guest could not do is a note of the report."""
        raise_pending()
        if self.remaining() <= 0:
            return ExecutionResult(obstacle=OUT_OF_TIME)
        try:
            executed = self._guest.ask(
                lambda session: session.execute(self._within(session, executing))
            )
        except (TargetNotLoaded, GuestFailure) as reason:
            return ExecutionResult(obstacle=_first_line(reason))
        names = RecipeNames(target.path, self._laboratory.head.texts)
        self._counts.executed(executed)
        self._note(executed.notes)
        departures = (each for each in executed.departures if names.knows(each.probe))
        return replace(executed, departures=tuple(departures))

    def assemble(self, target: Target, assembling: AssemblyRequest) -> Sequence[AssembledRun]:
        """Run variants of the target's file on head; a broken guest has run none."""
        del target
        raise_pending()
        nothing = [AssembledRun("not-run", detail=OUT_OF_TIME)] * len(assembling.files)
        if self.remaining() <= 0:
            return nothing
        try:
            states = self._guest.ask(
                lambda session: session.assemble(self._within(session, assembling))
            )
        except (TargetNotLoaded, GuestFailure) as reason:
            return [replace(each, detail=_first_line(reason)) for each in nothing]
        self._counts.executions += sum(each.state != "not-run" for each in states)
        return states

    def _note(self, notes: Sequence[str]) -> None:
        self.notes = tuple(dict.fromkeys((*self.notes, *bounded_texts(notes))))

    def kept(self, target: Target) -> Sequence[Probe]:
        """Return what failed under this target in this repository before."""
        kept = self._laboratory.examples.of(target.id)
        return tuple(filter(RecipeNames(target.path, self._laboratory.head.texts).knows, kept))

    def keep(self, target: Target, probes: Sequence[Probe]) -> None:
        """Keep what fails now for the repository's next runs."""
        self._laboratory.examples.keep(target.id, probes)

    def inputs(self, wanted: InputRequest, count: int) -> InputSupply:
        """Inputs from the sources."""
        supply = self._laboratory.sources.find(wanted, count, self.plan.seed)
        self._laboratory.broker.supplied(item.digest for item in supply.inputs)
        return supply

    def run(self, probes: Sequence[Probe]) -> Sequence[Run]:
        """Run the probes on head; what meets a limit is run once more, alone, with more."""
        raise_pending()
        if not probes:
            return []
        if self.remaining() <= 0:
            return [SPENT] * len(probes)
        try:
            runs = self._guest.run(probes)
        except BudgetSpent:
            return [SPENT] * len(probes)
        for probe, run in zip(probes, runs, strict=True):
            self.outside.update(dict.fromkeys(run.outside))
            if not isinstance(run.ending, NotRun):
                self._counts.ran(probe, run)
                self.history.append((probe.answered(run.exchanges), run))
        return runs

    def run_on_base(self, probes: Sequence[Probe]) -> Sequence[Run] | None:
        """Run the probes on base, where the target was there, takes them, and can be loaded."""
        raise_pending()
        if self._before is None or not self._before.has_target():
            return None
        if self.remaining() <= 0:
            return [SPENT] * len(probes)
        try:
            self._allotted += self._before.started()
            return self._before.answer_again(probes)
        except (IncomparableSignature, GuestFailure, TargetNotLoaded):
            return None

    def run_programs(
        self, probes: Sequence[Probe], seconds: float
    ) -> Sequence[tuple[Run, Run]] | None:
        """Run programs on base and on head at the same time."""
        raise_pending()
        before = self._before
        if before is None:
            return None
        if self.remaining() <= 0:
            return [(SPENT, SPENT)] * len(probes)
        on_base, on_head = self._recorded()
        there = before.has_target()
        asked = [replace(each, recorded=on_base if _is_own(each) else ()) for each in probes]
        bases = self._beside.submit(before.run_programs if there else _absent, asked, seconds)
        try:
            asked = [replace(each, recorded=on_head if _is_own(each) else ()) for each in probes]
            heads = self._guest.run(asked, seconds, once=True)
        except BudgetSpent:
            heads = [SPENT] * len(probes)
        finally:
            wait([bases])  # nobody else may ask base's guest meanwhile
        try:
            pairs = list(zip(bases.result(), heads, strict=True))
        except (GuestFailure, TargetNotLoaded):
            return None
        for probe, (base, head) in zip(probes, pairs, strict=True):
            self._record(probe, base, on_base)
            self._record(probe, head, on_head)
        return pairs

    def _recorded(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the targets' functions on base, and those of head alone, still to be recorded."""
        known = self._laboratory.recorded
        on_base, on_head = self.once("recorded", self._defined)
        wanted = [e for e in on_base | on_head if len(known.setdefault(e, [])) < CALLS_OF_ONE]
        return (
            tuple(each for each in wanted if each in on_base),
            tuple(each for each in wanted if each not in on_base),
        )

    def _defined(self) -> tuple[dict[str, None], dict[str, None]]:
        """Return the functions to record that base and head define, by their qualified names."""
        on_base, on_head = (
            dict.fromkeys(
                _qualified(target.path, name)
                for target in self._laboratory.targets[:MOST_RECORDED]
                for name in observed_functions(target, texts)
                if "::" in name or find_function(target.path, name, texts) is not None
            )
            for texts in (self._laboratory.base.texts, self._laboratory.head.texts)
        )
        return on_base, on_head

    def _record(self, probe: Probe, run: Run, functions: Collection[str]) -> None:
        place = "" if probe.program is None else probe.program.place
        for call in (replace(each, test=place) for each in run.calls):
            known = self._laboratory.recorded[call.function] if call.function in functions else []
            if call not in known and len(known) < CALLS_OF_ONE:
                known.append(call)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return what is made once for all targets of the change, by its name."""
        return self._laboratory.shared.once(name, make)

    @property
    def changed(self) -> Sequence[Target]:
        """The targets that the change itself touches."""
        return [each for each in self._laboratory.targets if each.reason is Reason.CHANGED]

    def substitute(self, api: str) -> str:
        """Return the name of a local engine that answers for this API, or nothing."""
        return self._laboratory.broker.substitute(api)

    def is_kind(self, label: str, reading: str) -> bool:
        """Return whether a stand-in's label names what a reading says, or a kind of it."""
        from worker.engines.local.label_detection import is_kind  # noqa: PLC0415 - its table

        return is_kind(label, reading)

    def expect(self) -> None:
        """Let the guest's sandbox start already."""
        self._guest.expect()

    def begin(self) -> None:
        """Let the guest start, beside what is done meanwhile."""
        self._guest.begin()

    def give_back(self) -> None:
        """Let the guest's sandbox serve a confirmation, where another guest is cheap."""
        self._guest.give_back()

    def source(self, path: str) -> str:
        """The head text of a project file."""
        return self._all_texts[path]

    def paths(self) -> Sequence[str]:
        """The project files that there are texts of, documents and declarations among them."""
        return tuple(self._all_texts)

    @cached_property
    def _all_texts(self) -> Mapping[str, str]:
        head = self._laboratory.head
        return {**documents(head.root), **head.texts}

    def base(self, path: str) -> tuple[str, str] | None:
        """The path and the text on base of a project file."""
        return None if self._before is None else self._before.source(path)

    def others(self, api: str) -> Sequence[str]:
        """An API of each other provider for the same task, where the operator wants it asked."""
        return alternative_apis(api, self._laboratory.broker) if self.plan.other_providers else ()

    def ask(self, api: str, item: Input) -> JsonObject | None:
        """The answer to an input of our own, from a recording or within the budget."""
        raise_pending()
        if self.remaining() <= 0:
            return None
        with suppress(NoAnswer):
            return self._laboratory.broker.answer(api, plain_request(item), needed=False)
        return None

    def unreachable(self, goal: str) -> None:
        """Record a goal that is proved unreachable."""
        self._counts.unreachable.add(goal)

    def count_drivers(self, counts: DriverCounts, runs: Sequence[tuple[Probe, Run]]) -> None:
        """Count the project's own programs that reached the target, and what came of them."""
        self._driven = counts
        for probe, run in runs:
            self._counts.ran(probe, run)

    def _within(self, session: Session, request: R) -> R:
        """Return a request with more time where the guest has more, as far as the budget goes."""
        return replace(request, seconds=self._seconds(session, request.seconds))

    def _seconds(self, session: Session, wanted: float) -> float:
        return max(1.0, min(wanted * session.patience, self.remaining()))

    def remaining(self) -> float:
        """Seconds until the target's deadline, or the end of what was allotted."""
        left = min(self._deadline, self._allotted) - time.monotonic()
        self._ran_out = self._ran_out or left <= 0
        return left

    @property
    def is_limited(self) -> bool:
        """Return whether a limit of time or of the sandbox had a part in what was found."""
        timed_out = any(isinstance(run.ending, TimedOut) for _, run in self.history)
        return self._ran_out or timed_out or bool(self.undecided)

    def allot(self, share: float) -> None:
        """Leave ``share`` of the seconds until the target's deadline to what comes next."""
        now = time.monotonic()
        self._allotted = now + share * (self._deadline - now)

    def close(self) -> None:
        """End the guest, or leave it to another target."""
        self._guest.release()
        self._beside.shutdown()

    @property
    def undecided(self) -> Mapping[str, str]:
        """The limits of ours that kept something from being decided, by what was met."""
        return self._guest.undecided

    def coverage(self) -> Coverage:
        """Return the facts that decide whether the target was tested."""
        return replace(
            self._counts.coverage(main_branches(self._target, self._laboratory.head.texts)),
            replaced=self.replaced,
            out_of_time=self.remaining() <= 0,
            refused=next(iter(self._laboratory.broker.over_budget[self._refused_before :]), ""),
        )

    def tally(self) -> TargetCounters:
        """Return what was done, for the report."""
        goals = {goal.id for goal in self._target.goals}
        branches = {p for p in self._counts.points if _is_branch_of(self._target, p)}
        return TargetCounters(
            goals_total=len(goals),
            goals_reached=len(goals & self._counts.hits),
            goals_proved_unreachable=len(self._counts.unreachable),
            branches_total=len(branches),
            branches_covered=len(branches & self._counts.hits),
            executions=self._counts.executions,
            driven=self._driven,
        )

    def _prepared(self, session: Session) -> None:
        prepared = session.prepared
        self._counts.points = self._known_points() & frozenset(prepared.points)
        self.standins = prepared.standins
        self._note(prepared.notes)

    def _known_points(self) -> frozenset[str]:
        texts = self._laboratory.head.texts
        with suppress(SyntaxError, ValueError, RecursionError):
            files = {*self._target.files, self._target.path} & texts.keys()
            return frozenset(p for path in files for p in instrument(texts[path], path)[1])
        return frozenset()


def _is_own(probe: Probe) -> bool:
    """Return whether a program is the project's as it stands, so that its calls are valid."""
    return probe.program is not None and not probe.program.edits


def _qualified(path: str, name: str) -> str:
    return name if "::" in name else f"{path}::{name}"


def _absent(probes: Sequence[Probe], seconds: float) -> Sequence[Run]:  # noqa: ARG001
    return [Run(NotRun(NOT_ON_BASE))] * len(probes)


def _first_line(reason: Exception) -> str:
    return str(reason).partition("\n")[0]


def _is_branch_of(target: Target, point: str) -> bool:
    place, _, rest = point.rpartition("#")
    decision, _, outcome = rest.rpartition(":")
    return place == target.id and decision.isdigit() and outcome in tuple(BranchOutcome)

"""Other arguments for the library calls of a target: mutants of those that were seen."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Hashable, Iterable, Mapping, Optional, Sequence

from ...annotations.constraints import Constraint
from ...annotations.syntax import AnnotationError
from ...inputs.exploration.constraint_checks import parsed, problem_of_call
from ...inputs.exploration.exploration_plan import ExplorationPlan, text_of
from ...inputs.exploration.hypothesis_draws import StopDrawing, draw
from ...inputs.exploration.input_runs import as_protocol
from ...inputs.exploration.shared_dimensions import Dimensions
from ...inputs.solving.condition_terms import compiled, is_true
from ...protocol.argument_decoding import Unusable, decode, evaluate_recipe
from ...runtime import time_limits
from ..agreement import disagreements
from ..fuzzing.fuzz_findings import FuzzFinding
from ..library_calls import call_source, copy_call, outcome_of
from ..mutation.call_draft import ArgumentPath as Where
from ..mutation.call_draft import arguments
from ..mutation.call_mutants import mutants
from ..process_pool import Begin
from ..relation_types import CRASHED, SUCCESS, LiveCall
from .argument_origins import fixed, origins
from .call_judging import (
    CallJudge,
    CallKinds,
    DivergenceKey,
    DivergenceLocation,
    LocatedDivergence,
    concerns_project,
    of_outcome,
    project_oracles,
)
from .target_calls import InFlight, RelateRequest, TargetRun


class Admission:
    """Check of arguments against the constraints and preconditions of the contract."""

    def __init__(self, request: RelateRequest) -> None:
        contract: Mapping[str, Any] = request.message["contract"]
        self._prepared = request.prepared
        self._constraints = dict(_constraints(contract.get("arguments") or {}))
        self._requires = tuple(contract.get("requires") or ())

    def admits(self, arguments: Mapping[str, Mapping[str, Any]]) -> bool:
        """Return whether the arguments meet their constraints and the preconditions."""
        namespace = self._prepared.namespace
        try:
            values = {name: self._value(name, given) for name, given in arguments.items()}
        except Unusable:
            return False
        known = Dimensions(namespace, values)
        if problem_of_call(values, self._constraints, namespace, known) is not None:
            return False
        environment = {**namespace, **known.sizes, **values}
        return all(is_true(compiled(source), environment) for source in self._requires)

    def _value(self, name: str, given: Mapping[str, Any]) -> Any:
        if given.get("kind") == "made":
            return evaluate_recipe(name, given["recipe"], self._prepared.namespace)
        return decode(given, self._prepared.blobs)


def _constraints(texts: Mapping[str, str]) -> Mapping[str, Constraint]:
    found = {}
    for name, text in texts.items():
        try:
            found[name] = parsed(text)
        except AnnotationError:
            continue
    return found


EXAMPLES = 100
MOST_STALE_INPUTS = 25
"""After so many inputs in a row whose calls are of known kinds no more are drawn."""
INPUTS_A_SITE = 4
_REPORT_INPUTS = 20
Report = Callable[[Any], None]


@dataclass
class DrawingStage:
    """The first stage.  Item 0 begins with the inputs given; each draws by a seed of its own."""

    request: RelateRequest
    plan: Optional[ExplorationPlan]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run inputs from number ``start`` on while there is time."""
        stage = _DrawingProcess(self, start, begin, report)
        try:
            for arguments in self.request.probes if item == 0 else ():
                stage.look(arguments)
            if self.plan is not None:
                seed = self.request.seed + item
                draw(self.plan.strategy, lambda each: stage.look(as_protocol(each)), EXAMPLES, seed)
        except StopDrawing:
            pass
        stage.tell()


class _DrawingProcess:
    def __init__(self, inputs: DrawingStage, start: int, begin: Begin, report: Report) -> None:
        self._inputs = inputs
        self._start = start
        self._begin = begin
        self._report = report
        self._step = -1
        self._executions = 0
        self._stale = 0
        self._texts: set[str] = set()
        self._keys: set[DivergenceKey] = set()
        self._sites: dict[tuple[Any, ...], int] = Counter()
        self._judging = CallJudge(inputs.request, self._mark)

    def _mark(self, text: str) -> None:
        self._begin(self._step, text)

    def look(self, arguments: Mapping[str, Any]) -> None:
        """Run an input that did not run yet."""
        if time_limits.now() >= self._inputs.until or self._stale >= MOST_STALE_INPUTS:
            raise StopDrawing
        text = text_of(arguments)
        if text in self._texts:
            return
        self._texts.add(text)
        self._step += 1
        if self._step < self._start:
            return
        ran = self._judging.run(arguments)
        self._executions += 1
        self._note_sites(ran, arguments)
        judged = self._judging.judged
        for met in self._judging.met(ran, arguments):
            if met.key not in self._keys and met.finding.call:
                self._keys.add(met.key)
                self._report(met.as_json())
        self._stale = 0 if self._judging.judged > judged else self._stale + 1
        if self._executions >= _REPORT_INPUTS:
            self.tell()

    def _note_sites(self, ran: TargetRun, arguments: Mapping[str, Any]) -> None:
        places = {tuple(self._judging.place(seen)) for seen in ran.calls}
        for place in sorted(places, key=repr):
            self._sites[place] += 1
            if self._sites[place] <= INPUTS_A_SITE:
                self._report({"site": list(place), "arguments": arguments})

    def tell(self) -> None:
        self._report({"executions": self._executions})
        self._executions = 0


MOST_MUTANTS = 600
MOST_JUDGED = 24
"""Of the mutants of an API, how many are compared: one of a kind."""
MOST_STALE_MUTANTS = 40
"""After so many mutants in a row that bring nothing new a site is left."""
WORKERS = 2
_REPORT_MUTANTS = 50


@dataclass(frozen=True)
class LibraryCallSite:
    """A place where the target calls the library, and inputs that lead there."""

    place: DivergenceLocation
    inputs: Sequence[dict[str, Any]]


def by_api(sites: Iterable[LibraryCallSite]) -> list[list[LibraryCallSite]]:
    """Return the sites of each API together."""
    found: dict[str, list[LibraryCallSite]] = {}
    for site in sites:
        found.setdefault(site.place[0], []).append(site)
    return list(found.values())


@dataclass
class MutationStage:
    """The second stage, from ``began`` to ``until`` ; an item is all sites of an API.

    All mutants are run by themselves, for those that kill; those of a new
    kind are compared with all that they should agree with.  A site is left
    when its mutants come to nothing that mutants of the API did not come to before.
    """

    request: RelateRequest
    groups: Sequence[Sequence[LibraryCallSite]]
    began: float
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run mutants from number ``start`` on, while it is this API's time."""
        sites = self.groups[item]
        stage = _MutationProcess(self, start, begin, report)
        for number, site in enumerate(sites):
            left = self._end(item) - time_limits.now()
            stage.mutate(
                site, number * MOST_MUTANTS, time_limits.now() + left / (len(sites) - number)
            )
        stage.tell()

    def _end(self, item: int) -> float:
        """Return when the time of an API is over: as many at once as there are workers."""
        rounds = -(-len(self.groups) // WORKERS)
        return self.began + (self.until - self.began) * (item // WORKERS + 1) / rounds


class _MutationProcess:
    def __init__(self, mutating: MutationStage, start: int, begin: Begin, report: Report) -> None:
        self._request = mutating.request
        self._start = start
        self._begin = begin
        self._report = report
        self._library = mutating.request.library
        self._kinds = CallKinds(self._library, 1)
        self._judged = 0
        self._outcomes: set[Hashable] = set()
        self._known: set[DivergenceKey] = set()
        self._done = 0

    def mutate(self, site: LibraryCallSite, first: int, until: float) -> None:
        """Mutate the calls of a site; ``first`` is the number of its first mutant."""
        if self._start >= first + MOST_MUTANTS or time_limits.now() > until:
            return
        judging = CallJudge(self._request, partial(self._begin, max(self._start, first)))
        lives, held = _seen(judging, site, self._library.is_array)
        rng = random.Random(zlib.crc32(repr((self._request.seed, site.place)).encode()))
        stream = mutants(lives, self._library, rng, held) if lives else iter(())
        stale = 0
        for step, live in zip(range(first, first + MOST_MUTANTS), stream):
            if stale >= MOST_STALE_MUTANTS or time_limits.now() > until:
                return
            call = call_source(live, self._library) if step >= self._start else ""
            if call:
                self._begin(step, InFlight(at=site.place, call=call).text())
                stale = 0 if self._look(live, site, call) else stale + 1

    def _look(self, live: LiveCall, site: LibraryCallSite, call: str) -> bool:
        """Run a mutant; whether what it came to is new."""
        self._done += 1
        if self._done >= _REPORT_MUTANTS:
            self.tell()
        outcome, value = outcome_of(copy_call(live, self._library).run)
        kind = of_outcome(outcome, value, self._library)
        is_new = kind not in self._outcomes
        self._outcomes.add(kind)
        is_due = outcome.status == CRASHED
        if outcome.status == SUCCESS and self._judged < MOST_JUDGED:
            is_due = self._kinds.take(live.api, live)
            self._judged += is_due
        if is_due:
            relations = self._request.of_source(live.api)
            for found in disagreements(live, self._library, relations, project_oracles()):
                met = LocatedDivergence(FuzzFinding(call, found), site.place)
                if met.key not in self._known and concerns_project(found, live, self._library):
                    self._known.add(met.key)
                    self._report(met.as_json())
        return is_new

    def tell(self) -> None:
        self._report({"executions": self._done})
        self._done = 0


def _seen(
    judging: CallJudge, site: LibraryCallSite, is_array: Any
) -> tuple[list[LiveCall], frozenset[Where]]:
    """Return the calls at a site, and what may not vary there."""
    lives: list[LiveCall] = []
    held: list[frozenset[Where]] = []
    for given in site.inputs:
        ran = judging.run(given)
        for seen in judging.at(ran, site.place):
            if seen.live is not None and seen.given is not None:
                lives.append(seen.live)
                traced = frozenset(origins(dict(arguments(seen.given)), ran.values))
                held.append(fixed(seen, traced, is_array))
    return lives, frozenset().union(*held)

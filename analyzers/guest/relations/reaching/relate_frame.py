"""The frame ``relate``: which inputs of a target lead to library calls that fail.

This process directs others and runs nothing of the project itself.  Inputs
are run with their library calls judged; the calls are mutated and judged by
themselves; calls that fail are lifted to inputs; those are made small.
"""

from __future__ import annotations

import signal
from typing import Any, Iterable, Iterator, Mapping, Optional

from ...inputs.exploration import hypothesis_draws
from ...inputs.exploration.exploration_plan import ExplorationPlan, parse_plan
from ...inputs.exploration.hypothesis_draws import enable_hypothesis
from ...inputs.exploration.input_runs import DIED, outcome_of_death
from ...runtime import time_limits
from ...runtime.execution import PreparedTarget
from ...runtime.time_limits import CLOCK, TimeUp
from ..agreement import load_oracles, without_compiler
from ..fuzzing.finding_shrinking import shrink_findings
from ..fuzzing.fuzz_findings import FuzzFinding, death_disagreement, hang_disagreement
from ..fuzzing.fuzz_workers import FuzzSettings
from ..libraries.library_registry import loaded_library
from ..process_pool import ItemFailed, ItemReport, ProcessDied, ProcessHung, ProcessPool, Result
from ..relation_types import CRASH, CRASHED, SUCCESS, CallOutcome, Disagreement
from .call_judging import DivergenceKey, LocatedDivergence, parse_divergence, project_oracles
from .input_lifting import LiftingStage
from .input_shrinking import HANG_GRACE, confirmed_row, ended, smallest_divergence
from .search_stages import (
    INPUTS_A_SITE,
    WORKERS,
    DrawingStage,
    LibraryCallSite,
    MutationStage,
    by_api,
)
from .target_calls import RelateRequest, parse_in_flight

SHARES = {"inputs": 0.2, "mutants": 0.5, "lifting": 0.7, "shrinking": 0.95}
"""When each stage is over, as parts of all the time."""
MOST_REACHED, MOST_BEYOND, MOST_A_KEY = 10, 30, 3
MOST_DEATHS = 8
CALL_SECONDS = 5.0
ENOUGH = 12
"""So many inputs, each of which reached something new, need no more drawn beside them."""


def relate(prepared: PreparedTarget, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``related`` frame for a ``relate`` frame."""
    library = loaded_library()
    if library is None:
        return nothing("no library whose calls can be seen is imported")
    return _Relating(RelateRequest(prepared, library, message)).frame()


def nothing(obstacle: str) -> dict[str, Any]:
    """Return a ``related`` frame that says why nothing was compared."""
    return {
        "type": "related",
        "reached": [],
        "beyond": [],
        "executions": 0,
        "seconds": 0.0,
        "obstacle": obstacle,
        "notes": [],
    }


class _Relating:
    def __init__(self, request: RelateRequest) -> None:
        self._request = request
        self._began = time_limits.now()
        self._sites: dict[tuple[Any, ...], LibraryCallSite] = {}
        self._met: dict[DivergenceKey, list[LocatedDivergence]] = {}
        self._reached: dict[DivergenceKey, LocatedDivergence] = {}
        self._verified: dict[DivergenceKey, LocatedDivergence] = {}
        self._notes: dict[str, None] = {}
        self._executions = 0

    def frame(self) -> dict[str, Any]:
        with without_compiler():
            load_oracles(self._request.library, project_oracles())
            self._began = time_limits.now()
            return self._compared()

    def _compared(self) -> dict[str, Any]:
        plan = self._plan()
        stage = DrawingStage(self._request, plan, self._until("inputs"))
        for _, result in self._pool(stage, 2 if plan else 1, self._request.timeout + HANG_GRACE):
            self._take(result)
        self._lift(self._known())
        if self._left("mutants") > 0:
            self._mutate()
            self._lift(list(self._waiting()))
        reached = list(self._rows())
        return {
            **nothing(""),
            "obstacle": None if self._sites else "no input led to a call of the library",
            "reached": reached,
            "beyond": [met.told() for met in self._beyond()],
            "executions": self._executions,
            "seconds": round(time_limits.now() - self._began, 3),
            "notes": list(self._notes)[:20],
        }

    # -------------------------------------------------------------- time

    def _until(self, stage: str) -> float:
        return self._began + SHARES[stage] * self._request.seconds

    def _left(self, stage: str) -> float:
        return self._until(stage) - time_limits.now()

    def _plan(self) -> Optional[ExplorationPlan]:
        """Return how inputs are drawn; ``None`` where enough are given, or they cannot be."""
        message = self._request.message
        if len(self._request.probes) >= ENOUGH:
            return None
        obstacle = enable_hypothesis(message.get("layer"))
        if obstacle is None:
            try:
                with CLOCK.limited(max(self._left("inputs"), 1.0)):
                    plan = parse_plan(self._request.prepared, message)
                    hypothesis_draws.prepare(plan.strategy)
                    return plan
            except (TimeUp, Exception) as error:
                obstacle = f"inputs cannot be drawn: {type(error).__name__}: {error}"[:300]
        self._notes[obstacle] = None
        return None

    def _mutate(self) -> None:
        stage = MutationStage(
            self._request, by_api(self._sites.values()), time_limits.now(), self._until("mutants")
        )
        for _, result in self._pool(stage, len(stage.groups), CALL_SECONDS):
            self._take(result)

    def _lift(self, waiting: list[tuple[LocatedDivergence, LibraryCallSite]]) -> None:
        waiting = waiting[: 3 * MOST_BEYOND]
        stage = LiftingStage(self._request, waiting, self._until("lifting"), self._reached)
        for item, result in self._pool(stage, len(waiting), self._request.timeout + HANG_GRACE):
            met, _ = waiting[item]
            dead = ended(met, result)
            if isinstance(result, ItemReport) and "verified" in result.value:
                self._verified.setdefault(met.key, met)
            elif dead is None:
                self._take(result)
            elif dead.arguments:
                self._reached.setdefault(met.key, dead)
            else:
                self._verified.setdefault(met.key, met)

    def _pool(self, stage: Any, items: int, seconds: float) -> Iterator[tuple[int, Result]]:
        return iter(ProcessPool(stage.work, items, seconds, workers=WORKERS, deaths=MOST_DEATHS))

    # ----------------------------------------------------------- results

    def _take(self, result: Result) -> None:
        if isinstance(result, ItemReport):
            self._executions += result.value.get("executions", 0)
            if "site" in result.value:
                self._take_site(result.value["site"], result.value["arguments"])
            if "met" in result.value:
                self._take_met(parse_divergence(result.value))
        elif isinstance(result, ItemFailed):
            self._notes[f"calls could not be compared: {result.text[-200:]}"] = None
        elif isinstance(result, (ProcessDied, ProcessHung)):
            self._take_end(result)

    def _take_site(self, place: list[Any], arguments: dict[str, Any]) -> None:
        site = self._sites.setdefault(tuple(place[:3]), LibraryCallSite(place, []))
        if len(site.inputs) < 2 * INPUTS_A_SITE:
            self._sites[tuple(place[:3])] = LibraryCallSite(place, [*site.inputs, arguments])

    def _take_met(self, met: LocatedDivergence) -> None:
        if met.arguments is not None:
            self._reached.setdefault(met.key, met)
            return
        known = self._met.setdefault(met.key, [])
        most = MOST_DEATHS if met.finding.ends_process else MOST_A_KEY
        if len(known) < most:
            known.append(met)

    def _take_end(self, result: Any) -> None:
        """Take the end of a process: in a library call of the target, in a mutant, or elsewhere."""
        self._executions += 1
        mark = parse_in_flight(result.text)
        is_limit = isinstance(result, ProcessDied) and outcome_of_death(result.signal).kind != DIED
        if mark.at is None or mark.judging or is_limit:
            self._notes["a process ended outside of the calls that are compared"] = None
            return
        api = mark.at[0]
        found = (
            death_disagreement(api, result.signal)
            if isinstance(result, ProcessDied)
            else hang_disagreement(api, CALL_SECONDS)
        )
        arguments = dict(mark.arguments) or None
        self._take_met(LocatedDivergence(FuzzFinding(mark.call, found), mark.at, arguments))

    # ------------------------------------------------------------ lifting

    def _known(self) -> list[tuple[LocatedDivergence, LibraryCallSite]]:
        return [
            (LocatedDivergence(FuzzFinding(row["call"], _disagreement(row)), site.place), site)
            for row in self._request.message.get("known") or ()
            if row["rule"] == CRASH or row["relation"] in project_oracles()
            for site in self._sites.values()
            if site.place[0] == row["api"]
        ]

    def _waiting(self) -> Iterable[tuple[LocatedDivergence, LibraryCallSite]]:
        for several in self._met.values():
            for met in several:
                site = self._sites.get(tuple(met.at[:3]))
                if site and met.finding.call and met.key not in self._reached:
                    yield met, site

    # ------------------------------------------------------------- frames

    def _rows(self) -> Iterator[dict[str, Any]]:
        """Yield what is reached by the smallest inputs and confirmed, one oracle for each way."""
        waiting = sorted(self._reached.values(), key=lambda met: met.finding.disagreement.rule)
        told: set[tuple[Any, ...]] = set()
        for number, met in enumerate(waiting[:MOST_REACHED]):
            if met.key[:4] in told:
                continue
            left = self._left("shrinking") / (len(waiting[:MOST_REACHED]) - number)
            row = confirmed_row(
                smallest_divergence(met, self._request, time_limits.now() + left), self._request
            )
            row = confirmed_row(met, self._request) if row is None else row
            if row is None:
                self._notes[f"a divergence of {met.at[0]} did not repeat"] = None
            else:
                told.add(met.key[:4])
                yield row

    def _beyond(self) -> list[LocatedDivergence]:
        """Return what was verified of the calls by themselves, made small as far as time goes."""
        mets = [met for key, met in self._verified.items() if key not in self._reached]
        del mets[MOST_BEYOND:]
        if not mets or self._left("shrinking") <= 0:
            return mets
        request = self._request
        relations = {each.source: request.of_source(each.source) for each in request.relations}
        settings = FuzzSettings(seconds=CALL_SECONDS, seed=request.seed, rounds=60)
        findings = shrink_findings(
            [met.finding for met in mets], relations, request.library, settings
        )
        return [
            LocatedDivergence(met.finding if found is None else found, met.at)
            for met, found in zip(mets, findings)
        ]


def _disagreement(row: Mapping[str, Any]) -> Disagreement:
    """Return a known divergence as one that was seen; whether it is there is verified."""
    number = signal.Signals.__members__.get(row["outcome"])
    if number is not None:
        return death_disagreement(row["api"], int(number))
    status = SUCCESS if row["rule"] != CRASH else CRASHED
    kind = "" if status == SUCCESS else row["outcome"].partition(":")[0]
    outcome = CallOutcome(status, row["outcome"], kind)
    expected = CallOutcome(SUCCESS, row["expected"])
    api, related, relation, rule = (row[n] for n in ("api", "related", "relation", "rule"))
    return Disagreement(api, related, relation, rule, outcome, expected)

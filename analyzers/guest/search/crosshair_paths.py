"""One exploration by CrossHair (crosshair-tool 0.0.112; its internal names)."""

from __future__ import annotations

import math
import re
import time
from contextlib import suppress
from typing import Any, Callable, Dict, FrozenSet, List, Set

from crosshair.core import ExceptionFilter, PathOutcome, deep_realize, explore_loop
from crosshair.core_and_libs import NoTracing, ResumedTracing
from crosshair.libimpl.builtinslib import (
    LazyIntSymbolicStr,
    ModelingDirector,
    RealBasedSymbolicFloat,
)
from crosshair.options import DEFAULT_OPTIONS
from crosshair.statespace import (
    CallAnalysis,
    RootNode,
    StateSpace,
    VerificationStatus,
    context_statespace,
)
from crosshair.util import CrossHairValue

from ..instrumentation.recorder import Recorder
from ..protocol import api_calls
from ..runtime import standins
from .answer_models.answer_model import Answer, MutationParameters
from .search_campaign import AnswerCandidate, CatalogueModels, SearchCampaign

Report = Callable[[Dict[str, Any]], None]
PATH_SECONDS = 4.0
MOST_PATHS = 250
SLOW_SECONDS, SLOW_PATHS = 6.0, 10
"""A search that has not explored so many paths after so many seconds comes to no end."""


class Unknowns:
    """The unknowns of one path, named so that equal paths make equal names."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def text(self, name: str) -> str:
        """Any text."""
        with NoTracing():
            return LazyIntSymbolicStr(self._prefix + name)  # type: ignore[no-any-return]

    def number(self, name: str, low: float, high: float) -> float:
        """Any real number in a range."""
        with NoTracing():
            number = RealBasedSymbolicFloat(self._prefix + name)
            space = context_statespace()
            space.add(number.var >= low)
            if math.isfinite(high):
                space.add(number.var <= high)
            return number  # type: ignore[no-any-return]

    def count(self, name: str, most: int) -> int:
        """A length; each is a branch of its own."""
        with NoTracing():
            space = context_statespace()
            for length in range(most):
                if space.smt_fork(desc=f"{self._prefix}{name}_is_{length}"):
                    return length
            return most


class SymbolicSupplier:
    """Answers every question with new unknowns."""

    faithful = False
    symbolic = True

    def __init__(self, models: CatalogueModels, most: int) -> None:
        self._models = models
        self._most = most
        self.knobs: Dict[str, List[MutationParameters]] = {}

    def __call__(self, request: api_calls.ApiRequest) -> Answer:
        """A symbolic answer."""
        model = self._models[request.api]
        given = self.knobs.setdefault(request.api, [])
        unknowns = Unknowns(f"{request.api.replace('.', '_')}_{len(given)}_")
        knobs = model.symbolic(unknowns, self._most)
        given.append(knobs)
        return model.answer(knobs)


class WatchingRecorder(Recorder):
    """Also notes the points whose outcome depended on an unknown."""

    depends: Set[int]

    def truth(self, point: int, value: Any) -> bool:
        """Test a value as ``if`` does."""
        self._watch(range(point, point + 2), value)
        return super().truth(point, value)

    def peek(self, point: int, value: Any) -> Any:
        """Note a value that the program keeps."""
        with NoTracing():
            unknown = isinstance(value, CrossHairValue)
        if unknown and isinstance(value, (bool, int, float, str)):
            self.truth(point, value)
            return value
        return super().peek(point, value)

    def member(self, point: int, literals: Any, value: Any, container: Any) -> bool:
        """``value in container``, noting which of the literals it is."""
        self._watch(range(point, point + len(literals)), value)
        return super().member(point, literals, value, container)

    def _watch(self, points: Any, value: Any) -> None:
        with NoTracing():
            if isinstance(value, CrossHairValue):
                self.depends.update(points)


class Explorer:
    """Runs paths, replays their witnesses and reports what is new."""

    def __init__(self, campaign: SearchCampaign, most: int, report: Report) -> None:
        self._campaign = campaign
        self._most = most
        self._report = report
        self._clean = True
        self._hits: Set[int] = set()
        self._missing = set(campaign.missing)
        self._depends: Set[int] = set()
        self._paths = 0
        self._began = time.process_time()

    def explore(self, seconds: float) -> None:
        """Explore until all is reached or exhausted, or for so many ``seconds`` or paths."""
        options = DEFAULT_OPTIONS.overlay(
            per_condition_timeout=seconds,
            per_path_timeout=min(PATH_SECONDS, seconds / 2),
            max_iterations=MOST_PATHS,
        )
        result = explore_loop(options, RootNode(), self._run_path)
        if self._is_slow() or self._spent() > seconds:
            self._report({"cut": f"the symbolic search was cut short after {self._spent():.0f} s"})
        if result.exhausted and self._clean:
            self._report({"exhausted": sorted(self._dead())})

    def _spent(self) -> float:
        return time.process_time() - self._began

    def _is_slow(self) -> bool:
        return self._spent() > SLOW_SECONDS and self._paths < SLOW_PATHS

    def _run_path(self, space: StateSpace) -> PathOutcome:
        if self._is_slow():
            self._clean = False
            return PathOutcome(CallAnalysis(VerificationStatus.UNKNOWN), breakout=True)
        self._paths += 1
        director = space.extra(ModelingDirector)
        director.global_representations[float] = RealBasedSymbolicFloat
        recorder = self._campaign.prepared.recorder
        recorder.__class__ = WatchingRecorder
        recorder.hits, recorder.depends = set(), self._depends  # type: ignore[attr-defined]
        supplier = SymbolicSupplier(self._campaign.models, self._most)
        try:
            with ExceptionFilter(), ResumedTracing():
                self._call(supplier)
            hits = frozenset(recorder.hits)
            with ResumedTracing():
                space.detach_path()
                plan: Dict[str, Any] = deep_realize(supplier.knobs)
        except BaseException:
            self._clean = False
            raise
        finally:
            recorder.__class__ = Recorder
        done = self._replay(plan, hits)
        return PathOutcome(CallAnalysis(VerificationStatus.CONFIRMED), done)

    def _call(self, supplier: SymbolicSupplier) -> None:
        with NoTracing():
            campaign = self._campaign
            session = api_calls.set_supplier(supplier)
            standins.forget()
            bound = campaign.prepared.bind(campaign.arguments)
        with suppress(SystemExit):
            campaign.prepared.call(bound)
        with NoTracing():
            if session.refusal is not None:
                self._clean = False

    def _replay(self, plan: Dict[str, Any], hits: FrozenSet[int]) -> bool:
        """Run a path's witness concretely; whether nothing is missing any more."""
        candidate = AnswerCandidate({api: tuple(knobs) for api, knobs in plan.items()})
        reached = self._campaign.hits(candidate, exact=True)
        self._hits |= reached | hits
        if reached != hits:
            self._clean = False
        new = reached & self._missing
        if new:
            self._missing -= new
            self._report({"plan": candidate.plan})
        return not self._missing

    def _dead(self) -> Set[int]:
        """Missing points that depended on unknowns; none if anything stood still."""
        points = self._campaign.prepared.points
        numbers = {point: number for number, point in enumerate(points)}
        depends = {points[number] for number in self._depends}
        depends |= {_decision(point) + end for point in depends for end in _ENDS}
        for point, number in numbers.items():
            other = numbers.get(_opposite(point))
            if other in self._hits and number not in self._hits and point not in depends:
                return set()
        return {number for number in self._missing - self._hits if points[number] in depends}


_ENDS = (":true", ":false")


def _decision(point: str) -> str:
    """The id of the decision of a point: ``path::function#N``."""
    match = re.match(r".*?::[^#]*#\d+", point)
    return match.group() if match else point


def _opposite(point: str) -> str:
    start, _, outcome = point.rpartition(":")
    return start + (":false" if outcome == "true" else ":true")

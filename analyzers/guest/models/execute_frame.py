"""The frame ``execute``: models built from probes, mutated, run several ways and compared."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..runtime import time_limits
from ..runtime.execution import PreparedTarget
from ..runtime.time_limits import CLOCK, TimeUp
from .built_models import BuiltModels
from .executed_frame import (
    BuiltModel,
    DepartingExecution,
    departure_row,
    format_outputs,
    one_line,
    versions,
)
from .model_types import (
    NOT_COMPILED,
    ExecutionVerdict,
    LocatedLayer,
    ModelUnderTest,
)

MOST_SUBJECTS = 3
MOST_DEPARTURES = 20
SEED_SHARE, SEARCH_SHARE = 0.5, 0.8
"""Of the time, when the author's own model and the search for mutants are over."""
DERIVE_SHARE = 0.25
"""Of the time, what gradients may take of what is left once the outputs are compared."""
SEARCH_GRACE = 10.0
GRACE_SHARE = 0.4
"""Of one execution's limit, what the last execution may take when the time is over."""
LOCATING_SECONDS = 30.0
"""What finding a layer may take, even where the time is over: a finding without is half of one."""
QUICK_SECONDS = 1.0
"""Executions that took longer run the first model alone."""
EAGER = "eager"
COMPILERS = ("inductor", "openvino")
EXPORTS = ("jit-trace", "onnxruntime-torchscript", "export", "onnxruntime")
"""The same runtime by two exporters, the one that takes milliseconds first."""


def execute(prepared: PreparedTarget, message: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the ``executed`` frame for an ``execute`` frame."""
    return _Examining(prepared, message).frame()


def nothing(obstacle: Optional[str]) -> Dict[str, Any]:
    """Return an ``executed`` frame that says why nothing was run."""
    return {
        "type": "executed",
        "departures": [],
        "done": [],
        "left_out": [],
        "model": "",
        "mutants": 0,
        "amplified": 0,
        "apis": [],
        "executions": 0,
        "seconds": 0.0,
        "obstacle": obstacle,
        "notes": [],
        "versions": [],
    }


class _Examining:
    def __init__(self, prepared: PreparedTarget, message: Mapping[str, Any]) -> None:
        self._prepared = prepared
        self._message = message
        self._began = time_limits.now()
        self._ratio = float(message["ratio"])
        self._found: Dict[Tuple[str, str], DepartingExecution] = {}
        self._left_out: Dict[str, str] = {}
        self._done: Dict[str, None] = {}
        self._notes: Dict[str, None] = {}
        self._settled: Set[str] = set()
        self._executions = 0

    def frame(self) -> Dict[str, Any]:
        names = list(self._available())
        subjects = BuiltModels(self._prepared, self._message, self._budget(SEED_SHARE))
        examined: List[BuiltModel] = []
        for subject in subjects.built(MOST_SUBJECTS):
            if examined and self._left(SEED_SHARE) <= 0:
                break
            examined.append(subject)
            self._examine(subject, names)
        if not examined:
            return {**nothing(subjects.obstacle), "seconds": self._spent()}
        self._derive(examined[0], names)
        searched = self._mutants(examined[0], names)
        return {**self._summary(examined[0].model), **searched}

    def _summary(self, model: ModelUnderTest) -> Dict[str, Any]:
        departures = list(self._found.values())[:MOST_DEPARTURES]
        left_out = [{"execution": n, "reason": said} for n, said in self._left_out.items()]
        return {
            **nothing(None),
            "departures": [departure_row(each) for each in departures],
            "done": list(self._done),
            "left_out": [each for each in left_out if each["execution"] not in self._done],
            "model": described(model),
            "executions": self._executions,
            "seconds": self._spent(),
            "notes": list(self._notes)[:20],
            "versions": versions(model.framework),
        }

    def _budget(self, share: float) -> float:
        return self._began + share * float(self._message["seconds"])

    def _left(self, share: float) -> float:
        return self._budget(share) - time_limits.now()

    def _spent(self) -> float:
        return round(time_limits.now() - self._began, 3)

    def _available(self) -> Iterator[str]:
        from .executions.execution_registry import EXECUTIONS

        for name in self._message["executions"]:
            execution = EXECUTIONS.get(name)
            if getattr(execution, "is_own", False):
                continue  # what it is on anyway
            reason = "is not known here" if execution is None else execution.unavailable()
            if reason is None:
                yield name
            else:
                self._left_out[name] = one_line(reason)

    def _examine(self, subject: BuiltModel, names: Sequence[str]) -> None:
        """Run one model by every quick execution; keep the first departure of each kind."""
        for name in names:
            if name in self._settled:
                continue
            if self._done and self._left(1.0) <= 0:
                self._left_out.setdefault(name, "the time budget was spent")
                continue
            began = time_limits.now()
            for departed in self._in_time(subject, name):
                key = (departed.verdict.rule, departed.verdict.execution)
                self._found.setdefault(key, departed)
                self._settled.add(name)
            if time_limits.now() - began > QUICK_SECONDS:
                self._settled.add(name)

    def _in_time(self, subject: BuiltModel, name: str) -> List[DepartingExecution]:
        grace = GRACE_SHARE * float(self._message["timeout"])
        try:
            with CLOCK.limited(max(self._left(1.0) + grace, 1.0)):
                return self._departures(subject, name)
        except TimeUp:
            self._left_out.setdefault(name, "it took longer than there was time for")
            return []

    def _departures(self, subject: BuiltModel, name: str) -> List[DepartingExecution]:
        from .judging.execution_oracles import judge
        from .judging.export_branches import baked_branch
        from .judging.isolated_runs import PreparedModel

        model, baked = subject.model, None
        with PreparedModel(model, [name]) as executions:
            found = executions.outcomes(model.inputs, model.keywords)
            verdicts = [v for v in judge(model, found, self._ratio) if v.execution == name]
            if not verdicts and found[name].status == "returned" and self._left(1.0) > 0:
                root = self._prepared.root
                baked = baked_branch(executions, model, name, ratio=self._ratio, root=root)
        self._executions += len(found)
        own = found.get(name)
        if own is not None and own.status in ("unsupported", "timed-out"):
            self._left_out.setdefault(name, one_line(own.detail or own.status))
        else:
            self._done[name] = None
        if baked is not None:
            place = None if baked.place is None else LocatedLayer(baked.place)
            results = format_outputs(baked.outcomes, baked.verdict)
            departed = DepartingExecution(subject, baked.verdict, results, (), place)
            return [replace(departed, other=baked.other)]
        return [
            DepartingExecution(
                subject, v, format_outputs(found, v), located=self._located(subject, v, found)
            )
            for v in verdicts
        ]

    def _derive(self, subject: BuiltModel, names: Sequence[str]) -> None:
        departing = {execution for _, execution in self._found}
        alike = [each for each in names if each in self._done and each not in departing]
        left = min(self._left(SEARCH_SHARE), DERIVE_SHARE * float(self._message["seconds"]))
        if left > 0:
            self._bounded("gradients", left, lambda: self._gradients(subject, alike))

    def _gradients(self, subject: BuiltModel, names: Sequence[str]) -> None:
        from .gradients import gradient_departures

        for each in gradient_departures(subject.model, names, self._ratio, self._prepared.root):
            place = None if each.place is None else LocatedLayer(each.place)
            results = format_outputs(each.outcomes, each.verdict)
            self._found[each.verdict.rule, each.verdict.execution] = DepartingExecution(
                subject, each.verdict, results, located=place
            )

    def _located(self, subject: BuiltModel, verdict: ExecutionVerdict, found: Any) -> Optional[Any]:
        if verdict.rule == NOT_COMPILED or (verdict.rule, verdict.execution) in self._found:
            return None
        from .locating.first_departure import first_departing_layer

        model, root = subject.model, self._prepared.root
        return self._bounded(
            "the layer was not found",
            max(self._left(1.0), LOCATING_SECONDS),
            lambda: first_departing_layer(model, verdict.execution, found, root),
        )

    def _mutants(self, subject: BuiltModel, names: Sequence[str]) -> Dict[str, Any]:
        most, left = int(self._message["mutants"]), self._left(SEARCH_SHARE)
        beside = beside_mutants([each for each in names if each in self._done])
        if most <= 0 or left <= 0 or not beside or subject.model.framework != "torch":
            return {}
        if any(execution in beside for _, execution in self._found):
            return {}  # the model itself departs: that comes first
        from .search.guided_search import MutantSearch
        from .search.mutant_runs import SearchPlan

        mutants = MutantSearch(subject.model, beside, list(self._found))
        seed, guided = int(self._message["seed"]), bool(self._message["guided"])
        plan = SearchPlan(most, left, seed, guided)
        self._bounded("mutants", left + SEARCH_GRACE, lambda: mutants.search(plan, self._ratio))
        shrunk = partial(mutants.found, self._budget(1.0))
        found = self._bounded("mutants", SEARCH_GRACE, shrunk) or []
        for verdict, mutations, outcomes, model in found:
            fed = BuiltModel(subject.arguments, subject.inputs, model)
            located = self._located(fed, verdict, outcomes)
            results = format_outputs(outcomes, verdict)
            departed = DepartingExecution(subject, verdict, results, mutations, located)
            self._found[verdict.rule, f"{verdict.execution} mutant"] = departed
        self._executions += mutants.executions
        apis = list(mutants.apis)
        return {"mutants": mutants.made, "amplified": mutants.amplified, "apis": apis}

    def _bounded(self, what: str, seconds: float, work: Callable[[], Any]) -> Any:
        try:
            with CLOCK.limited(seconds):
                return work()
        except (TimeUp, Exception) as error:
            self._notes[f"{what}: {type(error).__name__}: {error}"[:300]] = None
            return None


def beside_mutants(done: Sequence[str]) -> List[str]:
    """Return the executions that run mutants: none that takes seconds where one does not."""
    exports = [each for each in EXPORTS if each in done]
    return [each for each in done if each not in (EAGER, *COMPILERS, *exports[1:])]


def described(model: ModelUnderTest) -> str:
    """Return what was built: ``torch.nn.Module, 5 layers, 61,706 parameters``."""
    kinds = {f"{each.__module__}.{each.__qualname__}" for each in type(model.module).__mro__}
    kind = "keras.Model" if model.framework == "keras" else "torch.nn.Module"
    if model.framework == "keras" or "torch.nn.modules.module.Module" not in kinds:
        weights = getattr(model.module, "weights", ())
        return f"{kind}, {len(getattr(model.module, 'layers', ()))} layers, {len(weights)} weights"
    layers = sum(1 for each in model.module.modules() if not any(each.children()))
    parameters = sum(each.numel() for each in model.module.parameters())
    return f"{kind}, {layers} layers, {parameters:,} parameters"

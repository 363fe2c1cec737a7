"""Inputs of the target, those given and those drawn by its contract, with their calls judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Set, Tuple

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
from ..process_pool import Begin
from .call_judging import CallJudge, DivergenceKey
from .target_calls import RelateRequest, TargetRun


class Admission:
    """Looks at values of arguments together, as strategies would draw them."""

    def __init__(self, request: RelateRequest) -> None:
        contract: Mapping[str, Any] = request.message["contract"]
        self._prepared = request.prepared
        self._constraints = dict(_constraints(contract.get("arguments") or {}))
        self._requires = tuple(contract.get("requires") or ())

    def admits(self, arguments: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether the arguments meet their constraints and the preconditions."""
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
STALE = 25
"""After so many inputs in a row whose calls are of known kinds no more are drawn."""
INPUTS_A_SITE = 4
_TELL_EVERY = 20
Report = Callable[[Any], None]


@dataclass
class DrawingStage:
    """The first stage.  Item 0 begins with the inputs given; each draws by a seed of its own."""

    request: RelateRequest
    plan: Optional[ExplorationPlan]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run inputs from number ``start`` on while there is time."""
        stage = _Stage(self, start, begin, report)
        try:
            for arguments in self.request.probes if item == 0 else ():
                stage.look(arguments)
            if self.plan is not None:
                seed = self.request.seed + item
                draw(self.plan.strategy, lambda each: stage.look(as_protocol(each)), EXAMPLES, seed)
        except StopDrawing:
            pass
        stage.tell()


class _Stage:
    """One process of the stage."""

    def __init__(self, inputs: DrawingStage, start: int, begin: Begin, report: Report) -> None:
        self._inputs = inputs
        self._start = start
        self._begin = begin
        self._report = report
        self._step = -1
        self._executions = 0
        self._stale = 0
        self._texts: Set[str] = set()
        self._keys: Set[DivergenceKey] = set()
        self._sites: Dict[Tuple[Any, ...], int] = Counter()
        self._judging = CallJudge(inputs.request, self._mark)

    def _mark(self, text: str) -> None:
        self._begin(self._step, text)

    def look(self, arguments: Mapping[str, Any]) -> None:
        """Run an input that did not run yet."""
        if time_limits.now() >= self._inputs.until or self._stale >= STALE:
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
        if self._executions >= _TELL_EVERY:
            self.tell()

    def _note_sites(self, ran: TargetRun, arguments: Mapping[str, Any]) -> None:
        places = {tuple(self._judging.place(seen)) for seen in ran.calls}
        for place in sorted(places, key=repr):
            self._sites[place] += 1
            if self._sites[place] <= INPUTS_A_SITE:
                self._report({"site": list(place), "arguments": arguments})

    def tell(self) -> None:
        """Report how many inputs ran since it was last told."""
        self._report({"executions": self._executions})
        self._executions = 0

"""Models of the change, run several ways that should give the same (LEMON, tied to a change).

The model is built as the ``properties`` analyzer builds it, from inferred terms; which
executions matter is read from the project.  What departs on the author's own model gates
where the project uses the execution; what a mutant shows is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analyzers.inference.exploration import (
    exploration_of,
    is_explorable,
    not_installed,
    target_contract,
)
from analyzers.inference.facts import ProjectTexts
from analyzers.inference.function_contracts import (
    NoContractError,
    constructor_contract,
    function_contract,
)
from analyzers.inference.function_lookup import find_function
from analyzers.models.messages import named
from analyzers.models.model_classes import Role, TargetModel, found
from analyzers.models.model_findings import NAME, ModelContext, bug, finding, groups, level
from analyzers.models.relevant_executions import Relevance, relevance
from analyzers.ports import Executor
from analyzers.vocabulary import (
    Contract,
    ExecutionRequest,
    ExecutionResult,
    Probe,
    RecipeArgument,
    Skipped,
    Target,
    Verdict,
)

SECONDS = 20.0
COMPILING_SECONDS = 60.0
SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Effort:
    """Bounds of running one model, and what of it is told.

    ``mutants`` at most are made in each of at most ``turns`` searches, each with another
    seed; a search has ``seconds`` at most (``compiling_seconds`` where something is compiled
    first) and ``share`` of the time that is left, the rest is for confirming.  At most
    ``advice`` findings are of mutants.  ``everything``: what no code of the project uses is
    tried and told, too, as a warning.
    """

    mutants: int = 40
    turns: int = 1
    seconds: float = SECONDS
    compiling_seconds: float = COMPILING_SECONDS
    share: float = SHARE
    advice: int = 1
    everything: bool = False


CHECK = Effort()
FUZZ = Effort(mutants=2_000, turns=1_000, seconds=90.0, share=0.6, advice=5, everything=True)

LEAST_SECONDS = 15.0
"""Time that a further search for mutants needs to come to any."""
COMPILING_TURN = 1
_COMPILERS = frozenset({"inductor", "openvino"})
_UNTOLD = frozenset({"cuda", "channels-last", "eager", "onednn-off"})
"""Executions whose absence, or refusal, is nobody's news."""
_ODD = re.compile(r"\b(?:inf|nan)\b")


class ModelsAnalyzer:
    """Finds models that behave differently where their mathematics is executed otherwise."""

    name = NAME

    def __init__(self, effort: Effort = CHECK) -> None:
        self._effort = effort

    def examine(self, target: Target, bench: Executor) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not target.path.endswith(".py") or not is_explorable(target, bench):
            return
        model = found(target, bench)
        if model is None:
            return
        yield from _Examination(target, bench, model, self._effort).verdicts()


class _Examination:
    def __init__(self, target: Target, bench: Executor, model: TargetModel, effort: Effort) -> None:
        self._target = target
        self._bench = bench
        self._model = model
        self._effort = effort
        self._advised = 0
        self._heard: set[str] = set()
        self._texts = ProjectTexts(bench)
        self._relevance = relevance(self._texts, model.framework)

    def verdicts(self) -> Iterator[Verdict]:
        try:
            executing = self._drawn() or self._constructed()
        except NoContractError as reason:
            yield Skipped(NAME, self._target.id, f"the model cannot be built: {reason}")
            return
        for turn in range(self._effort.turns):
            executed = self._bench.execute(self._target, self._in_turn(executing, turn))
            if executed.obstacle is not None:  # one that a later turn meets is no news
                if turn == 0:
                    said = f"the model was not run: {executed.obstacle}"
                    yield Skipped(NAME, self._target.id, said)
                return
            yield from self._missing(executed)
            yield from self._told(executed)
            is_searched = bool(executed.mutants) or turn == COMPILING_TURN
            if not is_searched or self._bench.remaining() * self._effort.share < LEAST_SECONDS:
                return

    def _drawn(self) -> ExecutionRequest | None:
        """Return the model by the target's terms, or ``None``; may raise ``NoContractError``."""
        target, bench = self._target, self._bench
        try:
            terms = target_contract(target, bench)
        except NoContractError:
            if self._model.role is Role.FORWARD:
                return None
            raise
        explored = bench.explore(target, exploration_of(terms, target, bench))
        missing = not_installed(self._model.framework, bench)
        if missing is not None:
            raise NoContractError(missing)
        probes = tuple(replace(p, ensures=()) for p in explored.passing if _is_usual(p))
        if probes:
            return self._executing(probes, terms.generators, self._forward())
        if self._model.role is Role.FORWARD and not terms.given:
            return None
        raise NoContractError(explored.obstacle or "no valid input was seen to return")

    def _constructed(self) -> ExecutionRequest:
        terms = constructor_contract(self._target, self._bench)
        contract = Contract({}, constructor=terms.contract)
        return self._executing((), terms.generators, contract)

    def _in_turn(self, executing: ExecutionRequest, turn: int) -> ExecutionRequest:
        """Return seed and share of the time for each search; compilers take part in one of them."""
        if self._effort.turns > 1 and turn != COMPILING_TURN:
            left = tuple(each for each in executing.executions if each not in _COMPILERS)
            executing = replace(executing, executions=left)
        return replace(executing, seconds=self._seconds(executing), seed=executing.seed + turn)

    def _seconds(self, executing: ExecutionRequest) -> float:
        compiles = bool(_COMPILERS & set(executing.executions))
        most = self._effort.compiling_seconds if compiles else self._effort.seconds
        return min(most, self._effort.share * self._bench.remaining())

    def _executing(
        self,
        probes: tuple[Probe, ...],
        generators: Mapping[str, Contract],
        forward: Contract | None,
    ) -> ExecutionRequest:
        relevant = self._relevance
        return ExecutionRequest(
            probes=probes,
            executions=relevant.executions,
            forward=forward,
            generators=generators,
            mutants=self._effort.mutants if self._is_whole(relevant) else 0,
            seed=self._bench.plan.seed,
        )

    def _is_whole(self, relevant: Relevance) -> bool:
        used = set(relevant.uses) - _UNTOLD
        return (bool(used) or self._effort.everything) and self._model.role in (
            Role.FORWARD,
            Role.BUILDER,
        )

    def _forward(self) -> Contract | None:
        model = self._model
        if model.role in (Role.FORWARD, Role.BUILDER) or not model.forward:
            return None
        try:
            terms = function_contract(replace(self._target, function=model.forward), self._bench)
        except NoContractError:
            return None
        return replace(terms.contract, constructor=None, ensures=())

    def _missing(self, executed: ExecutionResult) -> Iterator[Skipped]:
        for execution, reason in executed.left_out:
            use = self._relevance.use(execution)
            if use is not None and execution not in _UNTOLD:
                said = f"`{self._model.name}` was not run with {named(execution)}: {reason}"
                yield Skipped(NAME, self._target.id, said)

    def _told(self, executed: ExecutionResult) -> Iterator[Verdict]:
        context = ModelContext(self._target, self._model, self._relevance, executed, self._line())
        for group in groups(executed.departures, self._relevance):
            weight = level(group, self._relevance, everything=self._effort.everything)
            is_advice = bool(group.first.mutations)
            if weight is None:
                entry = bug(group, context)
                if entry is not None:
                    yield entry
                continue
            told = finding(group, weight, context)
            if told is None or told.fingerprint in self._heard:
                continue
            if is_advice and self._advised >= self._effort.advice:
                continue
            self._heard.add(told.fingerprint)
            self._advised += is_advice
            yield told

    def _line(self) -> int:
        subject = find_function(self._model.path, self._model.forward, self._texts)
        inside = subject is not None and subject.path == self._model.path
        return subject.node.lineno if subject is not None and inside else self._target.line


def _is_usual(probe: Probe) -> bool:
    made = (each.recipe for each in probe.arguments.values() if isinstance(each, RecipeArgument))
    return not any(map(_ODD.search, made))

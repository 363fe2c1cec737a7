"""Models of the change, run several ways that should give the same (LEMON, tied to a change).

The model is built as the ``properties`` analyzer builds it, from inferred terms; which
executions matter is read from the project.  What departs on the author's own model gates
where the project uses the execution; what a mutant shows is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from analyzers.inference.exploring import agreed, exploring_of
from analyzers.inference.missing import not_installed
from analyzers.inference.selection import concerns
from analyzers.inference.subject import subject_of
from analyzers.inference.terms import NoTermsError, constructor_terms, terms_of
from analyzers.inference.texts import Texts
from analyzers.models.effort import CHECK, Effort
from analyzers.models.findings import NAME, Context, bug, finding, groups, level
from analyzers.models.relevance import Relevance, relevance
from analyzers.models.roles import Found, Role, found
from analyzers.models.telling import named
from analyzers.ports import Bench
from analyzers.vocabulary import (
    Contract,
    Executed,
    Executing,
    LibraryBug,
    Made,
    Probe,
    Skipped,
    Target,
    Verdict,
)

LEAST_SECONDS = 15.0
"""What a further search for mutants needs to come to any."""
COMPILING_TURN = 1
_COMPILERS = frozenset({"inductor", "openvino"})
_UNTOLD = frozenset({"cuda", "float16", "bfloat16", "channels-last", "eager", "onednn-off"})
"""Executions whose absence, or refusal, is nobody's news."""
_ODD = re.compile(r"\b(?:inf|nan)\b")


class ModelsAnalyzer:
    """Finds models that behave differently where their mathematics is executed otherwise."""

    name = NAME

    def __init__(self, effort: Effort = CHECK) -> None:
        self._effort = effort

    def examine(self, target: Target, bench: Bench) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not target.path.endswith(".py") or not concerns(target, bench):
            return
        model = found(target, bench)
        if model is None:
            return
        yield from _Examination(target, bench, model, self._effort).verdicts()


class _Examination:
    """One target and its model."""

    def __init__(self, target: Target, bench: Bench, model: Found, effort: Effort) -> None:
        self._target = target
        self._bench = bench
        self._model = model
        self._effort = effort
        self._advised = 0
        self._heard: set[str] = set()
        self._texts = Texts(bench)
        self._relevance = relevance(self._texts, model.framework)

    def verdicts(self) -> Iterator[Verdict]:
        """Build, run and judge."""
        try:
            executing = self._drawn() or self._constructed()
        except NoTermsError as reason:
            yield Skipped(NAME, self._target.id, f"the model cannot be built: {reason}")
            return
        for turn in range(self._effort.turns):
            executed = self._bench.execute(self._target, self._in_turn(executing, turn))
            if executed.obstacle is not None:
                yield from self._obstacle(executed.obstacle, turn)
                return
            yield from self._missing(executed)
            yield from self._told(executed)
            is_searched = bool(executed.mutants) or turn == COMPILING_TURN
            if not is_searched or self._bench.remaining() * self._effort.share < LEAST_SECONDS:
                return

    def _drawn(self) -> Executing | None:
        """The model by the target's own terms; ``None`` where its inputs are still to be found.

        Raises ``NoTermsError`` where nothing builds it, with the reason.
        """
        target, bench = self._target, self._bench
        try:
            terms = agreed(target, bench)
        except NoTermsError:
            if self._model.role is Role.FORWARD:
                return None
            raise
        explored = bench.explore(target, exploring_of(terms, target, bench))
        missing = not_installed(self._model.framework, bench)
        if missing is not None:
            raise NoTermsError(missing)
        probes = tuple(map(_plain, filter(_is_usual, explored.passing)))
        if probes:
            return self._executing(probes, terms.generators, self._forward())
        if self._model.role is Role.FORWARD and not terms.given:
            return None
        raise NoTermsError(explored.obstacle or "no valid input was seen to return")

    def _constructed(self) -> Executing:
        """The model by its constructor's terms alone: its inputs are found by trying."""
        terms = constructor_terms(self._target, self._bench)
        contract = Contract({}, constructor=terms.contract)
        return self._executing((), terms.generators, contract)

    def _in_turn(self, executing: Executing, turn: int) -> Executing:
        """What a search is asked for: each by another seed, in a part of the time that is left.

        Where there are several, compilers take part in one: they leave no time for mutants.
        """
        if self._effort.turns > 1 and turn != COMPILING_TURN:
            left = tuple(each for each in executing.executions if each not in _COMPILERS)
            executing = replace(executing, executions=left)
        return replace(executing, seconds=self._seconds(executing), seed=executing.seed + turn)

    def _seconds(self, executing: Executing) -> float:
        compiles = bool(_COMPILERS & set(executing.executions))
        most = self._effort.compiling_seconds if compiles else self._effort.seconds
        return min(most, self._effort.share * self._bench.remaining())

    def _obstacle(self, obstacle: str, turn: int) -> Iterator[Skipped]:
        if turn == 0:
            yield Skipped(NAME, self._target.id, f"the model was not run: {obstacle}")

    def _executing(
        self,
        probes: tuple[Probe, ...],
        generators: Mapping[str, Contract],
        forward: Contract | None,
    ) -> Executing:
        relevant = self._relevance
        return Executing(
            probes=probes,
            executions=relevant.executions,
            forward=forward,
            generators=generators,
            mutants=self._effort.mutants if self._is_whole(relevant) else 0,
            seed=self._bench.plan.seed,
        )

    def _is_whole(self, relevant: Relevance) -> bool:
        """Whether mutants are worth their time: of a whole model, where something else runs it."""
        used = set(relevant.uses) - _UNTOLD
        return (bool(used) or self._effort.everything) and self._model.role in (
            Role.FORWARD,
            Role.BUILDER,
        )

    def _forward(self) -> Contract | None:
        """What the model takes, where the target's arguments do not say so."""
        model = self._model
        if model.role in (Role.FORWARD, Role.BUILDER) or not model.forward:
            return None
        try:
            terms = terms_of(replace(self._target, function=model.forward), self._bench)
        except NoTermsError:
            return None
        return replace(terms.contract, constructor=None, ensures=())

    # ------------------------------------------------------------- verdicts

    def _missing(self, executed: Executed) -> Iterator[Skipped]:
        """Executions that the project uses and that did not run."""
        for execution, reason in executed.left_out:
            use = self._relevance.use(execution)
            if use is not None and execution not in _UNTOLD:
                said = f"`{self._model.name}` was not run with {named(execution)}: {reason}"
                yield Skipped(NAME, self._target.id, said)

    def _told(self, executed: Executed) -> Iterator[Verdict]:
        context = Context(self._target, self._model, self._relevance, executed, self._line())
        for group in groups(executed.departures, self._relevance):
            weight = level(group, self._relevance, everything=self._effort.everything)
            is_advice = bool(group.first.mutations)
            if weight is None:
                yield from _listed(bug(group, context))
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
        subject = subject_of(self._model.path, self._model.forward, self._texts)
        return self._target.line if subject is None else subject.node.lineno


def _listed(entry: LibraryBug | None) -> Iterator[LibraryBug]:
    if entry is not None:
        yield entry


def _plain(probe: Probe) -> Probe:
    """A probe without the target's own postconditions: they are another analyzer's."""
    return replace(probe, ensures=())


def _is_usual(probe: Probe) -> bool:
    """Whether no argument has values that are not finite: they prove nothing of a model."""
    made = (each.recipe for each in probe.arguments.values() if isinstance(each, Made))
    return not any(map(_ODD.search, made))

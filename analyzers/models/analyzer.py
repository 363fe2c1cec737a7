"""Models of the change, run several ways that should give the same (LEMON, tied to a change).

The model is built as the ``properties`` analyzer builds it, from inferred terms; which
executions matter is read from the project.  What departs on the author's own model gates
where the project uses the execution; what a mutant shows is advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from analyzers.inference.exploring import agreed, exploring_of
from analyzers.inference.selection import concerns
from analyzers.inference.subject import subject_of
from analyzers.inference.terms import NoTermsError, Terms, terms_of
from analyzers.inference.texts import Texts
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

SECONDS = 20.0
COMPILING_SECONDS = 60.0
SHARE = 0.4
"""Of the time that is left for a target, what running may take: the rest is for confirming."""
MUTANTS = 40
MOST_ADVICE = 1
_COMPILERS = frozenset({"inductor", "openvino"})
_UNTOLD = frozenset({"cuda", "float16", "bfloat16", "channels-last", "eager", "onednn-off"})
"""Executions whose absence, or refusal, is nobody's news."""
_ODD = re.compile(r"\b(?:inf|nan)\b")


class ModelsAnalyzer:
    """Finds models that behave differently where their mathematics is executed otherwise."""

    name = NAME

    def examine(self, target: Target, bench: Bench) -> Iterator[Verdict]:
        """Yield the verdicts on one target."""
        if not target.path.endswith(".py") or not concerns(target, bench):
            return
        model = found(target, bench)
        if model is None:
            return
        try:
            terms = agreed(target, bench)
        except NoTermsError as reason:
            yield Skipped(NAME, target.id, f"the model cannot be built: {reason}")
            return
        yield from _Examination(target, bench, model).verdicts(terms)


class _Examination:
    """One target and its model."""

    def __init__(self, target: Target, bench: Bench, model: Found) -> None:
        self._target = target
        self._bench = bench
        self._model = model
        self._texts = Texts(bench)
        self._relevance = relevance(self._texts, model.framework)

    def verdicts(self, terms: Terms) -> Iterator[Verdict]:
        """Build, run and judge."""
        explored = self._bench.explore(self._target, exploring_of(terms, self._target, self._bench))
        probes = tuple(map(_plain, filter(_is_usual, explored.passing)))
        if not probes:
            why = explored.obstacle or "no valid input was seen to return"
            yield Skipped(NAME, self._target.id, f"the model cannot be built: {why}")
            return
        executed = self._bench.execute(self._target, self._executing(probes, terms))
        if executed.obstacle is not None:
            yield Skipped(NAME, self._target.id, f"the model was not run: {executed.obstacle}")
        yield from self._missing(executed)
        yield from self._told(executed)

    def _executing(self, probes: tuple[Probe, ...], terms: Terms) -> Executing:
        relevant = self._relevance
        compiles = bool(_COMPILERS & set(relevant.executions))
        most = COMPILING_SECONDS if compiles else SECONDS
        return Executing(
            probes=probes,
            executions=relevant.executions,
            forward=self._forward(),
            generators=terms.generators,
            mutants=MUTANTS if self._is_whole(relevant) else 0,
            seconds=min(most, SHARE * self._bench.remaining()),
            seed=self._bench.plan.seed,
        )

    def _is_whole(self, relevant: Relevance) -> bool:
        """Whether mutants are worth their time: of a whole model, where something else runs it."""
        used = set(relevant.uses) - _UNTOLD
        return bool(used) and self._model.role in (Role.FORWARD, Role.BUILDER)

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
        advised = 0
        for group in groups(executed.departures, self._relevance):
            weight = level(group, self._relevance)
            is_advice = bool(group.first.mutations)
            if weight is None:
                yield from _listed(bug(group, context))
                continue
            told = finding(group, weight, context)
            if told is None or (is_advice and advised >= MOST_ADVICE):
                continue
            advised += is_advice
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

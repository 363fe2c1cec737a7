"""Functions that are worth testing for their use of ML APIs, with their goals."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from analyzers.detection.cst_modules import CstModule, Span
from analyzers.detection.dataflow.dataflow_values import (
    NOTHING,
    AnswerMark,
    ChangedResultMark,
    Marks,
)
from analyzers.detection.dataflow.project_state import ProjectState
from analyzers.detection.import_graph import closure
from analyzers.detection.python_syntax import MAIN, MODULE
from analyzers.guest.instrumentation.decisions import Clause, Decision
from analyzers.guest.instrumentation.goals import decisions
from analyzers.vocabulary import ApiCall, BranchOutcome, Goal, Reason, Target
from analyzers.vocabulary.test_files import is_test_file

_UNASKED = ("except",)


@dataclass(frozen=True, slots=True)
class AnswerDecision:
    """A decision that depends on answers, with its goals.

    ``calls`` give the answers, ``through`` are the changed functions whose
    results take part.
    """

    function: str
    calls: frozenset[ApiCall]
    through: frozenset[str]
    goals: tuple[tuple[Goal, frozenset[ApiCall]], ...]


class _Noted:
    def __init__(self, state: ProjectState, module: CstModule) -> None:
        notes: dict[Span, Marks] = {}
        for unit in module.units:
            for node, marks in state.records.get(unit, {}).items():
                if node not in module.positions:
                    continue
                span = module.positions.span(node)
                notes[span] = notes.get(span, NOTHING) | marks
        self._exact = notes
        self._starts = sorted((span[:2], span) for span, marks in notes.items() if marks)
        self._keys = [start for start, _ in self._starts]

    def at(self, place: Decision | Clause) -> Marks:
        """Return what the expression at a place depends on.

        Where no expression has just this place (a loop's header, a link of a
        chain) it is what the expressions inside depend on.
        """
        start = (place.line, place.column)
        end = (place.end_line, place.end_column)
        exact = self._exact.get((*start, *end))
        if exact is not None:
            return exact
        first, last = bisect_left(self._keys, start), bisect_right(self._keys, end)
        inside = (span for _, span in self._starts[first:last] if span[2:] <= end)
        return NOTHING.union(*(self._exact[span] for span in inside))


def answer_decisions(state: ProjectState, module: CstModule) -> Iterator[AnswerDecision]:
    """The decisions of a module that depend on answers, in source order."""
    noted = _Noted(state, module)
    for decision in decisions(module.source):
        if decision.kind in _UNASKED:
            continue
        marks = state.resolved(noted.at(decision))
        calls = answered(marks)
        if calls:
            clauses = {
                clause.ordinal: answered(state.resolved(noted.at(clause)))
                for clause in decision.clauses
            }
            through = frozenset(m.function for m in marks if isinstance(m, ChangedResultMark))
            goals = tuple(_goals(module.path, decision, calls, clauses))
            yield AnswerDecision(module.id(decision.function), calls, through, goals)


def answered(marks: Marks) -> frozenset[ApiCall]:
    """The calls whose answers are among the marks."""
    return frozenset(mark.call for mark in marks if isinstance(mark, AnswerMark))


def _goals(
    path: str,
    decision: Decision,
    calls: frozenset[ApiCall],
    clauses: dict[int, frozenset[ApiCall]],
) -> Iterator[tuple[Goal, frozenset[ApiCall]]]:
    whole = {clause.ordinal: clause for clause in decision.clauses}
    for ordinal, member, outcome in decision.outcomes:
        clause = None if ordinal is None else whole[ordinal]
        sources = calls if clause is None else clauses[clause.ordinal]
        if not sources or (
            clause is not None and bool(clause.members) and (member is None) and (outcome == "true")
        ):
            continue
        place = clause or decision
        yield (
            Goal(
                path=path,
                function=decision.function,
                decision=decision.ordinal,
                clause=ordinal,
                outcome=BranchOutcome(outcome),
                line=decision.line,
                end_line=decision.end_line,
                text=place.text,
                decision_text=decision.text,
                member=member,
            ),
            sources,
        )


Effect = tuple[str, str, ApiCall]
"""A kind, an id and the API call: one way in which a change can be felt."""
LOCALS = ".<locals>."
TEST_CODE = re.compile(r"^\s*(def test|import (pytest|unittest)|from (pytest|unittest))", re.M)


class ApiTargetSelection:
    """The targets of one change."""

    def __init__(self, state: ProjectState, changed: Collection[str]) -> None:
        self._state = state
        self._changed = frozenset(changed)
        self.reach = cache(self._reach)
        self.calls = cache(self._calls)
        self.effects = cache(self._effects)

    @cached_property
    def asked(self) -> dict[str, list[AnswerDecision]]:
        """The decisions that depend on answers, by function."""
        found: dict[str, list[AnswerDecision]] = {}
        for module in self._state.modules.values():
            if any(self.touched(unit) for unit in module.units):
                for decision in answer_decisions(self._state, module):
                    found.setdefault(decision.function, []).append(decision)
        return found

    def _reach(self, unit: str) -> frozenset[str]:
        return closure([unit], self._state.edges)

    def _calls(self, unit: str) -> frozenset[ApiCall]:
        found = (self._state.calls.get(inner, ()) for inner in self.reach(unit))
        return frozenset(call for calls in found for call in calls)

    def touched(self, unit: str) -> frozenset[ApiCall]:
        """The calls that a function makes itself or whose answers it handles."""
        records = self._state.records.get(unit, {})
        marks = NOTHING.union(*records.values())
        own = self._state.calls.get(unit, set[ApiCall]())
        return answered(self._state.resolved(marks)) | own

    def goals(self, unit: str) -> tuple[Goal, ...]:
        """The goals in a function and what it calls, for the calls it makes."""
        calls = self.calls(unit)
        found = {
            goal.id: goal
            for inner in sorted(self.reach(unit))
            for decision in self.asked.get(inner, ())
            for goal, sources in decision.goals
            if sources & calls
        }
        return tuple(found.values())

    def _effects(self, unit: str) -> frozenset[Effect]:
        calls = self.calls(unit)
        found = (effect for inner in self.reach(unit) for effect in self._felt(inner))
        return frozenset(effect for effect in found if effect[2] in calls)

    def _felt(self, unit: str) -> Iterator[Effect]:
        changed = unit in self._changed
        if changed:
            yield from (("touch", unit, call) for call in self.touched(unit))
        for decision in self.asked.get(unit, ()):
            for goal, sources in decision.goals:
                for call in sources:
                    if changed or decision.through or self._altered(call):
                        yield "goal", goal.id, call
        for call in self._state.calls.get(unit, ()):
            if changed or self._altered(call):
                yield "ask", unit, call

    def _altered(self, call: ApiCall) -> bool:
        marks = self._state.resolved(self._state.questions.get(call, NOTHING))
        through = any(isinstance(mark, ChangedResultMark) for mark in marks)
        return through or f"{call.path}::{call.function}" in self._changed

    def targets(self) -> tuple[Target, ...]:
        """The targets, by path and line."""
        chosen: dict[str, Reason] = {}
        tests = {
            path
            for path, module in self._state.modules.items()
            if is_test_file(path) and TEST_CODE.search(module.source)
        }
        own = (u for u, known in self._state.units.items() if known.path not in tests)
        candidates = [unit for unit in own if self.calls(unit)]
        for unit in sorted(candidates, key=lambda unit: (len(self.reach(unit)), unit)):
            if unit in self._changed:
                chosen[unit] = Reason.CHANGED
            else:
                inner = (self.effects(other) for other in chosen if other in self.reach(unit))
                if self.effects(unit).difference(*inner):
                    chosen[unit] = Reason.CALLS_CHANGED
        kept = [unit for unit in chosen if not self._redundant(unit, chosen)]
        targets = (self.target(unit, chosen[unit]) for unit in kept)
        return tuple(sorted(targets, key=lambda target: (target.path, target.line, target.id)))

    def nearest(self, unit: str) -> list[str]:
        """The function itself if it makes the calls, else its nearest callers that do."""
        if self.calls(unit):
            return [unit]
        wanted = self.touched(unit)
        found: list[str] = []
        callers = (u for u in self._state.units if unit in self.reach(u))
        for caller in sorted(callers, key=lambda u: (len(self.reach(u)), u)):
            near = any(other in self.reach(caller) for other in found)
            if self.calls(caller) & wanted and not near:
                found.append(caller)
        return found

    def _redundant(self, unit: str, chosen: dict[str, Reason]) -> bool:
        for other, reason in chosen.items():
            if other == unit or unit not in self.reach(other):
                continue
            if LOCALS in unit and unit.startswith(other + LOCALS):
                return True
            unchanged = chosen[unit] is not Reason.CHANGED
            if unchanged and reason is Reason.CHANGED:
                return set(self.goals(unit)) <= set(self.goals(other))
        return False

    def target(self, unit: str, reason: Reason) -> Target:
        """The target for one function."""
        known = self._state.units[unit]
        module = self._state.modules[known.path]
        goals = self.goals(unit)
        line, end_line = 1, max(1, len(module.source.splitlines()))
        if known.node is not None:
            line, _, end_line, column = module.positions.span(known.node)
            end_line -= column == 0
        elif known.name == MAIN:
            line = module.positions.line(known.body[0])
        order = sorted(self.calls(unit), key=lambda c: (c.path, c.line, c.api))
        files = tuple(sorted({known.path, *(goal.path for goal in goals)}))
        return Target(known.path, known.name, line, end_line, reason, tuple(order), goals, files)


def is_script(unit: str) -> bool:
    """Return whether an id means code outside functions."""
    return unit.endswith((f"::{MODULE}", f"::{MAIN}"))

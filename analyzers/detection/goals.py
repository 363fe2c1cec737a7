"""The conditions that depend on ML answers, as goals."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.detection.modules import Module
from analyzers.detection.spans import Span
from analyzers.detection.state import State
from analyzers.detection.values import NOTHING, Answer, Marks, Through
from analyzers.guest.conditions import Clause, Decision
from analyzers.guest.goals import decisions
from analyzers.vocabulary import ApiCall, Goal, Outcome

_UNASKED = ("except",)


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that depends on answers, with its goals.

    ``calls`` give the answers, ``through`` are the changed functions whose
    results take part.
    """

    function: str
    calls: frozenset[ApiCall]
    through: frozenset[str]
    goals: tuple[tuple[Goal, frozenset[ApiCall]], ...]


class _Noted:
    """What the expressions of a module depend on, by place."""

    def __init__(self, state: State, module: Module) -> None:
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
        """What the expression at a place depends on.

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


def asked(state: State, module: Module) -> Iterator[Asked]:
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
            through = frozenset(m.function for m in marks if isinstance(m, Through))
            goals = tuple(_goals(module.path, decision, calls, clauses))
            yield Asked(module.id(decision.function), calls, through, goals)


def answered(marks: Marks) -> frozenset[ApiCall]:
    """The calls whose answers are among the marks."""
    return frozenset(mark.call for mark in marks if isinstance(mark, Answer))


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
        if not sources or _implied(clause, member, outcome):
            continue
        place = clause or decision
        yield (
            Goal(
                path=path,
                function=decision.function,
                decision=decision.ordinal,
                clause=ordinal,
                outcome=Outcome(outcome),
                line=decision.line,
                end_line=decision.end_line,
                text=place.text,
                decision_text=decision.text,
                member=member,
            ),
            sources,
        )


def _implied(clause: Clause | None, member: str | None, outcome: str) -> bool:
    """Whether a goal is reached by reaching a member of the same clause."""
    return clause is not None and bool(clause.members) and member is None and outcome == "true"

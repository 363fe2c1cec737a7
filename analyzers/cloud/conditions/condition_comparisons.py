"""The comparisons of a target's conditions, one by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.cloud.conditions.decision_goals import clause_goal, decisions_of
from analyzers.cloud.conditions.static_facts import StaticNames, names_of
from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.guest.instrumentation.decisions import Decision, core
from analyzers.ports import Executor
from analyzers.vocabulary import BranchOutcome, Goal, Target


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left operator right``, a decision as a whole or one clause of it.

    ``goal`` is its being true; ``source`` the file that it stands in, with
    what is known of the names there.  ``settles``: the outcome that, as one
    of several operands, it gives to the whole decision.
    """

    left: ast.expr
    operator: ast.cmpop
    right: ast.expr
    goal: Goal
    source: SourceText
    names: StaticNames
    settles: BranchOutcome | None = None

    @property
    def sides(self) -> tuple[tuple[ast.expr, ast.expr], tuple[ast.expr, ast.expr]]:
        """Either side with the other."""
        return (self.left, self.right), (self.right, self.left)

    @property
    def text(self) -> str:
        """The comparison as it stands in the code."""
        return self.source.text[self.source.span(self.left)[0] : self.source.span(self.right)[1]]


def comparisons(target: Target, bench: Executor) -> Iterator[Comparison]:
    """Yield every comparison that a target's goals lead to."""
    sources: dict[str, tuple[SourceText, StaticNames]] = {}
    for goal, decision in decisions_of(target, bench).values():
        if goal.path not in sources:
            source = parsed_source(bench.source(goal.path))
            sources[goal.path] = source, names_of(source.tree)
        yield from _of_decision(goal, decision, *sources[goal.path])


def _of_decision(
    goal: Goal, decision: Decision, source: SourceText, names: StaticNames
) -> Iterator[Comparison]:
    condition = source.condition(decision)
    for node in ast.walk(condition) if condition is not None else ():
        if not isinstance(node, ast.Compare):
            continue
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
            place = source.span(left)[0], source.span(right)[1]
            if len(node.ops) == 1 and condition is not None and node is core(condition):
                true = goal.whole(BranchOutcome.TRUE)
            elif (clause := _clause(decision, source, place)) is not None:
                true = clause_goal(goal, decision, clause, BranchOutcome.TRUE)
            else:
                continue
            settles = _settles(condition, node) if len(node.ops) == 1 else None
            yield Comparison(left, operator, right, true, source, names, settles)


def _settles(condition: ast.expr | None, operand: ast.expr) -> BranchOutcome | None:
    if not isinstance(condition, ast.BoolOp) or operand not in condition.values:
        return None
    return BranchOutcome.FALSE if isinstance(condition.op, ast.And) else BranchOutcome.TRUE


def _clause(decision: Decision, source: SourceText, place: tuple[int, int]) -> int | None:
    start, end = place
    wanted = source.line_of(start), source.column_of(start), source.column_of(end)
    found = (c.ordinal for c in decision.clauses if (c.line, c.column, c.end_column) == wanted)
    return next(found, None)

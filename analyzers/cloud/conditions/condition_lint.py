"""Conditions that are constant whatever they test (Keeper, section 4.1.2).

Only what holds of a decision as a whole, by the text of the condition and
of the conditions before it in the same ``if``/``elif`` chain.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from analyzers.cloud.conditions.shadowed_conditions import has_effects, shadowing
from analyzers.cloud.conditions.static_facts import (
    NOTHING,
    Fact,
    StaticNames,
    constant,
    contradict,
    facts,
    is_steady,
    misses_case,
    names_of,
)
from analyzers.cloud.source_edits import LineEdit, SourceText, Splice, parsed_source
from analyzers.guest.instrumentation.decisions import Decision

_VALUES = ("boolop", "return-bool")
"""The kinds of decisions whose value is used, not tested."""


@dataclass(frozen=True, slots=True)
class ConstantCondition:
    """A condition that always turns out as ``outcome``.

    ``reason`` is a clause for a person; ``rewrite`` is the condition that was
    obviously meant, where one was.  With ``clause``, the ordinal of one of the
    decision's clauses, only that clause is constant.
    """

    outcome: bool
    reason: str
    rewrite: LineEdit | None = None
    clause: int | None = None


def lint_condition(source: str, decision: Decision) -> ConstantCondition | None:
    """Return why a decision is constant; ``None`` when it is not evidently so.

    A condition of literals alone (``while True``) and one with ``True`` or
    ``False`` in it are constant on purpose.
    """
    try:
        text = parsed_source(source)
    except (SyntaxError, ValueError):
        return None
    condition = text.condition(decision)
    if condition is None or has_effects(condition) or _is_default(decision, condition):
        return None
    names = names_of(text.tree)
    return (
        _by_operand(text, condition)
        or _by_facts(text, condition, names)
        or _by_chain(text, condition, names)
        or _by_link(text, condition, decision, names)
    )


def _is_default(decision: Decision, condition: ast.expr) -> bool:
    """Return whether an expression, which is no test, gives a default: ``text or 'none'``."""
    if decision.kind not in _VALUES or not isinstance(condition, ast.BoolOp):
        return False
    *given, last = condition.values
    tests = ast.Compare | ast.UnaryOp | ast.BoolOp | ast.Constant
    plain = not any(isinstance(each, tests) for each in given)
    return isinstance(condition.op, ast.Or) and isinstance(last, ast.Constant) and plain


# ------------------------------------------------------- a constant operand


def _by_operand(text: SourceText, condition: ast.expr) -> ConstantCondition | None:
    """``x == 'dog' or 'animal'``."""
    outcome = _value(condition)
    if outcome is None or not any(isinstance(node, ast.Name) for node in ast.walk(condition)):
        return None
    culprit = next(_culprits(condition), None)
    if culprit is None:
        return None
    shown = text.segment(culprit)
    alone = "stands there alone and " if isinstance(culprit, ast.Constant) else ""
    reason = f"`{shown}` {alone}is always {str(_value(culprit)).lower()}"
    return ConstantCondition(outcome, reason, _as_meant(text, condition))


def _value(node: ast.expr) -> bool | None:
    """Return the truth value that a condition always has."""
    match node:
        case ast.Constant(value=str() | int() | float()) if constant(node) is not None:
            return bool(constant(node))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = _value(operand)
            return None if value is None else not value
        case ast.BoolOp(op=operator, values=values):
            return _joined([_value(value) for value in values], isinstance(operator, ast.Or))
        case ast.Compare(ops=operators) if len(operators) > 1:
            return False if False in map(_link, _links(node)) else None
        case ast.Compare():
            return _link((node.left, node.ops[0], node.comparators[0]))
        case _:
            return None


def _joined(values: Sequence[bool | None], decisive: bool) -> bool | None:  # noqa: FBT001
    if decisive in values:
        return decisive
    return None if None in values else not decisive


_Link = tuple[ast.expr, ast.cmpop, ast.expr]


def _links(node: ast.Compare) -> Iterator[_Link]:
    operands = [node.left, *node.comparators]
    yield from zip(operands, node.ops, operands[1:], strict=False)


def _link(link: _Link, names: StaticNames = NOTHING) -> bool | None:
    """Return the outcome of a comparison between two constants."""
    left, operator, right = link
    if misses_case(left, operator, right):
        return False
    one, other = constant(left, names), constant(right, names)
    if one is None or other is None or isinstance(one, str) != isinstance(other, str):
        return None
    subject = Fact("", "==", one)
    stated = facts(ast.Compare(ast.Name(""), [operator], [ast.Constant(other)]))
    if not stated:
        return None
    return not contradict([subject, _of_nobody(stated[0])])


def _of_nobody(fact: Fact) -> Fact:
    return Fact("", fact.operator, fact.value)


def _culprits(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands that are constant by themselves."""
    if _value(node) is None:
        return
    if isinstance(node, ast.BoolOp):
        yield from chain.from_iterable(map(_culprits, node.values))
    elif isinstance(node, ast.UnaryOp):
        yield from _culprits(node.operand)
    else:
        yield node


def _as_meant(text: SourceText, condition: ast.expr) -> LineEdit | None:
    """``x == 'dog' or 'animal'`` → ``x in ('dog', 'animal')``, and the like."""
    if not (isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.Or)):
        return None
    pieces: list[tuple[ast.Compare, list[ast.expr]]] = []
    waiting: list[ast.expr] = []
    for operand in condition.values:
        if isinstance(constant(operand), str):
            (pieces[-1][1] if pieces else waiting).append(operand)
        elif isinstance(operand, ast.Compare) and len(operand.ops) == 1:
            pieces.append((operand, []))
        else:
            return None
    if not pieces:
        return None
    splices: list[Splice] = []
    for number, (comparison, words) in enumerate(pieces):
        before = waiting if number == 0 else []
        meant = _distributed(text, comparison, before, words)
        if meant is None:
            return None
        around = [*before, comparison, *words]
        splices.append(Splice(text.span(around[0])[0], text.span(around[-1])[1], meant))
    changed = [s for s in splices if text.text[s.start : s.end] != s.text]
    return text.edited(changed)


def _distributed(
    text: SourceText, comparison: ast.Compare, before: Sequence[ast.expr], after: Sequence[ast.expr]
) -> str | None:
    """Return a comparison with each of the words instead of one."""
    if not before and not after:
        return text.segment(comparison)
    left, right = comparison.left, comparison.comparators[0]
    match comparison.ops[0]:
        case ast.Eq() if constant(right) is not None and not before:
            words = ", ".join(map(text.segment, [right, *after]))
            return f"{text.bare(left, comparison)} in ({words})"
        case ast.In() if isinstance(constant(left), str) and is_steady(right):
            subject = text.bare(right, comparison)
            sought = [text.segment(word) for word in [*before, left, *after]]
            return " or ".join(f"{word} in {subject}" for word in sought)
        case _:
            return None


# ----------------------------------------------- operands that exclude others


def _by_facts(
    text: SourceText, condition: ast.expr, names: StaticNames
) -> ConstantCondition | None:
    """``x > 0.5 and x < -0.5``; ``x != 'a' or x != 'b'``."""
    stated = facts(condition, names)
    if stated is not None and contradict(stated):
        return ConstantCondition(outcome=False, reason="its parts exclude one another")
    if not isinstance(condition, ast.BoolOp):
        return None
    parts = [facts(value, names) for value in condition.values]
    if isinstance(condition.op, ast.And):
        if contradict(fact for part in parts if part for fact in part):
            return ConstantCondition(outcome=False, reason="its parts exclude one another")
        return None
    negations = [part[0].negated() for part in parts if part is not None and len(part) == 1]
    if contradict(fact for fact in negations if fact.operator in ("==", "<", "<=", ">", ">=")):
        return ConstantCondition(
            outcome=True,
            reason="each of its parts is true where another one is false",
            rewrite=_joined_by_and(text, condition),
        )
    return None


def _joined_by_and(text: SourceText, condition: ast.BoolOp) -> LineEdit | None:
    """``x != 'a' or x != 'b'`` → ``x not in ('a', 'b')``."""
    words: list[str] = []
    subjects: set[str] = set()
    for value in condition.values:
        match value:
            case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]) if (
                constant(right) is not None
            ):
                subjects.add(text.bare(left, value))
                words.append(text.segment(right))
            case _:
                return None
    if len(subjects) != 1:
        return None
    meant = f"{subjects.pop()} not in ({', '.join(words)})"
    return text.edited([Splice(*text.span(condition), meant)])


# -------------------------------------------------- conditions asked before


def _by_chain(
    text: SourceText, condition: ast.expr, names: StaticNames
) -> ConstantCondition | None:
    """``elif 'FEMALE' in text`` after ``if 'MALE' in text``."""
    shown = shadowing(text, condition, names)
    if shown is None:
        return None
    reason = f"{shown}, asked before it, is true whenever this one is"
    return ConstantCondition(outcome=False, reason=reason)


# ----------------------------------------------- links of a chained comparison


def _by_link(
    text: SourceText, condition: ast.expr, decision: Decision, names: StaticNames
) -> ConstantCondition | None:
    """``score >= 0.25 <= 1.0`` asks whether 0.25 is at most 1.0."""
    chained = [
        node for node in ast.walk(condition) if isinstance(node, ast.Compare) and len(node.ops) > 1
    ]
    for left, operator, right in chain.from_iterable(map(_links, chained)):
        if _link((left, operator, right), names) is not True:
            continue
        first, last = text.span(left)[0], text.span(right)[1]
        place = text.line_of(first), text.column_of(first), text.column_of(last)
        clause = next(
            (c for c in decision.clauses if (c.line, c.column, c.end_column) == place), None
        )
        if clause is not None:
            shown = text.text[first:last]
            reason = f"`{shown}` compares two constants and tells nothing of the answer"
            return ConstantCondition(outcome=True, reason=reason, clause=clause.ordinal)
    return None

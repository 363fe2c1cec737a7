"""Guard clauses for answers in which there is nothing (Keeper, section 4.1.3).

The smallest change that keeps the line from raising: the question as one
more clause of a condition, a conditional expression, ``continue``, an early
``return`` of what the function returns for nothing, or the line under an
``if``.  Where the code does not tell which value fits, there is no guard.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzers.cloud.repairs.guards.fallback_values import (
    Function,
    answers_people,
    default_of,
    fallback,
)
from analyzers.cloud.repairs.guards.missing_values import MissingValue, header, missing, root
from analyzers.cloud.repairs.guards.statement_flow import (
    Loop,
    binds,
    depend,
    following,
    is_an_act,
    is_optional,
    operand,
    reads,
)
from analyzers.cloud.source_edits import LineEdit, SourceText, Splice
from analyzers.criteria import DEATH
from analyzers.ports import Executor
from analyzers.rules.code_error_rules import CODE_ERROR
from analyzers.vocabulary import Crashes, Finding, Probe, Returned, Run, Suggestion, Verdict

_USUAL_WIDTH, _GREATEST_WIDTH = 88, 120


@dataclass(frozen=True, slots=True)
class RaisedLine:
    """The line (1-based) that raised, and the exception."""

    line: int
    exception: str
    message: str


def guard(source: str, crash: RaisedLine, returned: Sequence[str] = ()) -> LineEdit | None:
    """Return the lines that leave out what has nothing to work on.

    ``returned``: representations of what the function was seen to return.
    ``None``: what was missing, or what to do instead, cannot be told.
    """
    try:
        text = SourceText(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    statement = _statement(text, crash.line)
    if statement is None:
        return None
    absent = missing(text, statement, crash.line, crash.exception, crash.message)
    return None if absent is None else _Guard(text, statement, absent, returned).edit()


def _statement(text: SourceText, line: int) -> ast.stmt | None:
    around = [
        node
        for node in ast.walk(text.tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line)
    ]
    inner = max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0)), default=None)
    return None if isinstance(inner, Function | ast.ClassDef) else inner


class _Guard:
    """The forms of a guard for one statement, tried in order."""

    def __init__(
        self, text: SourceText, statement: ast.stmt, absent: MissingValue, returned: Sequence[str]
    ) -> None:
        self._text = text
        self._statement = statement
        self._missing = absent
        around = list(text.ancestors(statement))
        self._function = next((node for node in around if isinstance(node, Function)), None)
        inside = around[: around.index(self._function)] if self._function else around
        self._around = [node for node in inside if isinstance(node, ast.stmt)]
        self._after = following(text, statement)
        self._returned = returned

    def edit(self) -> LineEdit | None:
        """Return the first form that fits."""
        forms = (self._clause, self._conditional, self._continue, self._return, self._under)
        splices = next((found for form in forms if (found := form())), None)
        return None if splices is None else self._text.edited(splices)

    # --------------------------------------------------------------- forms

    def _clause(self) -> list[Splice] | None:
        """``if xs[0] == 'a':`` → ``if xs and xs[0] == 'a':``."""
        asked_in = operand(self._text, self._missing.fragile)
        if asked_in is None or self._is_used_later():
            return None
        start, end = self._text.span(asked_in)
        asked = f"{self._missing.present} and "
        parent = self._text.parents[asked_in]
        if isinstance(parent, ast.BoolOp) and isinstance(parent.op, ast.Or):
            return self._fitting([Splice(start, start, f"({asked}"), Splice(end, end, ")")])
        return self._fitting([Splice(start, start, asked)])

    def _conditional(self) -> list[Splice] | None:
        """``return xs[0].text`` → ``return xs[0].text if xs else ""``."""
        statement = self._statement
        if not isinstance(statement, ast.Return) or statement.value is None:
            return None
        simple = not isinstance(statement.value, ast.IfExp | ast.Compare | ast.BoolOp | ast.Lambda)
        value = self._value()
        if not (simple and value and self._is_certain() and self._is_alone()):
            return None
        end = self._text.span(statement)[1]
        return self._fitting([Splice(end, end, f" if {self._missing.present} else {value}")])

    def _continue(self) -> list[Splice] | None:
        """Return the next turn of the loop that the missing thing belongs to."""
        loop = next((node for node in self._around if isinstance(node, Loop)), None)
        if not (isinstance(loop, ast.For | ast.AsyncFor) and binds(loop, self._missing.subject)):
            return None
        around = following(self._text, self._statement, loop)[1:]
        return self._before("continue") if self._is_needed() and not any(around) else None

    def _return(self) -> list[Splice] | None:
        """Return an early return, where what follows needs what is missing."""
        loops = any(isinstance(node, Loop) for node in self._around)
        if self._function is None or loops or not self._is_needed():
            return None
        value = self._value()
        return None if value is None else self._before(f"return {value}".rstrip())

    def _under(self) -> list[Splice] | None:
        """``show(xs[0])`` → ``if xs:``, and the line under it."""
        if not (self._is_certain() and self._is_alone()) or self._is_used_later():
            return None
        if not (is_an_act(self._statement) or self._keeps_its_value()):
            return None
        start = self._text.span(self._statement)[0]
        inner = self._text.indent_of(start) + self._unit()
        return [Splice(start, start, f"if {self._missing.present}:\n{inner}")]

    # ------------------------------------------------------------- in short

    def _before(self, leaving: str) -> list[Splice] | None:
        if not (self._is_certain() and self._starts_a_line()):
            return None
        start = self._text.span(self._statement)[0]
        indent = self._text.indent_of(start)
        asked = f"if {self._missing.absent}:\n{indent}{self._unit()}{leaving}\n{indent}"
        at = self._text.above_comments(start)
        return [Splice(at, at, asked)]

    def _fitting(self, splices: list[Splice]) -> list[Splice] | None:
        """Return the splices, where their line stays as short as the text's lines are."""
        width = self._text.width(_USUAL_WIDTH, _GREATEST_WIDTH)
        line = self._text.end_of_line(splices[0].start)
        longer = self._text.column_of(line) + sum(len(splice.text) for splice in splices)
        return splices if longer <= width else None

    def _value(self) -> str | None:
        """Return what to return, as code; ``""`` for a bare return."""
        if self._function is None:
            return None
        beyond = self._after[1:]
        outside = [statement for block in beyond for statement in block]
        if outside and not isinstance(self._statement, ast.Return):
            plain = len(outside) == 1 and not answers_people(self._function)
            return default_of(self._text, outside[0]) if plain else None
        return fallback(self._text, self._function, self._returned)

    def _is_needed(self) -> bool:
        """Return whether nothing that follows would be done without the missing thing."""
        if isinstance(self._statement, ast.Return | ast.If | ast.For | ast.With):
            return depend(self._after[0], {root(self._missing.subject)})
        after = self._after[0]
        bound = {
            node.id
            for node in header(self._statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        used = any(reads(each, bound) for each in after) and not self._keeps_its_value()
        needs = not after or used or self._is_used_later()
        return needs and depend(after, bound | {root(self._missing.subject)})

    def _keeps_its_value(self) -> bool:
        """Return whether the names that the statement binds have a value before it."""
        statement = self._statement
        if not (isinstance(statement, ast.Assign) and self._around_is_plain()):
            return False
        names = [target.id for target in statement.targets if isinstance(target, ast.Name)]
        block = self._function.body if self._function else []
        given = {
            target.id
            for before in block
            if before.lineno < statement.lineno and isinstance(before, ast.Assign)
            for target in before.targets
            if isinstance(target, ast.Name)
        }
        own = {root(self._missing.subject)}
        return len(names) == len(statement.targets) and set(names) <= given - own

    def _around_is_plain(self) -> bool:
        return not any(isinstance(node, Loop) for node in self._around)

    def _is_used_later(self) -> bool:
        """Return whether something after it would raise for the same reason."""
        after = [each for block in self._after for each in block]
        if isinstance(self._statement, ast.If):
            after += self._statement.orelse
        subject, kind = ast.dump(self._missing.subject), type(self._missing.fragile)
        return any(
            isinstance(node, kind) and any(ast.dump(n) == subject for n in ast.walk(node))
            for statement in after
            for node in ast.walk(statement)
        )

    def _is_certain(self) -> bool:
        """Return whether the statement evaluates the fragile expression whatever happens."""
        inner: ast.AST = self._missing.fragile
        for node in self._text.ancestors(self._missing.fragile):
            if is_optional(inner, node):
                return False
            if node is self._statement:
                break
            inner = node
        return not isinstance(self._statement, ast.While)

    def _starts_a_line(self) -> bool:
        start = self._text.span(self._statement)[0]
        alone = self._text.column_of(start) == len(self._text.indent_of(start))
        return alone and not self._text.text.startswith("elif", start)

    def _is_alone(self) -> bool:
        """Return whether the statement is all of one line."""
        start, end = self._text.span(self._statement)
        rest = self._text.text[end : self._text.end_of_line(start)].strip()
        same = self._text.line_of(start) == self._text.line_of(end)
        return same and self._starts_a_line() and (not rest or rest.startswith("#"))

    def _unit(self) -> str:
        """Return what the author indents by."""
        outer = self._around[0] if self._around else self._function
        if outer is None:
            return self._text.indent_unit()
        start = self._text.span(self._statement)[0]
        outside = self._text.indent_of(self._text.span(outer)[0])
        return self._text.indent_of(start).removeprefix(outside) or self._text.indent_unit()


_MOST_RESULTS = 50


def guarded(verdict: Verdict, executed: Sequence[tuple[Probe, Run]], bench: Executor) -> Verdict:
    """Return a crash with a guard clause, if the code tells one; any other verdict as it is.

    A guard would hide an error of the code's own.

    ``executed``: runs of the finding's target, whose results say what the
    function returns when it does not crash.
    """
    if not isinstance(verdict, Finding):
        return verdict
    raised = verdict.criterion
    if (
        not isinstance(raised, Crashes)
        or raised.exception == DEATH
        or verdict.rule == CODE_ERROR.id
    ):
        return verdict
    endings = [run.ending for _, run in executed] if verdict.symbol == verdict.target else []
    returned = [ending.value for ending in endings if isinstance(ending, Returned)]
    crash = RaisedLine(verdict.line, raised.exception, str(verdict.evidence.get("message", "")))
    edit = guard(bench.source(verdict.path), crash, returned[:_MOST_RESULTS])
    if edit is None:
        return verdict
    suggestion = Suggestion(verdict.path, edit.start_line, edit.end_line, edit.replacement)
    return replace(verdict, suggestion=suggestion)

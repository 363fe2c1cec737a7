"""Reasons why a call of the target asked nothing: the guard, the missing value, the error."""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set, Tuple

from ..inputs.streamlit_page import PageEnded
from ..protocol.api_calls import EmptyAnswers
from ..runtime import standins
from ..runtime.call_outcomes import is_own, shown, tree_of
from ..runtime.execution import Arguments, PreparedTarget, execute
from .code_constants import functions
from .learning.learning_values import shape_of

LONGEST = 80
_EXPECTED = (StopIteration, StopAsyncIteration, GeneratorExit, KeyboardInterrupt, PageEnded)
_Block = Tuple[ast.stmt, str, List[ast.stmt]]


@dataclass
class _Trace:
    """The lines of the target that a call ran, its last names, and the errors on the way."""

    prepared: PreparedTarget
    lines: Set[int] = field(default_factory=set)
    last: int = 0
    names: Mapping[str, Any] = field(default_factory=dict)
    errors: List[str] = field(default_factory=list)

    def watch(self, frame: FrameType, event: str, value: Any) -> Any:
        """Follow frames of the project's own code."""
        del event, value
        return self._step if is_own(frame.f_code.co_filename, self.prepared.root) else None

    def _step(self, frame: FrameType, event: str, value: Any) -> Any:
        path = os.path.relpath(frame.f_code.co_filename, self.prepared.root).replace(os.sep, "/")
        name = self.prepared.name.rpartition(".")[2]
        if event == "exception" and not issubclass(value[0], _EXPECTED):
            said = " ".join(str(value[1]).split())[:LONGEST]
            self.errors.append(f"{value[0].__name__} ({said}) at {path}:{frame.f_lineno}")
        elif path == self.prepared.path and frame.f_code.co_name in (name, "<module>"):
            self.lines.add(frame.f_lineno)
            self.last = frame.f_lineno
            self.names = {**frame.f_globals, **frame.f_locals}
        return self._step


def returned_early(prepared: PreparedTarget, arguments: Arguments, seconds: float) -> str:
    """Call the target once more, and return where and why it returned without a request."""
    trace = _traced(prepared, arguments, seconds)
    guard = _guard(prepared, trace)
    swallowed = f"; {trace.errors[-1]} was swallowed" if trace.errors else ""
    return f"returned before it called the API{guard}{swallowed}"


def raised_because_of(
    prepared: PreparedTarget, arguments: Arguments, raised: str, seconds: float
) -> str:
    """Call the target once more, and return the last error before the one that it raised itself."""
    last = f"{raised.rpartition('.')[2]} ("
    errors = _traced(prepared, arguments, seconds).errors
    return next((error for error in reversed(errors) if not error.startswith(last)), "")


def _traced(prepared: PreparedTarget, arguments: Arguments, seconds: float) -> _Trace:
    trace = _Trace(prepared)
    before = sys.gettrace()
    sys.settrace(trace.watch)
    try:
        execute(prepared, arguments, EmptyAnswers(), seconds)
    finally:
        sys.settrace(before)
    return trace


def _guard(prepared: PreparedTarget, trace: _Trace) -> str:
    """The condition that ended the call, or kept the code from going on, with its line."""
    passed: Optional[_Block] = None
    for block in _blocks(_body(prepared)):
        statement, _, body = block
        inside = {line for each in body for line in _lines(each)}
        left = any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in body)
        if trace.last in inside and left and statement.lineno in trace.lines:
            return _because(prepared, trace, block, taken=True)
        if statement.lineno in trace.lines and not inside & trace.lines:
            passed = block
    return "" if passed is None else _because(prepared, trace, passed, taken=False)


def _because(prepared: PreparedTarget, trace: _Trace, block: _Block, *, taken: bool) -> str:
    statement, condition, _ = block
    where = f"{prepared.path}:{trace.last if taken else statement.lineno}"
    ours = next(_made_up(statement, trace.names), "")
    empty = None if ours else next(_empty(statement, trace.names), None)
    if empty is not None:
        return f" at {where} because {empty}"
    holds = "holds" if taken else "does not hold"
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        holds = "gives nothing"
    return f" at {where} because `{condition[:LONGEST]}` {holds}{ours}"


def _made_up(statement: ast.stmt, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a condition that have values which learn."""
    tested: Any = getattr(statement, "test", None) or getattr(statement, "iter", None)
    for node in ast.walk(tested):
        if isinstance(node, ast.Name) and shape_of(names.get(node.id)) is not None:
            yield f"; `{node.id}` is made up"


def _empty(statement: ast.stmt, names: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a condition that are empty, or that stand in for what is not here."""
    tested: Any = getattr(statement, "test", None) or getattr(statement, "iter", None)
    for node in ast.walk(tested):
        if not isinstance(node, ast.Name) or node.id not in names:
            continue
        value = names[node.id]
        if standins.is_standin(value):
            yield f"`{node.id}` is made up"
        elif value is None or (isinstance(value, (str, bytes, list, tuple, dict)) and not value):
            yield f"`{node.id}` is {'empty' if value is not None else shown(value)}"


def _body(prepared: PreparedTarget) -> List[ast.stmt]:
    tree = tree_of(str(Path(prepared.root, prepared.path)))
    found: Dict[str, Any] = dict(functions(tree))
    node: Any = found.get(prepared.name, tree)
    return list(node.body)


def _blocks(body: List[ast.stmt]) -> Iterator[_Block]:
    """The guarded blocks of a body in the order of the text, those inside after theirs."""
    for statement in body:
        if isinstance(statement, (ast.If, ast.While)):
            yield statement, ast.unparse(statement.test), statement.body
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            yield statement, ast.unparse(statement.iter), statement.body
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and not isinstance(statement, ast.ClassDef):
                yield from _blocks(inner)


def _lines(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)

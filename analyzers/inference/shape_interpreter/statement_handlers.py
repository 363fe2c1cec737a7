"""Statements, interpreted: assignments, branches, loops."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallFrame,
    Evaluator,
    LibraryName,
    MixedArithmetic,
    ProjectFunction,
    ProjectInstance,
    ShapeAttribute,
    Tensor,
    Unknown,
    UntypedParameter,
)
from .sizes import SizeTerm, SizeVariable

MOST_ROUNDS = 12
_FILLING = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove"})


@dataclass(frozen=True, slots=True)
class ReturnedValue:
    """A ``return`` was met."""

    value: Any


NEXT, STOPPED, BROKEN = "next", "stopped", "broken"
"""A block came to its end; it raised or continued; it left its loop."""


def truth(value: Any) -> bool | None:
    """Return whether a value is true; ``None`` where that is open."""
    if isinstance(
        value,
        Tensor
        | UntypedParameter
        | MixedArithmetic
        | Unknown
        | SizeVariable
        | SizeTerm
        | ShapeAttribute
        | LibraryName,
    ):
        return None
    if isinstance(value, (bool, int, float, str, list, tuple, dict)) or value is None:
        return bool(value)
    return True


def block(machine: Evaluator, body: Sequence[ast.stmt], frame: CallFrame) -> Any:
    """Run statements; :class:`Returned`, or one of the words above."""
    maybe: list[Any] = []
    for statement in body:
        handler = _HANDLERS.get(type(statement))
        flow = handler(machine, statement, frame) if handler else NEXT
        if isinstance(flow, ReturnedValue):
            return ReturnedValue(_joined([*maybe, flow.value]))
        if isinstance(flow, list):
            maybe += flow
        elif flow != NEXT:
            return flow
    return maybe or NEXT


def _joined(values: list[Any]) -> Any:
    known = [each for each in values if not isinstance(each, Unknown)]
    if not known:
        return UNKNOWN
    first = known[-1]
    return first if all(_alike(first, each) for each in known) else UNKNOWN


def _alike(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return left.shape.dims is not None and left.shape.dims == right.shape.dims
    if isinstance(left, ProjectInstance) and isinstance(right, ProjectInstance):
        return left.of.node is right.of.node
    if isinstance(left, ProjectFunction) and isinstance(right, ProjectFunction):
        return left.node is right.node and left.bound is right.bound
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return all(map(_alike, left, right))
    return type(left) is type(right) and not isinstance(left, Tensor) and bool(left == right)


def assign(machine: Evaluator, target: ast.expr, value: Any, frame: CallFrame) -> None:
    """Bind a target: a name, a tuple of targets, an attribute, an item."""
    if isinstance(target, ast.Name):
        frame.env[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        for each, part in zip(target.elts, _unpacked(target.elts, value), strict=True):
            assign(machine, each, part, frame)
    elif isinstance(target, ast.Attribute):
        holder = machine.evaluate(target.value, frame)
        if isinstance(holder, ProjectInstance):
            holder.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript):
        _store(machine.evaluate(target.value, frame), machine.evaluate(target.slice, frame), value)
    elif isinstance(target, ast.Starred):
        assign(machine, target.value, value, frame)


def _store(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, dict) and isinstance(key, str | int):
        holder[key] = value
        return
    if isinstance(holder, list) and isinstance(key, int) and -len(holder) <= key < len(holder):
        holder[key] = value


def _unpacked(targets: list[ast.expr], value: Any) -> list[Any]:
    count = len(targets)
    starred = [index for index, each in enumerate(targets) if isinstance(each, ast.Starred)]
    if isinstance(value, ShapeAttribute):
        shape = value.tensor.shape
        if not starred:
            dims = shape.close(count)
            return list(dims) if dims is not None else [UNKNOWN] * count
        at = starred[0]
        first = [shape.at(index) for index in range(at)]
        last = [shape.at(index - count) for index in range(at + 1, count)]
        dims = shape.dims
        middle: Any = dims[at : len(dims) - len(last)] if dims is not None else UNKNOWN
        return [*(UNKNOWN if each is None else each for each in first), middle,
                *(UNKNOWN if each is None else each for each in last)]  # fmt: skip
    if not isinstance(value, list | tuple):
        return [UNKNOWN] * count
    items = list(value)
    if starred and len(items) >= count - 1:
        at, more = starred[0], len(items) - count + 1
        return [*items[:at], items[at : at + more], *items[at + more :]]
    return items if len(items) == count and not starred else [UNKNOWN] * count


def _assignment(machine: Evaluator, node: ast.Assign, frame: CallFrame) -> str:
    value = machine.evaluate(node.value, frame)
    for target in node.targets:
        assign(machine, target, value, frame)
    return NEXT


def _annotated(machine: Evaluator, node: ast.AnnAssign, frame: CallFrame) -> str:
    if node.value is not None:
        assign(machine, node.target, machine.evaluate(node.value, frame), frame)
    return NEXT


def _augmented(machine: Evaluator, node: ast.AugAssign, frame: CallFrame) -> str:
    left = ast.copy_location(_loaded(node.target), node)
    whole = ast.copy_location(ast.BinOp(left, node.op, node.value), node)
    assign(machine, node.target, machine.evaluate(whole, frame), frame)
    return NEXT


def _loaded(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Load())
    if isinstance(node, ast.Attribute):
        return ast.Attribute(node.value, node.attr, ast.Load())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Load())
    return node


def _if(machine: Evaluator, node: ast.If, frame: CallFrame) -> Any:
    tested = truth(machine.evaluate(node.test, frame))
    if tested is not None:
        return block(machine, node.body if tested else node.orelse, frame)
    ways = [node.body, node.orelse]
    ends: list[dict[str, Any]] = []
    returned: list[Any] = []
    with machine.ledger.uncertain():
        for way in ways:
            inner = CallFrame(dict(frame.env), frame.module, frame.owner)
            flow = block(machine, way, inner)
            if isinstance(flow, ReturnedValue):
                returned.append(flow.value)
            elif flow == NEXT or isinstance(flow, list):
                ends.append(inner.env)
                returned += flow if isinstance(flow, list) else []
    if not ends:
        return ReturnedValue(_joined(returned)) if returned else STOPPED
    for name in {name for env in ends for name in env}:
        frame.env[name] = _joined([env.get(name, UNKNOWN) for env in ends])
    return returned or NEXT


def _for(machine: Evaluator, node: ast.For | ast.AsyncFor, frame: CallFrame) -> Any:
    items = rounds(machine.evaluate(node.iter, frame))
    if items is None:
        with machine.ledger.uncertain():
            before = dict(frame.env)
            flow = _rounds(machine, node, [UNKNOWN], frame)
            _forget(node.body, before, frame)
            return flow
    return _rounds(machine, node, items, frame)


def _forget(body: Sequence[ast.stmt], before: Mapping[str, Any], frame: CallFrame) -> None:
    """Make unknown what one turn of a loop has changed: nobody knows how many there are."""
    for name in _filled(body):
        frame.env[name] = UNKNOWN
    for name, value in frame.env.items():
        if name in before and not _alike(before[name], value):
            frame.env[name] = UNKNOWN


def _filled(body: Sequence[ast.stmt]) -> set[str]:
    found: set[str] = set()
    for node in (inner for statement in body for inner in ast.walk(statement)):
        holder: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = node.func.value if node.func.attr in _FILLING else None
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            holder = node.value
        if isinstance(holder, ast.Name):
            found.add(holder.id)
    return found


def rounds(value: Any) -> list[Any] | None:
    """The items that a loop takes, some of them where there are many."""
    if isinstance(value, dict):
        value = list(value)
    if isinstance(value, ShapeAttribute):
        value = value.tensor.shape.dims
    if isinstance(value, list | tuple):
        return list(value)
    return None


def _rounds(
    machine: Evaluator, node: ast.For | ast.AsyncFor, items: list[Any], frame: CallFrame
) -> Any:
    shown = items
    if len(items) > MOST_ROUNDS and not machine.enters:
        shown = [*items[:2], items[-1]]
    for item in shown:
        assign(machine, node.target, item, frame)
        flow = block(machine, node.body, frame)
        if isinstance(flow, ReturnedValue):
            return flow if items != [UNKNOWN] else [flow.value]
        if flow == BROKEN:
            break
    if len(shown) < len(items):
        frame.env.update(dict.fromkeys(_filled(node.body), UNKNOWN))
    return NEXT


def _while(machine: Evaluator, node: ast.While, frame: CallFrame) -> Any:
    count = 0
    while (tested := truth(machine.evaluate(node.test, frame))) and count < 64:
        count += 1
        flow = block(machine, node.body, frame)
        if isinstance(flow, ReturnedValue):
            return flow
        if flow == BROKEN:
            return NEXT
    if tested is None:
        with machine.ledger.uncertain():
            before = dict(frame.env)
            block(machine, node.body, frame)
            _forget(node.body, before, frame)
    return NEXT


def _with(machine: Evaluator, node: ast.With | ast.AsyncWith, frame: CallFrame) -> Any:
    if any("raises" in ast.unparse(item.context_expr).lower() for item in node.items):
        return NEXT
    for item in node.items:
        value = machine.evaluate(item.context_expr, frame)
        if item.optional_vars is not None:
            assign(machine, item.optional_vars, UNKNOWN if value is None else value, frame)
    return block(machine, node.body, frame)


def _try(machine: Evaluator, node: ast.Try, frame: CallFrame) -> Any:
    with machine.ledger.uncertain() if machine.watch and node.handlers else nullcontext():
        flow = block(machine, [*node.body, *node.orelse], frame)
    final = block(machine, node.finalbody, frame)
    return flow if final == NEXT else final


def _return(machine: Evaluator, node: ast.Return, frame: CallFrame) -> ReturnedValue:
    return ReturnedValue(None if node.value is None else machine.evaluate(node.value, frame))


def _expression(machine: Evaluator, node: ast.Expr, frame: CallFrame) -> str:
    machine.evaluate(node.value, frame)
    return NEXT


def _assert(machine: Evaluator, node: ast.Assert, frame: CallFrame) -> str:
    """An assertion on sizes holds of all that is valid."""
    machine.evaluate(node.test, frame)
    return NEXT


def _define(machine: Evaluator, node: ast.FunctionDef, frame: CallFrame) -> str:
    del machine
    frame.env[node.name] = ProjectFunction(node, frame.module, node.name, None, frame.env)
    return NEXT


_HANDLERS: dict[type[ast.stmt], Any] = {
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Return: _return,
    ast.Expr: _expression,
    ast.Assert: _assert,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.Raise: lambda *_: STOPPED,
    ast.Continue: lambda *_: STOPPED,
    ast.Break: lambda *_: BROKEN,
}

"""Expressions, interpreted."""

from __future__ import annotations

import ast
import operator
from itertools import pairwise
from typing import Any

from .abstract_values import (
    UNKNOWN,
    CallEvent,
    CallFrame,
    Evaluator,
    ProjectFunction,
    ProjectInstance,
    SuperProxy,
    Tensor,
    TensorElements,
    Unknown,
    UntypedParameter,
    sized,
)
from .operators import arithmetic, elementwise, item_of, matmul
from .sizes import Size
from .statement_handlers import assign, rounds, truth

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/",
    ast.Pow: "**",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_PLAIN = (int, float, str, bool, tuple, list)


def _name(machine: Evaluator, node: ast.Name, frame: CallFrame) -> Any:
    if node.id in frame.env:
        return frame.env[node.id]
    return machine.lookup(node.id, frame.module)


def _attribute(machine: Evaluator, node: ast.Attribute, frame: CallFrame) -> Any:
    return machine.attribute(machine.evaluate(node.value, frame), node.attr)


def _elements(machine: Evaluator, nodes: list[ast.expr], frame: CallFrame) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            items = rounds(machine.evaluate(node.value, frame))
            found += [UNKNOWN] if items is None else items
        else:
            found.append(machine.evaluate(node, frame))
    return found


def _dict(machine: Evaluator, node: ast.Dict, frame: CallFrame) -> Any:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = machine.evaluate(key, frame) if key is not None else UNKNOWN
        if not isinstance(name, str | int):
            return UNKNOWN
        found[name] = machine.evaluate(value, frame)
    return found


def _binary(machine: Evaluator, node: ast.BinOp, frame: CallFrame) -> Any:
    left, right = machine.evaluate(node.left, frame), machine.evaluate(node.right, frame)
    if isinstance(node.op, ast.MatMult):
        return matmul(machine.ledger, left, right)
    symbol = _SYMBOLS.get(type(node.op))
    return arithmetic(machine.ledger, symbol, left, right) if symbol else UNKNOWN


def _unary(machine: Evaluator, node: ast.UnaryOp, frame: CallFrame) -> Any:
    value = machine.evaluate(node.operand, frame)
    if isinstance(node.op, ast.Not):
        tested = truth(value)
        return UNKNOWN if tested is None else not tested
    if isinstance(node.op, ast.USub):
        if isinstance(value, int | float):
            return -value
        return arithmetic(machine.ledger, "*", value, -1)
    return value


def _boolean(machine: Evaluator, node: ast.BoolOp, frame: CallFrame) -> Any:
    value: Any = UNKNOWN
    open_ = False
    for each in node.values:
        value = machine.evaluate(each, frame)
        tested = truth(value)
        if tested is (not isinstance(node.op, ast.And)):
            return value if not open_ or isinstance(value, bool) else UNKNOWN
        open_ = open_ or tested is None
    return UNKNOWN if open_ else value


def _compare(machine: Evaluator, node: ast.Compare, frame: CallFrame) -> Any:
    values = [machine.evaluate(each, frame) for each in (node.left, *node.comparators)]
    if len(values) == 2 and all(map(_is_array, values)):
        found = elementwise(machine.ledger, *values)
        return Tensor(found.shape, TensorElements("bool"), found.kind)
    pairs = zip(node.ops, pairwise(values), strict=True)
    found = [_compared(op, *pair) for op, pair in pairs]
    if any(each is False for each in found):
        return False
    return UNKNOWN if any(each is None for each in found) else True


def _is_array(value: Any) -> bool:
    return isinstance(value, Tensor) or (
        isinstance(value, UntypedParameter) and value.tensor is not None
    )


def _compared(op: ast.cmpop, left: Any, right: Any) -> bool | None:
    if isinstance(op, ast.Is | ast.IsNot) and (left is None or right is None):
        other = right if left is None else left
        if isinstance(other, Unknown):
            return None
        return (other is None) is isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn) and isinstance(right, list | tuple | dict | str):
        return _contained(op, left, right)
    compare = _COMPARE.get(type(op))
    if compare is None or not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
        return None
    try:
        return bool(compare(left, right))
    except TypeError:
        return None


def _contained(op: ast.cmpop, left: Any, right: Any) -> bool | None:
    if not isinstance(left, int | float | str):
        return None
    try:
        return (left in right) is isinstance(op, ast.In)
    except TypeError:
        return None


def _choice(machine: Evaluator, node: ast.IfExp, frame: CallFrame) -> Any:
    tested = truth(machine.evaluate(node.test, frame))
    if tested is not None:
        return machine.evaluate(node.body if tested else node.orelse, frame)
    with machine.ledger.uncertain():
        first = machine.evaluate(node.body, frame)
        second = machine.evaluate(node.orelse, frame)
    return first if isinstance(second, Unknown) or first is second else UNKNOWN


def _subscript(machine: Evaluator, node: ast.Subscript, frame: CallFrame) -> Any:
    holder = machine.evaluate(node.value, frame)
    return item_of(machine.ledger, holder, machine.evaluate(node.slice, frame))


def _slice(machine: Evaluator, node: ast.Slice, frame: CallFrame) -> Any:
    parts = (node.lower, node.upper, node.step)
    return slice(*(None if part is None else machine.evaluate(part, frame) for part in parts))


def _comprehension(
    machine: Evaluator, node: ast.ListComp | ast.GeneratorExp, frame: CallFrame
) -> Any:
    if len(node.generators) != 1:
        return UNKNOWN
    made = node.generators[0]
    items = rounds(machine.evaluate(made.iter, frame))
    inner = CallFrame(dict(frame.env), frame.module, frame.owner)
    if items is None:
        with machine.ledger.uncertain():
            assign(machine, made.target, UNKNOWN, inner)
            machine.evaluate(node.elt, inner)
        return UNKNOWN
    found: list[Any] = []
    for item in items:
        assign(machine, made.target, item, inner)
        kept = [truth(machine.evaluate(test, inner)) for test in made.ifs]
        if None in kept:
            return UNKNOWN
        if all(kept):
            found.append(machine.evaluate(node.elt, inner))
    return found


def _joined(machine: Evaluator, node: ast.JoinedStr, frame: CallFrame) -> Any:
    parts: list[str] = []
    for each in node.values:
        inner = each.value if isinstance(each, ast.FormattedValue) else each
        value = machine.evaluate(inner, frame)
        if not isinstance(value, str | int):
            return UNKNOWN
        parts.append(str(value))
    return "".join(parts)


def _named(machine: Evaluator, node: ast.NamedExpr, frame: CallFrame) -> Any:
    value = machine.evaluate(node.value, frame)
    assign(machine, node.target, value, frame)
    return value


def _call(machine: Evaluator, node: ast.Call, frame: CallFrame) -> Any:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and frame.owner is not None:
        holder = frame.env.get("self")
        return SuperProxy(holder, frame.owner) if isinstance(holder, ProjectInstance) else UNKNOWN
    halved = _halved(machine, node, frame)
    if halved is not None:
        return halved
    function = machine.evaluate(node.func, frame)
    args = _elements(machine, node.args, frame)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, dict):
            kwargs.update({key: each for key, each in value.items() if isinstance(key, str)})
        else:
            kwargs["**"] = value
    if machine.watch is not None:
        machine.watch(CallEvent(function, tuple(args), kwargs, node, frame.module.path))
    if "**" in kwargs:
        return UNKNOWN
    return machine.call(function, args, kwargs)


def _halved(machine: Evaluator, node: ast.Call, frame: CallFrame) -> Size | None:
    """``int(n / 2)`` of a size is its floor."""
    if not (isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1):
        return None
    inner = node.args[0]
    if not (isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Div)):
        return None
    left = machine.evaluate(inner.left, frame)
    right = machine.evaluate(inner.right, frame)
    if isinstance(left, float) or isinstance(right, float):
        return None
    size, divisor = sized(left), sized(right)
    if size is None or divisor is None or divisor == 0:
        return None
    found = arithmetic(machine.ledger, "//", size, divisor)
    return sized(found)


HANDLERS: dict[type[ast.expr], Any] = {
    ast.Constant: lambda _machine, node, _frame: node.value,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: lambda machine, node, frame: tuple(_elements(machine, node.elts, frame)),
    ast.List: lambda machine, node, frame: _elements(machine, node.elts, frame),
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: lambda _, node, frame: ProjectFunction(
        node, frame.module, "<lambda>", None, frame.env
    ),
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.JoinedStr: _joined,
    ast.NamedExpr: _named,
    ast.Call: _call,
    ast.Await: lambda machine, node, frame: machine.evaluate(node.value, frame),
}

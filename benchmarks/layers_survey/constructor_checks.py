"""What the code of a layer checks of its own arguments, read from its syntax."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import (
    Any,
    cast,
)

from .survey_models import Bounds

_NEGATED: dict[type, type] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_MIRRORED: dict[type, type] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
_FORWARD = ("__init__", "forward", "_check_input_dim")
_ORDERED = (ast.Mod, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
_ALLOWED = (
    *(ast.Compare, ast.BinOp, ast.Name, ast.Constant, ast.Load, ast.BoolOp, ast.And, ast.Or),
    *(ast.UnaryOp, ast.USub, ast.Not, *_ORDERED, *_NEGATED),
    *(ast.Tuple, ast.List, ast.Set),
)


def conditions(constructor: Any, names: set[str]) -> tuple[ast.expr, ...]:
    """What has to hold of the parameters ``names``, by every check of the class's own code.

    Read are ``if …: raise`` and ``assert`` in the constructors of the class and its bases,
    in ``forward``, and in the functions that it calls with ``self.name``.
    """
    found: list[ast.expr] = []
    for function in _functions(constructor):
        tree = _tree(function)
        if tree is None:
            continue
        found += _checks(tree, {name: name for name in names})
        if function.__name__ == "forward":
            found += _of_callees(tree, function, names)
    told = {ast.unparse(each): each for each in found}
    return tuple(told.values())


def ranges(conditions_: Sequence[ast.expr]) -> dict[str, Bounds]:
    """The bounds of single parameters among conditions."""
    found: dict[str, Bounds] = {}
    for condition in conditions_:
        for part in _conjuncts(condition):
            bound = _bound(part)
            if bound is not None:
                name, limits = bound
                found[name] = _met(found.get(name), limits)
    return {name: limits for name, limits in found.items() if not limits.is_empty}


def relations(conditions_: Sequence[ast.expr]) -> tuple[str, ...]:
    """The conditions on several parameters at once, as source."""
    parts = [part for each in conditions_ for part in _conjuncts(each)]
    return tuple(sorted({ast.unparse(part) for part in parts if len(_names(part)) > 1}))


def _functions(constructor: Any) -> Iterator[Callable[..., Any]]:
    if not isinstance(constructor, type):
        yield constructor
        return
    for base in constructor.__mro__:
        for name in _FORWARD:
            function = base.__dict__.get(name)
            if inspect.isfunction(function) and base.__name__ != "Module":
                yield function


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    first = tree.body[0] if tree.body else None
    return first if isinstance(first, ast.FunctionDef) else None


def _checks(function: ast.FunctionDef, names: Mapping[str, str]) -> list[ast.expr]:
    """Conditions that a function's own raises and asserts ask, over renamed parameters."""
    found: list[ast.expr] = []
    for node in function.body:
        test = _asked(node)
        if test is None:
            continue
        renamed = _Renaming(names)
        condition = renamed.visit(test)
        if renamed.sound and all(isinstance(each, _ALLOWED) for each in ast.walk(condition)):
            found.append(condition)
    return found


def _asked(node: ast.stmt) -> ast.expr | None:
    """What a statement asks of the arguments, for it does not raise."""
    if isinstance(node, ast.Assert):
        return _copy(node.test)
    if not isinstance(node, ast.If) or node.orelse or not isinstance(node.body[-1], ast.Raise):
        return None
    return _negated(_copy(node.test))


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.BoolOp):
        other: ast.boolop = ast.And() if isinstance(test.op, ast.Or) else ast.Or()
        return ast.BoolOp(other, [_negated(each) for each in test.values])
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _NEGATED:
        operator: Any = _NEGATED[type(test.ops[0])]()
        return ast.Compare(test.left, [operator], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _of_callees(
    forward: ast.FunctionDef, function: Callable[..., Any], names: set[str]
) -> list[ast.expr]:
    """The checks of functions that ``forward`` calls with what the layer was made with."""
    found: list[ast.expr] = []
    for call in [node for node in ast.walk(forward) if isinstance(node, ast.Call)]:
        callee = _named(call.func, getattr(inspect.unwrap(function), "__globals__", {}))
        if callee is None:
            continue
        tree = _tree(callee)
        given = _given(call, callee, names)
        if tree is not None and given:
            found += _checks(tree, given)
    return found


def _named(called: ast.expr, names: Mapping[str, Any]) -> Callable[..., Any] | None:
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        found = getattr(names.get(called.value.id), called.attr, None)
        return found if inspect.isfunction(found) else None
    return None


def _given(call: ast.Call, callee: Callable[..., Any], names: set[str]) -> dict[str, str]:
    """Which parameters of a callee are given which parameters of the layer."""
    parameters = list(inspect.signature(callee).parameters)
    given = list(zip(parameters, call.args, strict=False))
    given += [(each.arg, each.value) for each in call.keywords if each.arg]
    pairs = ((parameter, _attribute(value)) for parameter, value in given)
    return {parameter: name for parameter, name in pairs if name in names}


def _attribute(node: ast.expr) -> str:
    """``name`` of ``self.name``, or empty."""
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return node.attr if is_own and node.value.id == "self" else ""  # type: ignore[attr-defined]


class _Renaming(ast.NodeTransformer):
    """Puts the layer's parameters in the place of names and of ``self.name``."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.sound = True

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name has to be a parameter."""
        self.sound = self.sound and node.id in self._names
        return ast.Name(self._names.get(node.id, node.id), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute has to be what a parameter was kept as."""
        name = _attribute(node)
        self.sound = self.sound and name in self._names.values()
        return ast.Name(name or "_", ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """What an item of a parameter has to be, all of its items have to be."""
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
            return cast("ast.expr", self.visit(node.value))
        self.sound = False
        return node


def _conjuncts(condition: ast.expr) -> Iterator[ast.expr]:
    if isinstance(condition, ast.BoolOp) and isinstance(condition.op, ast.And):
        for each in condition.values:
            yield from _conjuncts(each)
    elif isinstance(condition, ast.Compare) and len(condition.ops) > 1:
        left = condition.left
        for operator, right in zip(condition.ops, condition.comparators, strict=False):
            yield ast.Compare(left, [operator], [right])
            left = right
    else:
        yield condition


def _bound(part: ast.expr) -> tuple[str, Bounds] | None:
    """The bound that a comparison of one parameter with a number or values sets."""
    if not isinstance(part, ast.Compare) or len(part.ops) != 1:
        return None
    left, operator, right = part.left, type(part.ops[0]), part.comparators[0]
    if isinstance(right, ast.Name) and not isinstance(left, ast.Name):
        left, right, operator = right, left, _MIRRORED.get(operator, operator)
    if not isinstance(left, ast.Name):
        return None
    limits = _limits(operator, _value(right), ast.unparse(part)) or _listed(operator, right, part)
    return None if limits is None else (left.id, limits)


def _listed(operator: type, right: ast.expr, part: ast.expr) -> Bounds | None:
    """The choices that equality with a text, or being in a display of texts, leaves."""
    items: list[ast.expr] = [right] if operator is ast.Eq else []
    if operator is ast.In and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        items = right.elts
    if not items or not all(isinstance(_value(item), str) for item in items):
        return None
    listed = tuple(repr(_value(item)) for item in items)
    return Bounds(choices=listed, said_by="code", quote=ast.unparse(part))


def _limits(operator: type, found: Any, quote: str) -> Bounds | None:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return None
    value = float(found)
    if operator in (ast.GtE, ast.Gt):
        return Bounds(low=value, open_low=operator is ast.Gt, said_by="code", quote=quote)
    if operator in (ast.LtE, ast.Lt):
        return Bounds(high=value, open_high=operator is ast.Lt, said_by="code", quote=quote)
    return None


def _met(one: Bounds | None, other: Bounds) -> Bounds:
    """Both bounds at once."""
    if one is None or other.choices:
        return other
    low = one if other.low is None else other
    high = one if other.high is None else other
    found = Bounds(low.low, high.high, low.open_low, high.open_high, (), "code", one.quote)
    return one if found == one else replace(found, quote=f"{one.quote} and {other.quote}")


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _names(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body

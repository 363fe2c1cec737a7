"""Values given to a function that become parameters of layers unchanged.

Data flow within one function, as far as it can be read: names that are assigned once,
attributes of ``self``, conversions to ``float`` and ``int``, attributes of what is given
(``config.eps``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from analyzers.assembly.layer_tables import LayerApi, LayerParameter
from analyzers.inference.constraint_sources.module_scope import dotted_name
from analyzers.inference.shape_interpreter.project_modules import imported


@dataclass(frozen=True, slots=True)
class ImportedNames:
    """The imports of a file: what its names stand for."""

    bound: Mapping[str, str]

    def public(self, expression: ast.expr) -> str:
        """Return the dotted name that an expression stands for; empty for what is no name."""
        first, dot, rest = dotted_name(expression).partition(".")
        return self.bound.get(first, first) + dot + rest

    def spelled(self, name: str) -> str | None:
        """Return how the file spells a dotted name with its imports; ``None`` where it cannot."""
        for own, full in sorted(self.bound.items(), key=lambda item: -len(item[1])):
            if name == full or name.startswith(f"{full}."):
                return own + name[len(full) :]
        return None


@lru_cache(maxsize=64)
def names_of(text: str) -> ImportedNames:
    """Return what the imports of a file bind; raises ``SyntaxError``."""
    bound = (pair for node in ast.walk(ast.parse(text)) for pair in imported(node))
    return ImportedNames({own: full for own, full in bound if not full.startswith(".")})


_DEPTH = 8
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class BuiltLayer:
    """A layer that a function builds: the call, and its arguments by parameter."""

    api: LayerApi
    call: ast.Call
    arguments: Mapping[str, ast.expr]


@dataclass(frozen=True, slots=True)
class ParameterFlow:
    """A value that is given to a function and becomes a layer's parameter as it is.

    ``given`` is the function's parameter, ``attribute`` what is read of it (``eps`` of
    ``config.eps``), empty where it is the value itself.  ``access`` is the expression that
    reads it where that is another one (``config["eps"]``).
    """

    given: str
    attribute: str
    built: BuiltLayer
    parameter: LayerParameter
    access: str = ""

    @property
    def source(self) -> str:
        """Return an expression over the function's parameters that is the value."""
        return self.access or (f"{self.given}.{self.attribute}" if self.attribute else self.given)

    @property
    def name(self) -> str:
        """Return the last part of that: what configurations call it."""
        return self.attribute or self.given

    @property
    def line(self) -> int:
        """Return where the layer is built."""
        return self.built.call.lineno


def function_of(text: str, name: str) -> Function | None:
    """Return the function of a qualified name; ``None`` where there is none, or it is nested."""
    try:
        found: ast.AST | None = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for part in name.split("."):
        inside = [] if found is None else ast.iter_child_nodes(found)
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found = next((n for n in inside if isinstance(n, kinds) and n.name == part), None)
    return found if isinstance(found, Function) else None


def layers_of(tree: ast.AST, text: str, layers: Mapping[str, LayerApi]) -> tuple[BuiltLayer, ...]:
    """Return the layers that a part of a file builds, in the order of its lines."""
    known = names_of(text)
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = ((call, layers.get(known.public(call.func))) for call in calls)
    built = (BuiltLayer(api, call, _arguments(api, call)) for call, api in found if api is not None)
    return tuple(sorted(built, key=lambda each: (each.call.lineno, each.call.col_offset)))


def flows(function: Function, built: tuple[BuiltLayer, ...]) -> Iterator[ParameterFlow]:
    """Yield the values that are given to a function and become parameters of layers."""
    values = _Values(function)
    for each in built:
        for name, argument in each.arguments.items():
            parameter = each.api.parameter(name)
            source = values.source(argument)
            if parameter is not None and source is not None:
                yield ParameterFlow(*source, each, parameter)


def hands_on(flow: ParameterFlow, function: Function, built: Sequence[BuiltLayer]) -> bool:
    """Return whether another text of the function may give the flow's value to such a layer."""
    own = function.args
    if flow.given not in {a.arg for a in (*own.posonlyargs, *own.args, *own.kwonlyargs)}:
        return True
    same = [each for each in built if each.api.name == flow.built.api.name]
    starred = any(_is_starred(each.call) for each in same)
    given = (each.arguments.get(flow.parameter.name) for each in same)
    return starred or any(flow.given in depends(function, each) for each in given if each)


def _is_starred(call: ast.Call) -> bool:
    return any(isinstance(each, ast.Starred) for each in call.args) or any(
        each.arg is None for each in call.keywords
    )


def depends(function: Function, expression: ast.expr) -> frozenset[str]:
    """Return the parameters of a function that an expression is computed from."""
    return _Values(function).origins(expression)


def _arguments(api: LayerApi, call: ast.Call) -> dict[str, ast.expr]:
    named = {k.arg: k.value for k in call.keywords if k.arg is not None}
    plain: list[ast.expr] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            break
        plain.append(argument)
    places = (parameter.name for parameter in api.parameters)
    return dict(zip(places, plain, strict=False)) | named


class _Values:
    def __init__(self, function: Function) -> None:
        own = function.args
        self._parameters = {
            a.arg for a in (*own.posonlyargs, *own.args, *own.kwonlyargs) if a.arg != "self"
        }
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assign(target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._assign(node.target, node.value)
            elif isinstance(node, ast.AugAssign | ast.For | ast.NamedExpr):
                self._assign(node.target, node)

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self._assign(each, target)
        elif isinstance(target, ast.Name | ast.Attribute):
            kept = value if isinstance(value, ast.expr) else target
            self._assigned.setdefault(ast.unparse(target), []).append(kept)

    def source(self, expression: ast.expr, depth: int = _DEPTH) -> tuple[str, str] | None:
        if depth == 0:
            return None
        if isinstance(expression, ast.Call):
            match expression:
                case ast.Call(func=ast.Name(id="float" | "int"), args=[inner], keywords=[]):
                    return self.source(inner, depth - 1)
                case _:
                    return None
        if not isinstance(expression, ast.Name | ast.Attribute):
            return None
        spelled = ast.unparse(expression)
        assigned = self._assigned.get(spelled)
        if assigned is not None:
            alone = len(assigned) == 1 and spelled not in self._parameters
            return self.source(assigned[0], depth - 1) if alone else None
        return self._given(expression)

    def _given(self, expression: ast.Name | ast.Attribute) -> tuple[str, str] | None:
        if isinstance(expression, ast.Name):
            return (expression.id, "") if expression.id in self._parameters else None
        of = expression.value
        if isinstance(of, ast.Name) and of.id in self._parameters and of.id not in self._assigned:
            return of.id, expression.attr
        return None

    def origins(self, expression: ast.AST, depth: int = _DEPTH) -> frozenset[str]:
        if depth == 0:
            return frozenset(self._parameters)
        found: set[str] = set()
        for node in ast.walk(expression):
            if isinstance(node, ast.Name) and node.id in self._parameters:
                found.add(node.id)
            if isinstance(node, ast.Name | ast.Attribute):
                for value in self._assigned.get(ast.unparse(node), ()):
                    found |= self.origins(value, depth - 1)
        return frozenset(found)

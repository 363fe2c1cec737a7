"""Decides whether the value of an expression is made of known parts alone.

Known are constants, what the project's own code makes of them, and what ML APIs
answered.  Everything else may be made up: arguments, the environment, files, the
network, clocks, stand-ins.  What cannot be followed counts as made up.
"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Set, Tuple

from ..runtime import standins
from .bindings import (
    FUNCTIONS,
    MUTATORS,
    Asked,
    Binding,
    FunctionNode,
    ancestors,
    asks_service,
    bindings,
    control,
    function_at,
    handed_on,
    own_nodes,
)

DEEPEST = 6
PURE_BUILTINS = frozenset(
    ("abs", "all", "any", "bool", "bytes", "chr", "dict", "divmod", "enumerate", "filter", "float",
     "frozenset", "getattr", "int", "isinstance", "issubclass", "iter", "len", "list", "map", "max",
     "min", "next", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice", "sorted",
     "str", "sum", "tuple", "type", "zip")
)  # fmt: skip
PURE_MODULES = frozenset(
    ("bisect", "cmath", "collections", "copy", "functools", "heapq", "itertools", "json", "math",
     "operator", "re", "statistics", "string", "textwrap", "unicodedata")
)  # fmt: skip
_PURE_METHODS = frozenset(
    ("capitalize", "casefold", "copy", "count", "decode", "encode", "endswith", "find", "format",
     "get", "index", "isalnum", "isalpha", "isdigit", "isnumeric", "items", "join", "keys", "lower",
     "lstrip", "partition", "replace", "rfind", "rpartition", "rsplit", "rstrip", "split",
     "splitlines", "startswith", "strip", "title", "upper", "values", "zfill", "group", "groups")
) | MUTATORS  # fmt: skip
_HARMLESS = frozenset(
    ("print", "debug", "info", "warning", "error", "exception", "critical", "log", "dumps", "write")
)
_COMPOSED = (
    ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Tuple, ast.List, ast.Dict, ast.Set,
    ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Starred, ast.Slice,
    ast.Subscript, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.comprehension,
    ast.NamedExpr, ast.keyword, ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
    ast.expr_context,
)  # fmt: skip
_PLAIN = (str, bytes, int, float, bool, complex, tuple, frozenset, type(None))
_DEFINED = (FunctionType, BuiltinFunctionType, type)


@dataclass(frozen=True)
class CodeScope:
    """A function, or a module, whose code is read: its syntax, and what its names mean.

    ``values`` are those of its variables where it was running, ``caller`` the
    place that called it; none where that was ours.  ``given`` are the parameters
    that we gave a value.
    """

    node: ast.AST
    tree: ast.Module
    names: Mapping[str, Any]
    values: Mapping[str, Any] = field(default_factory=dict)
    caller: Optional[Tuple[CodeScope, ast.Call]] = None
    given: FrozenSet[str] = frozenset()

    def module(self) -> CodeScope:
        """The module that the function is in."""
        return CodeScope(self.tree, self.tree, self.names)

    def value(self, name: str) -> Any:
        """The value of a name where it is known, else ``None``."""
        return self.values.get(name, self.names.get(name))


@dataclass(frozen=True)
class ProjectCode:
    """The files that are read, and the places in them that asked an ML API."""

    tree: Callable[[str], ast.Module]
    own: Callable[[str], bool]
    asked: Asked = frozenset()


class KnownValues:
    """Judges expressions; notes if an answer took part. ``any_argument``: parameters are known."""

    def __init__(self, project: ProjectCode, *, any_argument: bool = False) -> None:
        self._project = project
        self._any_argument = any_argument
        self._open: Set[Tuple[ast.AST, Optional[ast.AST], str]] = set()
        self._depth = 0
        self._judges: Dict[type, Callable[[Any, CodeScope], bool]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Await: self._awaited,
        }
        self.answers = False

    def known(self, node: Optional[ast.AST], scope: CodeScope) -> bool:
        """Return whether a value is made of known parts."""
        if node is None:
            return False
        judge = self._judges.get(type(node))
        if judge is not None:
            return judge(node, scope)
        if isinstance(node, _COMPOSED):
            return all(self.known(child, scope) for child in ast.iter_child_nodes(node))
        return False

    def runs(self, node: ast.AST, scope: CodeScope) -> bool:
        """Return whether known values alone decide that a node of a scope runs."""
        found = control(node, scope.node, scope.tree)
        if found.caught or not all(self.known(each, scope) for each in found.conditions):
            return False
        leaving = KnownValues(self._project, any_argument=True)
        if not all(leaving.known(each, scope) for each in found.exits):
            return False
        self.answers = self.answers or leaving.answers
        return True

    def _name(self, node: ast.Name, scope: CodeScope) -> bool:
        key = (scope.node, scope.caller and scope.caller[1], node.id)
        if key in self._open:
            return True
        self._open.add(key)
        if standins.is_standin(scope.value(node.id)):
            return self._any_argument and _is_parameter(node.id, scope)
        if isinstance(scope.node, FUNCTIONS):
            if node.id in bindings(scope.node):
                given = not _is_parameter(node.id, scope) or self._parameter(node.id, scope)
                return given and self._bound(node.id, scope)
            if _is_parameter(node.id, scope):
                return self._parameter(node.id, scope)
            around = [n for n in ancestors(scope.node, scope.tree) if isinstance(n, FUNCTIONS)]
            if any(
                node.id in bindings(each) or any(a.arg == node.id for a in _arguments(each))
                for each in around
            ):
                return False
        return self._global(node.id, scope.module())

    def _bound(self, name: str, scope: CodeScope) -> bool:
        here = name in scope.values or scope.node is scope.tree
        plain = here and isinstance(scope.value(name), (*_PLAIN, *_DEFINED))
        for function in (call.func for call in handed_on(scope.node, name)):
            called = getattr(function, "attr", getattr(function, "id", ""))
            if not plain and called not in PURE_BUILTINS | _HARMLESS | _PURE_METHODS:
                return False
        return all(self._binding(each, scope) for each in bindings(scope.node)[name])

    def _binding(self, binding: Binding, scope: CodeScope) -> bool:
        if isinstance(binding.node, (ast.Import, ast.ImportFrom)):
            return isinstance(scope.node, FUNCTIONS)
        if isinstance(binding.value, (*FUNCTIONS, ast.ClassDef)):
            return True
        return self.runs(binding.node, scope) and self.known(binding.value, scope)

    def _parameter(self, name: str, scope: CodeScope) -> bool:
        assert isinstance(scope.node, FUNCTIONS)
        if name in ("self", "cls"):
            return True
        if scope.caller is None and name in scope.given:
            return self._any_argument
        if scope.caller is not None:
            where, call = scope.caller
            given = argument(call, scope.node, name)
            if given is not None:
                return self.known(given, where)
            starred = any(isinstance(each, ast.Starred) for each in call.args)
            if starred or any(each.arg is None for each in call.keywords):
                return False
        default = _default(scope.node, name)
        return self.known(default, scope.module()) if default is not None else self._any_argument

    def _global(self, name: str, scope: CodeScope) -> bool:
        if name not in scope.names:
            return hasattr(builtins, name)
        value = scope.names[name]
        if isinstance(value, (ModuleType, *_DEFINED)):
            return True
        found = bindings(scope.tree).get(name)
        if not found or name in _changed_elsewhere(scope.tree):
            return False
        imported = [b.node for b in found if isinstance(b.node, (ast.Import, ast.ImportFrom))]
        if imported:
            return len(found) == 1 and self._imported(name, imported[0], scope)
        return self._bound(name, scope)

    def _imported(self, name: str, node: ast.AST, scope: CodeScope) -> bool:
        if not isinstance(node, ast.ImportFrom):
            return False
        package = scope.names.get("__package__") or ""
        above = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join(above) if node.level else ""
        module = sys.modules.get(".".join(filter(None, (base, node.module))))
        there = self._module(module)
        own = next(a.name for a in node.names if (a.asname or a.name) == name)
        return there is not None and self._global(own, there)

    def _module(self, module: Any) -> Optional[CodeScope]:
        path = getattr(module, "__file__", None)
        if not isinstance(path, str) or not self._project.own(path):
            return None
        tree = self._project.tree(path)
        return CodeScope(tree, tree, vars(module))

    def _attribute(self, node: ast.Attribute, scope: CodeScope) -> bool:
        owner = static_value(node.value, scope)
        if isinstance(owner, ModuleType):
            return self._of_module(owner, node.attr)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self._of_instance(node.attr, scope)
        if isinstance(owner, type):
            return self._of_class(owner, node.attr, scope)
        return self.known(node.value, scope)

    def _of_module(self, module: ModuleType, name: str) -> bool:
        if standins.is_standin(module):
            return False
        there = self._module(module)
        if there is not None:
            return name in there.names and self._global(name, there)
        if name not in vars(module):
            return False
        return isinstance(vars(module)[name], _DEFINED) or module.__name__ in PURE_MODULES

    def _of_class(self, owner: type, name: str, scope: CodeScope) -> bool:
        node = class_node(owner, scope)
        if node is None:
            return owner.__module__ == "builtins"
        inside = CodeScope(node, scope.tree, scope.names)
        return name in bindings(node) and self._bound(name, inside)

    def _of_instance(self, name: str, scope: CodeScope) -> bool:
        """Return whether all that a class gives an attribute of its instances is known."""
        around = [n for n in ancestors(scope.node, scope.tree) if isinstance(n, ast.ClassDef)]
        filled = getattr(type(scope.values.get("self")), "_assayer_filled", False)
        if not around or filled or (around[0], None, name) in self._open:
            return bool(around) and not filled
        self._open.add((around[0], None, name))
        stored = [
            (method, node)
            for method in around[0].body
            if isinstance(method, FUNCTIONS)
            for node in own_nodes(method)
            if _stores(node, name)
        ]
        defined = any(getattr(n, "name", "") == name for n in around[0].body)
        if not stored:
            inside = CodeScope(around[0], scope.tree, scope.names)
            return defined or (name in bindings(around[0]) and self._bound(name, inside))
        return all(self._stored(node, method, scope) for method, node in stored)

    def _stored(self, node: ast.AST, method: FunctionNode, scope: CodeScope) -> bool:
        value = getattr(node, "value", None)
        changed = isinstance(node, ast.Call) or not isinstance(node, (ast.Assign, ast.AnnAssign))
        given = frozenset(each.arg for each in _arguments(method))
        there = CodeScope(method, scope.tree, scope.names, given=given)
        return not changed and self.runs(node, there) and self.known(value, there)

    def _call(self, node: ast.Call, scope: CodeScope) -> bool:
        function = callee(node.func, scope)
        if isinstance(function, FunctionType) and self._project.own(function.__code__.co_filename):
            return self._of_own(node, function, scope)
        if asks_service(node, scope.names.get("__file__"), self._project.asked):
            self.answers = True
            return True
        given: List[ast.AST] = [
            each for each in (*node.args, *(k.value for k in node.keywords))
            if not isinstance(each, ast.Lambda)
        ]  # fmt: skip
        if isinstance(node.func, ast.Attribute) and not isinstance(
            static_value(node.func.value, scope), ModuleType
        ):
            pure = node.func.attr in _PURE_METHODS
            given.append(node.func.value)
        else:
            pure = _is_pure(function)
        return pure and all(self.known(each, scope) for each in given)

    def _awaited(self, node: ast.Await, scope: CodeScope) -> bool:
        function = callee(node.value.func, scope) if isinstance(node.value, ast.Call) else None
        if not isinstance(function, FunctionType) and asks_service(
            node, scope.names.get("__file__"), self._project.asked
        ):
            self.answers = True
            return True
        return self.known(node.value, scope)

    def _of_own(self, node: ast.Call, function: FunctionType, scope: CodeScope) -> bool:
        tree = self._project.tree(function.__code__.co_filename)
        inside = definition(function, tree)
        if inside is None or inside.decorator_list or self._depth >= DEEPEST:
            return False
        there = CodeScope(inside, tree, function.__globals__, caller=(scope, node))
        results = [n for n in own_nodes(inside) if isinstance(n, (ast.Return, ast.Yield))]
        self._depth += 1
        try:
            return all(
                each.value is None or (self.runs(each, there) and self.known(each.value, there))
                for each in results
            )
        finally:
            self._depth -= 1


def static_value(node: ast.AST, scope: CodeScope) -> Any:
    """Return what a dotted name means, without running code; ``None`` where that is not known."""
    if isinstance(node, ast.Name):
        function = scope.node
        bound = isinstance(function, FUNCTIONS) and node.id in bindings(function)
        if (bound or _is_parameter(node.id, scope)) and not scope.values:
            return None
        return scope.values.get(node.id, scope.names.get(node.id, getattr(builtins, node.id, None)))
    if isinstance(node, ast.Attribute):
        owner = static_value(node.value, scope)
        return getattr(owner, "__dict__", {}).get(node.attr) if owner is not None else None
    return None


def callee(node: ast.AST, scope: CodeScope) -> Any:
    """Return the function that a call means; a method of ``self`` is its class's function."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = scope.values.get(node.value.id)
        if node.value.id == "self" and owner is not None:
            for kind in type(owner).__mro__:
                if node.attr in vars(kind):
                    found = vars(kind)[node.attr]
                    return getattr(found, "__func__", found)
    found = static_value(node, scope)
    return getattr(found, "__func__", found)


def definition(function: FunctionType, tree: ast.Module) -> Optional[FunctionNode]:
    """Return the syntax of a function."""
    code = function.__code__
    return function_at(tree, code.co_name, code.co_firstlineno)


def class_node(owner: type, scope: CodeScope) -> Optional[ast.ClassDef]:
    """Return the syntax of a class of the scope's file."""
    if owner.__module__ != scope.names.get("__name__"):
        return None
    nodes = (n for n in ast.walk(scope.tree) if isinstance(n, ast.ClassDef))
    return next((n for n in nodes if n.name == owner.__name__), None)


def argument(call: ast.Call, function: FunctionNode, name: str) -> Optional[ast.AST]:
    """Return what a call gives for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    if names[:1] in (["self"], ["cls"]) and isinstance(call.func, ast.Attribute):
        names = names[1:]
    if name not in names or any(isinstance(each, ast.Starred) for each in call.args):
        return None
    at = names.index(name)
    return call.args[at] if at < len(call.args) else None


def _arguments(function: FunctionNode) -> List[ast.arg]:
    given = function.args
    more = [each for each in (given.vararg, given.kwarg) if each is not None]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *more]


def _is_parameter(name: str, scope: CodeScope) -> bool:
    function = scope.node
    return isinstance(function, FUNCTIONS) and any(a.arg == name for a in _arguments(function))


def _default(function: FunctionNode, name: str) -> Optional[ast.AST]:
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = zip(reversed(positional), reversed(given.defaults))
    pairs = [*defaults, *zip(given.kwonlyargs, given.kw_defaults)]
    return next((default for each, default in pairs if each.arg == name), None)


def _stores(node: ast.AST, name: str) -> bool:
    targets: List[Any] = list(getattr(node, "targets", ()))
    targets.append(getattr(node, "target", None))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        targets = [node.func.value] if node.func.attr in MUTATORS else []
    targets = [t.value if isinstance(t, ast.Subscript) else t for t in targets]
    return any(
        isinstance(t, ast.Attribute)
        and t.attr == name
        and isinstance(t.value, ast.Name)
        and t.value.id == "self"
        for t in targets
    )


@functools.lru_cache(maxsize=64)
def _changed_elsewhere(tree: ast.Module) -> FrozenSet[str]:
    found: Set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found.update(node.names)
        elif isinstance(node, FUNCTIONS):
            for name, changes in bindings(node).items():
                if not any(_binds(each.node, name) for each in changes):
                    found.add(name)
    return frozenset(found)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call):
        return False
    inside = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name)
    return any(isinstance(each.ctx, ast.Store) for each in inside)


def _is_pure(function: Any) -> bool:
    name = getattr(function, "__name__", "")
    if name in PURE_BUILTINS and getattr(builtins, name, None) is function:
        return True
    return getattr(function, "__module__", None) in PURE_MODULES

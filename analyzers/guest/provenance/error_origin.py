"""Tells of an exception whether the code alone is its cause.

The answer is ``"code"`` where no value matters, or only values that the code
writes itself; ``"answers"`` where what an ML API answered takes part too; ``""``
where a value that we made up may, and where that is not known.
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Tuple

from ..runtime import standins
from . import value_sources
from .bindings import (
    FUNCTIONS,
    INJECTED,
    Binding,
    ancestors,
    bindings,
    control,
    distance,
    function_at,
    near,
)
from .known_values import CodeScope, KnownValues, ProjectCode, callee, definition, static_value

CODE, ANSWERS, UNKNOWN = "code", "answers", ""
Origin = Tuple[str, str]
"""The origin of an exception, and the one name that may be meant instead, or nothing."""

_GENERIC = (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError)
_SCHEMA = (AttributeError, KeyError)
_ARGUMENTS = re.compile(
    r"(?P<name>\w+)\(\) (?:missing \d+ required|got an unexpected keyword|got multiple values"
    r"|takes (?:no|\d+|from \d+ to \d+)(?: positional| keyword)? arguments?)"
)
_UNDEFINED = re.compile(r"^name '(\w+)' is not defined")
_DYNAMIC = re.compile(r"\b(exec|eval|globals|vars|setattr|__import__|__builtins__)\b")


def origin_of(
    error: BaseException,
    steps: Sequence[Any],
    project: ProjectCode,
    given: FrozenSet[str],
    text: str,
) -> Origin:
    """Return the origin of an exception that passed ``steps``, all in files of the project."""
    scopes = _scopes(steps, project, given)
    if not scopes:
        return UNKNOWN, ""
    scope = scopes[-1]
    step = value_sources.ExceptionStep(scope.tree, steps[-1][1], steps[-1][2])
    nodes = list(value_sources.expressions(step))
    case = _Case(error, scopes, nodes, project, step, text)
    rule = _RULES.get(type(error))
    found = rule(case) if rule is not None else UNKNOWN
    if not found and isinstance(error, _GENERIC):
        found = _of_values(case)
    return found, case.meant() if found else ""


@dataclass(eq=False)
class _Case:
    """One exception, and what is known of the place where it was raised."""

    error: BaseException
    scopes: Sequence[CodeScope]
    nodes: Sequence[ast.AST]
    project: ProjectCode
    step: value_sources.ExceptionStep
    text: str
    candidates: Sequence[str] = ()
    wrong: str = ""

    @property
    def scope(self) -> CodeScope:
        return self.scopes[-1]

    @property
    def said(self) -> str:
        return str(self.error)

    def meant(self) -> str:
        found = near(self.wrong, self.candidates)
        return found if found.isprintable() else ""

    def is_reached(self, judge: KnownValues) -> bool:
        """Return whether known conditions lead here, if any arguments may be given."""
        path: List[Tuple[ast.AST, CodeScope]] = [
            (inner.caller[1], outer)
            for outer, inner in zip(self.scopes, self.scopes[1:])
            if inner.caller is not None
        ]
        if self.nodes:
            path.append((self.nodes[0], self.scope))
        for node, scope in path:
            handles = (isinstance(n, ast.ExceptHandler) for n in ancestors(node, scope.tree))
            conditions = control(node, scope.node, scope.tree).conditions
            if any(handles) or not all(judge.known(each, scope) for each in conditions):
                return False
        return bool(self.nodes)


def _scopes(steps: Sequence[Any], project: ProjectCode, given: FrozenSet[str]) -> List[CodeScope]:
    """Return the scopes of the frames with their callers, or ``None`` where the last is unknown."""
    found: List[CodeScope] = []
    step: Optional[value_sources.ExceptionStep] = None
    for number, (frame, line, where) in enumerate(steps):
        tree = project.tree(frame.f_code.co_filename)
        code = frame.f_code
        node = (
            tree
            if code.co_name == "<module>"
            else function_at(tree, code.co_name, code.co_firstlineno)
        )
        if node is None:
            found, step = [], None
            continue
        caller = None
        if found and step is not None and isinstance(node, FUNCTIONS):
            name = node.name
            scope = found[-1]
            inside = [node for each in value_sources.expressions(step) for node in ast.walk(each)]
            calls = [
                node
                for node in inside
                if isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == name
            ]
            caller = (scope, calls[0]) if len(calls) == 1 else None
        names = frozenset(_names(node)) if number else given
        values = {} if node is tree else frame.f_locals
        found.append(CodeScope(node, tree, frame.f_globals, values, caller, names))
        step = value_sources.ExceptionStep(tree, line, where)
    return found


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, FUNCTIONS):
        yield from (each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))


def _of_values(case: _Case) -> str:
    """An operation of which every operand is known."""
    if case.error.__context__ is not None or not case.nodes:
        return UNKNOWN
    judge = KnownValues(case.project)
    if not all(judge.known(node, case.scope) for node in case.nodes):
        return UNKNOWN
    if not case.is_reached(KnownValues(case.project, any_argument=True)):
        return UNKNOWN
    for node in case.nodes if isinstance(case.error, KeyError) and case.error.args else ():
        found = static_value(node.value, case.scope) if isinstance(node, ast.Subscript) else None
        if type(found) is dict:
            case.wrong = str(case.error.args[0])
            case.candidates = [key for key in found if type(key) is str]
    if not judge.answers:
        return CODE
    lacks = isinstance(case.error, _SCHEMA) or "NoneType" in case.said
    return UNKNOWN if lacks else ANSWERS


def _undefined(case: _Case) -> str:
    found = _UNDEFINED.match(case.said)
    if found is None or _DYNAMIC.search(case.text):
        return UNKNOWN
    name = found[1]
    special = name in INJECTED or (name.startswith("__") and name.endswith("__"))
    if special or _is_bound(name, case.scope.tree):
        return UNKNOWN
    case.wrong = name
    names = {*case.scope.names, *vars(builtins)}
    if isinstance(case.scope.node, FUNCTIONS):
        names |= {*_names(case.scope.node), *bindings(case.scope.node)}
    case.candidates = sorted(each for each in names if not standins.is_standin(each))
    return CODE


@functools.lru_cache(maxsize=256)
def _is_bound(name: str, tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            bound = node.id == name and not isinstance(node.ctx, ast.Load)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
            bound = name in names or "*" in names
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound = name in node.names
        else:
            bound = name in (getattr(node, "name", None), getattr(node, "arg", None))
        if bound:
            return True
    return False


def _unbound(case: _Case) -> str:
    """A local variable that known conditions leave unbound."""
    found = re.search(r"local variable '(\w+)'", case.said)
    scope = case.scope
    if found is None or not isinstance(scope.node, FUNCTIONS):
        return UNKNOWN
    judge = KnownValues(case.project)
    reached = KnownValues(case.project, any_argument=True)
    given = bindings(scope.node).get(found[1], [])
    if not case.is_reached(reached) or not all(_is_decided(b, case, judge) for b in given):
        return UNKNOWN
    return ANSWERS if judge.answers or reached.answers else CODE


def _is_decided(binding: Binding, case: _Case, judge: KnownValues) -> bool:
    """Return whether known values alone keep a binding from having happened."""
    if isinstance(binding.node, (ast.ExceptHandler, ast.Delete)):
        return False
    if isinstance(binding.node, ast.Call):
        return True
    loop = isinstance(binding.node, (ast.For, ast.AsyncFor))
    known = not loop or judge.known(binding.value, case.scope)
    return known and judge.runs(binding.node, case.scope)


def _no_attribute(case: _Case) -> str:
    """An attribute that the project's own class or module lacks, or a misspelt one of a library."""
    lacking = re.search(r"has no attribute '(\w+)'", case.said)
    name = getattr(case.error, "name", None) or (lacking[1] if lacking else "")
    nodes = [n for n in case.nodes if isinstance(n, ast.Attribute) and n.attr == name]
    if len(nodes) != 1 or not isinstance(name, str) or _DYNAMIC.search(case.text):
        return UNKNOWN
    owner = static_value(nodes[0].value, case.scope)
    if standins.is_standin(owner) or owner is None:
        return UNKNOWN
    case.wrong = name
    case.candidates = [each for each in dir(owner) if not each.startswith("__")]
    if isinstance(owner, ModuleType):
        own = case.project.own(getattr(owner, "__file__", None) or "")
        return CODE if own or _is_slip(case) else UNKNOWN
    kind = owner if isinstance(owner, type) else type(owner)
    return CODE if _is_own_class(kind, case) else UNKNOWN


def _is_slip(case: _Case) -> bool:
    """Return whether one present attribute is spelled almost so; not a name of other versions."""
    meant = case.meant()
    plain = meant.strip("_0123456789") == meant and case.wrong.strip("_0123456789") == case.wrong
    return (
        bool(meant) and plain and len(meant) == len(case.wrong) and distance(meant, case.wrong) == 1
    )


def _is_own_class(kind: type, case: _Case) -> bool:
    """Return whether a class and its bases are all of the project, and set no names by text."""
    for each in kind.__mro__[:-1]:
        names = vars(each)
        functions = [v for v in names.values() if isinstance(v, FunctionType)]
        own = [f for f in functions if case.project.own(f.__code__.co_filename)]
        if not functions or len(own) < len(functions) or "__getattr__" in names:
            return False
    return True


def _wrong_arguments(case: _Case) -> str:
    """A call of the project's own function that no function of that signature takes."""
    found = _ARGUMENTS.search(case.said)
    calls = [node for node in case.nodes if isinstance(node, ast.Call)]
    if found is None or len(calls) != 1 or case.error.__context__ is not None:
        return UNKNOWN
    call = calls[0]
    if any(isinstance(each, ast.Starred) for each in call.args):
        return UNKNOWN
    if any(each.arg is None for each in call.keywords):
        return UNKNOWN
    function = callee(call.func, case.scope)
    if isinstance(function, type) and not standins.is_standin(function):
        function = vars(function).get("__init__")
    if not isinstance(function, FunctionType) or function.__code__.co_name != found["name"]:
        return UNKNOWN
    path = function.__code__.co_filename
    if not case.project.own(path) or _is_variable(call.func, case.scope):
        return UNKNOWN
    node = definition(function, case.project.tree(path))
    return CODE if node is not None and not node.decorator_list else UNKNOWN


def _is_variable(node: ast.AST, scope: CodeScope) -> bool:
    names = bindings(scope.node) if isinstance(scope.node, FUNCTIONS) else {}
    return isinstance(node, ast.Name) and (node.id in names or node.id in set(_names(scope.node)))


_RULES: Dict[type, Callable[[_Case], str]] = {
    NameError: _undefined,
    UnboundLocalError: _unbound,
    AttributeError: _no_attribute,
    TypeError: _wrong_arguments,
}

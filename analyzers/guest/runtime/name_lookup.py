"""Finds the function that a target names, and makes what it is called on."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import re
import sys
import types
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from . import standins, time_limits
from .execution import PreparedTarget
from .time_limits import TimeUp

_WRAPPED = ("__wrapped__", "__func__", "fget", "func", "callback", "fn", "run", "_func")
_AROUND = re.compile(
    r"(pydantic|jaxtyping|beartype|typeguard|torch\.utils\._contextlib|torch\.amp|jax|jaxlib)\b"
)
_MOST_AROUND = 5
_SLOW = 0.02
_LOCALS = "<locals>"


class Unfound(Exception):  # noqa: N818 - a fact about the target, not an error of ours
    """There is no such function to call; says why."""


def find(namespace: Mapping[str, Any], name: str, file: str) -> Tuple[Any, Optional[type]]:
    """Return the function of a qualified name and its class, if it needs one; raise ``Unfound``."""
    parts = name.split(".")
    if _LOCALS in parts:
        return _nested(namespace, parts, file), None
    found, owner = _named(namespace, parts)
    if standins.is_standin(found) or found is None:
        raise Unfound(f"{name} is not there once the module is loaded")
    function = _plain(found, parts[-1], _file_of(owner, parts[-1], file))
    if function is None:
        raise Unfound(f"{name} is no function of this file")
    if isinstance(found, staticmethod) or not isinstance(owner, type):
        return function, None
    if isinstance(found, classmethod):
        return types.MethodType(function, owner), None
    return function, owner


def _named(namespace: Mapping[str, Any], parts: List[str]) -> Tuple[Any, Any]:
    owner: Any = None
    found: Any = namespace.get(parts[0])
    for number, part in enumerate(parts[1:]):
        owner, name = found, _mangled(part, parts[number])
        kind = _definer(found, name)
        found = None if kind is None else vars(kind)[name]
    return found, owner


def _mangled(name: str, owner: str) -> str:
    """Return the name under which a class keeps what its body calls by one."""
    private = name.startswith("__") and not name.endswith("__") and owner.strip("_")
    return f"_{owner.lstrip('_')}{name}" if private else name


def _definer(owner: Any, name: str) -> Optional[type]:
    """Return the class that defines what a class calls by a name: itself or a base class."""
    kinds = owner.__mro__ if isinstance(owner, type) else ()
    return next((kind for kind in kinds if name in vars(kind)), None)


def _file_of(owner: Any, name: str, file: str) -> str:
    """Return the file of a method: another one than the class's where it inherits it."""
    kind = _definer(owner, name)
    if kind is None or kind is owner:
        return file
    return str(getattr(sys.modules.get(kind.__module__), "__file__", file))


def guarded(namespace: Mapping[str, Any], name: str, function: Any) -> Any:
    """Return the function within the decorators of libraries that check arguments or set modes."""
    value, _ = _named(namespace, name.split("."))
    value = getattr(value, "__func__", value)
    for _ in range(_MOST_AROUND):
        if not callable(value) or isinstance(value, type) or standins.is_standin(value):
            break
        if _AROUND.match(_library(value)) and hasattr(value, "__wrapped__"):
            owner = getattr(function, "__self__", None)
            return value if owner is None else types.MethodType(value, owner)
        value = getattr(value, "__wrapped__", None)
    return function


def _library(value: Any) -> str:
    """The module whose code a wrapper is; what it wraps gives it its own name."""
    inside = getattr(value, "__globals__", None)
    return str(type(value).__module__ if inside is None else inside.get("__name__", ""))


def _plain(value: Any, name: str, file: str, depth: int = 5) -> Optional[Any]:
    """The function with that name and file behind decorators."""
    if isinstance(value, types.FunctionType):
        code = value.__code__
        if code.co_name == name and code.co_filename == file:
            return value
    if depth == 0:
        return None
    inner = [getattr(value, spelling, None) for spelling in _WRAPPED]
    cells = getattr(value, "__closure__", None) or ()
    for cell in cells:
        try:
            inner.append(cell.cell_contents)
        except ValueError:
            continue
    for candidate in inner:
        if callable(candidate) and not standins.is_standin(candidate):
            found = _plain(candidate, name, file, depth - 1)
            if found is not None:
                return found
    return None


def _nested(namespace: Mapping[str, Any], parts: List[str], file: str) -> Any:
    """A function made from its outer one's code, with inert free variables."""
    at = parts.index(_LOCALS)
    outer, owner = find(namespace, ".".join(parts[:at]), file)
    del owner
    code = getattr(outer, "__func__", outer).__code__
    for part in parts[at + 1 :]:
        if part != _LOCALS:
            code = _constant(code, part)
    cells = tuple(types.CellType(standins.Inert(free)) for free in code.co_freevars)
    return types.FunctionType(code, outer.__globals__, code.co_name, None, cells)


def _constant(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType) and constant.co_name == name:
            return constant
    raise Unfound(f"{name} is not defined in {code.co_name}")


class Instances:
    """Makes instances of a class: through its constructor, or else unconstructed."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self._unconstructed = False
        self._kept: Any = None

    def make(self) -> Any:
        """A fresh instance, or a shallow copy of the first where it takes long."""
        if self._kept is not None:
            return copy.copy(self._kept)
        if self._unconstructed:
            return standins.inert_instance(self._kind)
        started = time_limits.now()
        try:
            instance = self._kind(**_required(self._kind))
        except Exception:
            self._unconstructed = True
            return standins.inert_instance(self._kind)
        if time_limits.now() - started > _SLOW:
            self._kept = instance
        return instance


def _required(kind: type) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for parameter in inspect.signature(kind).parameters.values():
        variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if parameter.default is parameter.empty and not variable:
            found[parameter.name] = standins.Inert(parameter.name)
    return found


def callable_of(function: Any, owner: Optional[type]) -> Callable[[], Callable[..., Any]]:
    """Return what makes the callable for one input; a constructor is called as the class."""
    if owner is None:
        return lambda: function
    if _is_constructor(function, owner):
        return lambda: owner
    instances = Instances(owner)
    return lambda: types.MethodType(function, instances.make())


def method_of(function: Any, owner: Optional[type]) -> Optional[Callable[[Any], Any]]:
    """Return what makes the callable of a given instance, where the target is called on one."""
    if owner is None or _is_constructor(function, owner):
        return None
    return functools.partial(types.MethodType, function)


def _is_constructor(function: Any, owner: type) -> bool:
    usual = type(owner).__call__ is type.__call__
    initializer: Any = vars(owner).get("__init__")
    return usual and initializer is function and not inspect.isabstract(owner)


def parameters(
    function: Any, owner: Optional[type], texts: Callable[[str], str]
) -> List[Dict[str, Any]]:
    """The parameters as the protocol has them, without ``self`` and ``cls``.

    ``texts`` gives the text of a file as it was written.
    """
    plain = getattr(function, "__func__", function)
    arguments = _arguments(plain, texts(plain.__code__.co_filename))
    annotations = {a.arg: ast.unparse(a.annotation) for a, _ in arguments if a.annotation}
    injected = {a.arg for a, default in arguments if _is_injected(default, plain.__globals__)}
    found: List[Dict[str, Any]] = []
    for parameter in inspect.signature(function).parameters.values():
        has_default = parameter.default is not parameter.empty
        found.append(
            {
                "name": parameter.name,
                "kind": parameter.kind.name.lower(),
                "default": has_default and parameter.name not in injected,
                "annotation": annotations.get(parameter.name),
            }
        )
    return found if owner is None else found[1:]


def _arguments(function: Any, text: str) -> List[Tuple[ast.arg, Optional[ast.expr]]]:
    """The arguments of a function as they are written, each with its default."""
    code = function.__code__
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        if node.name == code.co_name and code.co_firstlineno in (first, node.lineno):
            given = [*node.args.posonlyargs, *node.args.args]
            defaults: List[Optional[ast.expr]] = [None] * (len(given) - len(node.args.defaults))
            with_defaults = zip(given, [*defaults, *node.args.defaults])
            return [*with_defaults, *zip(node.args.kwonlyargs, node.args.kw_defaults)]
    return []


def _is_injected(default: Optional[ast.expr], names: Mapping[str, Any]) -> bool:
    """Return whether a default is a marker of FastAPI's, for a value that it gives itself."""
    called: Any = default.func if isinstance(default, ast.Call) else None
    while isinstance(called, ast.Attribute):
        called = called.value
    value = names.get(getattr(called, "id", ""))
    if type(value) is standins.Inert:
        home = str(vars(value)["_assayer_name"])
    elif isinstance(value, (types.FunctionType, type)):
        home = value.__module__
    else:
        home = value.__name__ if isinstance(value, types.ModuleType) else ""
    return home.partition(".")[0] == "fastapi"


THERE, MISSING, ABSENT = "there", "missing", "absent"


def resolve(prepared: PreparedTarget, message: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the ``resolved`` frame for a ``resolve`` frame (docs/guest-protocol.md)."""
    del prepared
    return {"type": "resolved", "states": {name: _state(name) for name in message["names"]}}


def nothing_resolved(reason: str) -> Dict[str, Any]:
    """Return the frame where no name could be looked up."""
    del reason
    return {"type": "resolved", "states": {}}


def _state(name: str) -> str:
    """Return whether a library has a name; ``absent`` where the library itself is not there."""
    root, *rest = name.split(".")
    found = _imported(root)
    if found is None or standins.is_standin(found):
        return ABSENT
    path = root
    for part in rest:
        path = f"{path}.{part}"
        found = _attribute(found, part, path)
        if found is None or standins.is_standin(found):
            return MISSING
    return THERE


def _attribute(owner: Any, name: str, path: str) -> Any:
    """Return an attribute or a submodule, ``True`` for one that is ``None``, ``None`` for none."""
    try:
        value = getattr(owner, name)
    except BaseException:
        return _imported(path)
    return True if value is None else value


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except BaseException:
        return None


__all__ = [
    "Instances",
    "TimeUp",
    "Unfound",
    "callable_of",
    "find",
    "guarded",
    "method_of",
    "parameters",
]

"""The public functions of a library's modules."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from ...inputs.recipes import BadRecipe, Recipe
from ..relation_types import FUNCTION, METHOD, ApiParameter

_UNSAFE = frozenset(
    (
        *("save", "savez", "load", "file", "files", "txt", "set", "get", "printoptions", "test"),
        *("show", "info", "include", "buffer", "memmap", "dlpack", "source", "runtime", "config"),
        *("callback", "debug", "print", "barrier", "infeed", "outfeed", "device", "sharding"),
    )
)
_UNSAFE_WHOLE = (
    *("nested_iters", "frompyfunc", "genfromtxt", "savetxt", "loadtxt", "fromfile", "fromregex"),
    *("tofile", "dump", "dumps", "setbufsize", "getbufsize", "seterr", "geterr", "seterrcall"),
    *("geterrcall", "setflags", "frombuffer"),
)
_UNSAFE_STARTS = ("print", "register", "save", "enable_", "disable_")


@dataclass
class FunctionCatalogue:
    """The callables by canonical name, their kinds, and further public names of the same."""

    functions: Dict[str, Any] = field(default_factory=dict)
    kinds: Dict[str, str] = field(default_factory=dict)
    others: Dict[str, List[str]] = field(default_factory=dict)
    _names: Dict[Any, str] = field(default_factory=dict)

    def add(self, name: str, kind: str, function: Any) -> None:
        """Take in what is public by that name; the first name is the canonical one."""
        known = self.named(function)
        if known is not None:
            self.others[known].append(name)
            return
        self.functions[name], self.kinds[name], self.others[name] = function, kind, []
        self._names[function] = name

    def named(self, function: Any) -> Optional[str]:
        """The canonical name of a callable, or ``None``."""
        try:
            return self._names.get(function)
        except TypeError:
            return None

    def function(self, name: str) -> Any:
        """The callable of a canonical or other name; raises ``LookupError``."""
        if name in self.functions:
            return self.functions[name]
        for canonical, others in self.others.items():
            if name in others:
                return self.functions[canonical]
        raise LookupError(name)


def list_functions(
    modules: Sequence[str], methods_of: Sequence[Tuple[str, Any]] = ()
) -> FunctionCatalogue:
    """The functions of modules, and the methods of classes by the classes' names."""
    made = FunctionCatalogue()
    for module in modules:
        for name, member in _functions(import_module(module)):
            made.add(f"{module}.{name}", FUNCTION, member)
    for name, owner in methods_of:
        for own, member in _public(owner):
            made.add(f"{name}.{own}", METHOD, member)
    return made


def is_unsafe(name: str) -> bool:
    """Whether a function is never called: it is for files, memory, devices or settings."""
    own = name.rpartition(".")[2]
    return (
        own in _UNSAFE_WHOLE
        or own.startswith(_UNSAFE_STARTS)
        or not _UNSAFE.isdisjoint({own, *own.split("_")})
    )


def _functions(module: Any) -> Iterator[Tuple[str, Any]]:
    root = module.__name__.split(".")[0]
    for name, member in _public(module):
        home = getattr(member, "__module__", None) or root
        if not isinstance(member, type) and home.split(".")[0] in (root, "jaxlib"):
            yield name, member


def _public(owner: Any) -> Iterator[Tuple[str, Any]]:
    for name in sorted(dir(owner)):
        member = None if name.startswith("_") or is_unsafe(name) else getattr(owner, name, None)
        if callable(member):
            yield name, member


_LEFT_OUT = frozenset(
    ("out", "casting", "order", "subok", "signature", "like", "device", "copy", "out_sharding")
)
_STARS: Dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters(function: Any, recipe_of: Callable[[Any], Recipe]) -> Tuple[ApiParameter, ...]:
    """The parameters in order; ``*args`` keeps its star, what says where results go is left out."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()
    if found and found[0].kind is inspect.Parameter.VAR_POSITIONAL and hasattr(function, "nin"):
        return _operands(function.nin)
    return tuple(_listed(found, recipe_of))


def _operands(count: int) -> Tuple[ApiParameter, ...]:
    names = ("x",) if count == 1 else tuple(f"x{at}" for at in range(1, count + 1))
    return tuple(ApiParameter(name, required=True) for name in names)


def _listed(
    found: List[inspect.Parameter], recipe_of: Callable[[Any], Recipe]
) -> List[ApiParameter]:
    made = []
    for item in found:
        if item.kind is item.VAR_KEYWORD or item.name in _LEFT_OUT:
            continue
        variadic = item.kind in _STARS
        required = not variadic and item.default is item.empty
        default = None if required or variadic else _default(item.default, recipe_of)
        name = _STARS.get(item.kind, "") + item.name
        made.append(ApiParameter(name, required, item.kind is item.KEYWORD_ONLY, default))
    return made


def _default(value: Any, recipe_of: Callable[[Any], Recipe]) -> Optional[Recipe]:
    try:
        return recipe_of(value)
    except BadRecipe:
        return None

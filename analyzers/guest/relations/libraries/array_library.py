"""The part of a library of array functions that is the same for all."""

from __future__ import annotations

import inspect
import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence

from ...inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    NameRecipe,
    PairsRecipe,
    Recipe,
    literal,
)
from ..relation_types import FUNCTION, METHOD, ApiParameter, CallSource, LibraryApi, Namespace
from .array_calls import Array, CallLimits, ExampleTracer, calls_for, calls_of, profiles, succeeds

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

    functions: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    _names: dict[Any, str] = field(default_factory=dict)

    def add(self, name: str, kind: str, function: Any) -> None:
        """Take in what is public by that name; the first name is the canonical one."""
        known = self.named(function)
        if known is not None:
            self.others[known].append(name)
            return
        self.functions[name], self.kinds[name], self.others[name] = function, kind, []
        self._names[function] = name

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable, or ``None``."""
        try:
            return self._names.get(function)
        except TypeError:
            return None

    def function(self, name: str) -> Any:
        """Return the callable of a canonical or other name; raises ``LookupError``."""
        if name in self.functions:
            return self.functions[name]
        for canonical, others in self.others.items():
            if name in others:
                return self.functions[canonical]
        raise LookupError(name)


def list_functions(
    modules: Sequence[str], methods_of: Sequence[tuple[str, Any]] = ()
) -> FunctionCatalogue:
    """Return the functions of modules, and the methods of classes by the classes' names."""
    made = FunctionCatalogue()
    for module in modules:
        for name, member in _functions(import_module(module)):
            made.add(f"{module}.{name}", FUNCTION, member)
    for name, owner in methods_of:
        for own, member in _public(owner):
            made.add(f"{name}.{own}", METHOD, member)
    return made


def is_unsafe(name: str) -> bool:
    """Return whether a function is never called: it is for files, memory, devices or settings."""
    own = name.rpartition(".")[2]
    return (
        own in _UNSAFE_WHOLE
        or own.startswith(_UNSAFE_STARTS)
        or not _UNSAFE.isdisjoint({own, *own.split("_")})
    )


def _functions(module: Any) -> Iterator[tuple[str, Any]]:
    root = module.__name__.split(".")[0]
    for name, member in _public(module):
        home = getattr(member, "__module__", None) or root
        if not isinstance(member, type) and home.split(".")[0] in (root, "jaxlib"):
            yield name, member


def _public(owner: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(dir(owner)):
        member = None if name.startswith("_") or is_unsafe(name) else getattr(owner, name, None)
        if callable(member):
            yield name, member


_LEFT_OUT = frozenset(
    ("out", "casting", "order", "subok", "signature", "like", "device", "copy", "out_sharding")
)
_STARS: dict[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters(function: Any, recipe_of: Callable[[Any], Recipe]) -> tuple[ApiParameter, ...]:
    """The parameters in order; ``*args`` keeps its star, what says where results go is left out."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ()
    if found and found[0].kind is inspect.Parameter.VAR_POSITIONAL and hasattr(function, "nin"):
        names = (
            ("x",) if function.nin == 1 else tuple(f"x{at}" for at in range(1, function.nin + 1))
        )
        return tuple(ApiParameter(name, required=True) for name in names)
    return tuple(_listed(found, recipe_of))


def _listed(
    found: list[inspect.Parameter], recipe_of: Callable[[Any], Recipe]
) -> list[ApiParameter]:
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


MOST_ITEMS = 64
"""How many items a container, and how many elements an array has that is written out."""

PLAIN = {"int": int, "float": float, "bool": bool, "complex": complex, "slice": slice}
"""The names of Python itself that recipes of library calls may use."""


def container_recipe(value: Any, array: Callable[[Any], Recipe]) -> Recipe:
    """Return the recipe of a value; ``array`` spells what is neither container nor plain."""
    if type(value) in (list, tuple):
        if len(value) > MOST_ITEMS:
            raise BadRecipe("it is too long to be written")
        return DisplayRecipe(
            type(value).__name__, tuple(container_recipe(item, array) for item in value)
        )
    if type(value) is dict:
        return PairsRecipe(
            tuple((literal(key), container_recipe(at, array)) for key, at in value.items())
        )
    if isinstance(value, type) and PLAIN.get(value.__name__) is value:
        return NameRecipe(value.__name__)
    if type(value) is slice:
        parts = (value.start, value.stop, value.step)
        return CallRecipe("slice", tuple(literal(part) for part in parts))
    try:
        return number(value)
    except BadRecipe:
        return array(value)


def number(value: Any) -> Recipe:
    """Return a plain value; complex numbers of two parts are calls."""
    if type(value) is complex:
        return CallRecipe("complex", (LiteralRecipe(value.real), LiteralRecipe(value.imag)))
    return literal(value)


def elements(items: Any) -> Recipe:
    """Return the display of nested lists of numbers, such as ``tolist`` gives."""
    if not isinstance(items, list):
        return number(items)
    made: list[Recipe] = [elements(item) for item in items]  # pyright: ignore[reportUnknownVariableType]
    return DisplayRecipe("list", tuple(made))


def copied(value: Any, array: Callable[[Any], Any]) -> Any:
    """Return containers of their own; ``array`` copies what is no container."""
    if type(value) in (list, tuple):
        return type(value)([copied(item, array) for item in value])
    if type(value) is dict:
        return {key: copied(item, array) for key, item in value.items()}
    return array(value)


Source = Callable[[], Iterator[tuple[CallSource, str]]]


class ArrayLibrary(ABC):
    """A library by its catalogue; what its arrays are, subclasses say."""

    name = ""
    version = ""
    limits = CallLimits()
    parts = 4
    """In how many parts valid calls are sought."""

    def __init__(self, known: FunctionCatalogue, examples: Mapping[str, ModuleType]) -> None:
        self.namespace: Namespace = {}
        self._known = known
        self._examples = examples
        self._apis: Optional[list[LibraryApi]] = None

    def apis(self) -> Sequence[LibraryApi]:
        """Return its public functions, each once, sorted by name."""
        if self._apis is None:
            self._apis = [self._api(name) for name in sorted(self._known.functions)]
        return self._apis

    def _api(self, name: str) -> LibraryApi:
        function, kind = self._known.functions[name], self._known.kinds[name]
        doc = str(getattr(function, "__doc__", None) or "")
        others = tuple(self._known.others[name])
        return LibraryApi(name, kind, parameters(function, self.recipe_of), doc, others)

    def function(self, api: str) -> Any:
        """Return the callable of that name; raises ``LookupError``."""
        return self._known.function(api)

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable of the library, or ``None``."""
        return self._known.named(function)

    def valid(self) -> Iterator[tuple[CallSource, str]]:
        """Yield calls of documentation's examples, then those lent, then those made; each once."""
        yield from self.gathered(self._valid(self.apis()))

    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """Return what :meth:`valid` consists of, in parts that can be run beside each other.

        ``names`` are the APIs whose calls are sought; all where there are none.
        """
        wanted = frozenset(names)
        apis = [api for api in self.apis() if not wanted or api.name in wanted]
        parts = min(self.parts, len(apis))
        return [partial(self._valid, apis[part::parts]) for part in range(parts)]

    def gathered(self, found: Iterable[tuple[CallSource, str]]) -> Iterator[tuple[CallSource, str]]:
        """Yield each text once."""
        seen = set()
        for call, origin in found:
            text = call.source()
            if text not in seen:
                seen.add(text)
                yield call, origin

    def _valid(self, apis: Sequence[LibraryApi]) -> Iterator[tuple[CallSource, str]]:
        for api in apis:
            yield from self.valid_for(api)

    def valid_for(self, api: LibraryApi) -> Iterator[tuple[CallSource, str]]:
        """The valid calls that one API's documentation and parameters tell; also of other APIs."""
        yield from ((call, "documentation") for call in self.documented(api))
        lent = list(self._succeeding(self.lent(api)))
        yield from ((call, "lent") for call in lent)
        if len(lent) < self.limits.kept:
            made = calls_for(api, profiles(self.array()), self.limits)
            yield from ((call, "made") for call in self._succeeding(made))

    def documented(self, api: LibraryApi) -> Iterator[CallSource]:
        """Return the calls that the examples of an API's documentation make."""
        return calls_of(api.doc, self._examples, ExampleTracer(self.named, self.recipe_of))

    def _succeeding(self, calls: Iterator[CallSource]) -> Iterator[CallSource]:
        found = (call for call in calls if self.succeeds(call))
        return itertools.islice(found, self.limits.kept)

    def succeeds(self, call: CallSource) -> bool:
        """Return whether a call returns something."""
        return succeeds(call, self.function(call.api), self.namespace)

    def lent(self, api: LibraryApi) -> Iterator[CallSource]:  # noqa: ARG002 - none unless a library has a model
        """Return the valid calls of another library's function of the same name, in own arrays."""
        return iter(())

    @abstractmethod
    def array(self) -> Array:
        """Return how the library makes an array of nested lists and a dtype's name."""

    def recipe_of(self, value: Any) -> Recipe:
        """Return the recipe of a value; raises ``BadRecipe``."""
        return container_recipe(value, self.array_recipe)

    @abstractmethod
    def array_recipe(self, value: Any) -> Recipe:
        """Return the recipe of an array, a dtype or another value of the library's own."""

    def copied(self, value: Any) -> Any:
        """Return a value with arrays of its own."""
        return copied(value, self.copied_array)

    @abstractmethod
    def copied_array(self, value: Any) -> Any:
        """Return an array of its own; other values are as they are."""

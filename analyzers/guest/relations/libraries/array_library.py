"""The part of a library of array functions that is the same for all."""

from __future__ import annotations

import inspect
import itertools
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

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
from ..relation_types import FUNCTION, METHOD, ApiParameter, CallSource, LibraryApi
from .array_calls import CallLimits, ExampleTracer, calls_for, calls_of, profiles, succeeds
from .library_base import CatalogueLibrary, Found, FunctionCatalogue, Source, listed_parameters

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


@dataclass(frozen=True)
class ArrayNames:
    """The names of a library's functions that make arrays of nested lists, zeros or one number.

    ``dtypes`` is what stands before a dtype; empty where dtypes are words.
    """

    array: str
    zeros: str
    full: str
    dtypes: str = ""

    def made(self, items: Any, dtype: str) -> Recipe:
        """Return an array of nested lists of numbers."""
        return CallRecipe(self.array, (elements(items),), self._keyword(dtype))

    def of(self, value: Any, dtype: str) -> Recipe:
        """Return the recipe of the elements of an array of NumPy; raises ``BadRecipe``."""
        shape = literal(tuple(value.shape))
        if value.size == 0:
            return CallRecipe(self.zeros, (shape,), self._keyword(dtype))
        if value.size <= MOST_ITEMS:
            return self.made(value.tolist(), dtype)
        first = value.flat[0]
        if not bool((value == first).all()):
            raise BadRecipe("an array of many elements has no text")
        return CallRecipe(self.full, (shape, number(first.item())), self._keyword(dtype))

    def _keyword(self, dtype: str) -> tuple[tuple[str, Recipe], ...]:
        spelled = NameRecipe(f"{self.dtypes}{dtype}") if self.dtypes else LiteralRecipe(dtype)
        return (("dtype", spelled),)


class ArrayLibrary(CatalogueLibrary):
    """A library by its catalogue; what its arrays are, subclasses say."""

    names: ArrayNames
    limits = CallLimits()
    parts = 4
    """In how many parts valid calls are sought."""

    def __init__(self, known: FunctionCatalogue, examples: Mapping[str, ModuleType]) -> None:
        super().__init__(known)
        self._examples = examples

    def parameters(self, name: str, kind: str, function: Any) -> tuple[ApiParameter, ...]:
        """The parameters in order; what says where results go is left out."""
        del name, kind
        try:
            found = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return ()
        if found and found[0].kind is inspect.Parameter.VAR_POSITIONAL and hasattr(function, "nin"):
            numbers = range(1, function.nin + 1)
            names = ["x"] if function.nin == 1 else [f"x{at}" for at in numbers]
            return tuple(ApiParameter(each, required=True) for each in names)
        return tuple(listed_parameters(found, self.default_recipe, _LEFT_OUT))

    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """Return for some APIs calls of examples, then those lent, then those made."""
        wanted = frozenset(names)
        apis = [api for api in self.apis() if not wanted or api.name in wanted]
        parts = min(self.parts, len(apis))
        return [partial(self._valid, apis[part::parts]) for part in range(parts)]

    def gathered(self, found: Iterable[tuple[CallSource, str]]) -> Found:
        """Yield each text once."""
        seen = set()
        for call, origin in found:
            text = call.source()
            if text not in seen:
                seen.add(text)
                yield call, origin

    def _valid(self, apis: Sequence[LibraryApi]) -> Found:
        for api in apis:
            yield from self.valid_for(api)

    def valid_for(self, api: LibraryApi) -> Found:
        """The valid calls that one API's documentation and parameters tell; also of other APIs."""
        yield from ((call, "documentation") for call in self.documented(api))
        lent = list(self._succeeding(self.lent(api)))
        yield from ((call, "lent") for call in lent)
        if len(lent) < self.limits.kept:
            made = calls_for(api, profiles(self.names.made), self.limits)
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

"""The part of a library of array functions that is the same for all."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from functools import partial
from types import ModuleType
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

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
from ..relation_types import CallSource, LibraryApi, Namespace
from .documented_calls import ExampleTracer, calls_of
from .function_catalogue import FunctionCatalogue, parameters
from .made_calls import Array, CallLimits, calls_for, profiles, succeeds

MOST_ITEMS = 64
"""How many items a container, and how many elements an array has that is written out."""

PLAIN = {"int": int, "float": float, "bool": bool, "complex": complex, "slice": slice}
"""The names of Python itself that recipes of library calls may use."""


def container_recipe(value: Any, array: Callable[[Any], Recipe]) -> Recipe:
    """The recipe of a value; ``array`` spells what is neither container nor plain."""
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
    """A plain value; complex numbers of two parts are calls."""
    if type(value) is complex:
        return CallRecipe("complex", (LiteralRecipe(value.real), LiteralRecipe(value.imag)))
    return literal(value)


def elements(items: Any) -> Recipe:
    """The display of nested lists of numbers, such as ``tolist`` gives."""
    if not isinstance(items, list):
        return number(items)
    made: List[Recipe] = [elements(item) for item in items]  # pyright: ignore[reportUnknownVariableType]
    return DisplayRecipe("list", tuple(made))


def copied(value: Any, array: Callable[[Any], Any]) -> Any:
    """Containers of their own; ``array`` copies what is no container."""
    if type(value) in (list, tuple):
        return type(value)([copied(item, array) for item in value])
    if type(value) is dict:
        return {key: copied(item, array) for key, item in value.items()}
    return array(value)


Source = Callable[[], Iterator[Tuple[CallSource, str]]]


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
        self._apis: Optional[List[LibraryApi]] = None

    def apis(self) -> Sequence[LibraryApi]:
        """Its public functions, each once, sorted by name."""
        if self._apis is None:
            self._apis = [self._api(name) for name in sorted(self._known.functions)]
        return self._apis

    def _api(self, name: str) -> LibraryApi:
        function, kind = self._known.functions[name], self._known.kinds[name]
        doc = str(getattr(function, "__doc__", None) or "")
        others = tuple(self._known.others[name])
        return LibraryApi(name, kind, parameters(function, self.recipe_of), doc, others)

    def function(self, api: str) -> Any:
        """The callable of that name; raises ``LookupError``."""
        return self._known.function(api)

    def named(self, function: Any) -> Optional[str]:
        """The canonical name of a callable of the library, or ``None``."""
        return self._known.named(function)

    def valid(self) -> Iterator[Tuple[CallSource, str]]:
        """Calls of documentation's examples, then those lent, then those made; each once."""
        yield from self.gathered(self._valid(self.apis()))

    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """What :meth:`valid` consists of, in parts that can be run beside each other.

        ``names`` are the APIs whose calls are sought; all where there are none.
        """
        wanted = frozenset(names)
        apis = [api for api in self.apis() if not wanted or api.name in wanted]
        parts = min(self.parts, len(apis))
        return [partial(self._valid, apis[part::parts]) for part in range(parts)]

    def gathered(self, found: Iterable[Tuple[CallSource, str]]) -> Iterator[Tuple[CallSource, str]]:
        """Each text once."""
        seen = set()
        for call, origin in found:
            text = call.source()
            if text not in seen:
                seen.add(text)
                yield call, origin

    def _valid(self, apis: Sequence[LibraryApi]) -> Iterator[Tuple[CallSource, str]]:
        for api in apis:
            yield from self.valid_for(api)

    def valid_for(self, api: LibraryApi) -> Iterator[Tuple[CallSource, str]]:
        """The valid calls that one API's documentation and parameters tell; also of other APIs."""
        yield from ((call, "documentation") for call in self.documented(api))
        lent = list(self._succeeding(self.lent(api)))
        yield from ((call, "lent") for call in lent)
        if len(lent) < self.limits.kept:
            made = calls_for(api, profiles(self.array()), self.limits)
            yield from ((call, "made") for call in self._succeeding(made))

    def documented(self, api: LibraryApi) -> Iterator[CallSource]:
        """The calls that the examples of an API's documentation make."""
        return calls_of(api.doc, self._examples, ExampleTracer(self.named, self.recipe_of))

    def _succeeding(self, calls: Iterator[CallSource]) -> Iterator[CallSource]:
        found = (call for call in calls if self.succeeds(call))
        return itertools.islice(found, self.limits.kept)

    def succeeds(self, call: CallSource) -> bool:
        """Whether a call returns something."""
        return succeeds(call, self.function(call.api), self.namespace)

    def lent(self, api: LibraryApi) -> Iterator[CallSource]:  # noqa: ARG002 - none unless a library has a model
        """The valid calls of another library's function of the same name, in own arrays."""
        return iter(())

    @abstractmethod
    def array(self) -> Array:
        """How the library makes an array of nested lists and a dtype's name."""

    def recipe_of(self, value: Any) -> Recipe:
        """The recipe of a value; raises ``BadRecipe``."""
        return container_recipe(value, self.array_recipe)

    @abstractmethod
    def array_recipe(self, value: Any) -> Recipe:
        """The recipe of an array, a dtype or another value of the library's own."""

    def copied(self, value: Any) -> Any:
        """A value with arrays of its own."""
        return copied(value, self.copied_array)

    @abstractmethod
    def copied_array(self, value: Any) -> Any:
        """An array of its own; other values are as they are."""

"""Base of all libraries: public callables, each under one canonical name."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Callable, Collection, Iterable, Iterator, Optional, Sequence

from ...inputs.recipes import BadRecipe, Recipe
from ..relation_types import ApiParameter, CallSource, LibraryApi, Namespace

Found = Iterator[tuple[CallSource, str]]
Source = Callable[[], Found]


@dataclass
class FunctionCatalogue:
    """The callables by canonical name and back, their kinds and other names; ``unsafe`` ones."""

    functions: dict[str, Any] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    names: dict[Any, str] = field(default_factory=dict)
    unsafe: list[str] = field(default_factory=list)

    def add(self, name: str, kind: str, function: Any) -> None:
        """Take in what is public by that name; the first name is the canonical one."""
        known = self.named(function)
        if known is not None:
            self.others[known].append(name)
            return
        self.functions[name], self.kinds[name], self.others[name] = function, kind, []
        self.names[function] = name

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable, or ``None``."""
        try:
            return self.names.get(function)
        except TypeError:
            return None

    def function(self, name: str) -> Any:
        """Return the callable of a canonical or other name; raises ``LookupError``."""
        if name in self.functions:
            return self.functions[name]
        return self.functions[next((k for k, some in self.others.items() if name in some), name)]


def listed_parameters(
    found: Iterable[inspect.Parameter],
    recipe_of: Callable[[Any], Optional[Recipe]],
    left_out: Collection[str],
) -> list[ApiParameter]:
    """Return the parameters of a signature; a variadic one has its star in its name."""
    listed = []
    for item in found:
        if item.kind is item.VAR_KEYWORD or item.name in left_out:
            continue
        variadic = item.kind is item.VAR_POSITIONAL
        required = not variadic and item.default is item.empty
        default = None if required or variadic else recipe_of(item.default)
        name = f"*{item.name}" if variadic else item.name
        listed.append(ApiParameter(name, required, item.kind is item.KEYWORD_ONLY, default))
    return listed


class CatalogueLibrary(ABC):
    """A library by its catalogue."""

    name = ""
    version = ""
    namespace: Namespace

    def __init__(self, known: FunctionCatalogue) -> None:
        self._known = known
        self._apis: Optional[list[LibraryApi]] = None

    def apis(self) -> Sequence[LibraryApi]:
        """Return its public callables that are safe to call, each once, sorted by name."""
        if self._apis is None:
            self._apis = [self._api(name) for name in sorted(self._known.functions)]
        return self._apis

    def _api(self, name: str) -> LibraryApi:
        function, kind = self._known.functions[name], self._known.kinds[name]
        doc = str(getattr(function, "__doc__", None) or "")
        others = tuple(self._known.others[name])
        return LibraryApi(name, kind, self.parameters(name, kind, function), doc, others)

    def function(self, api: str) -> Any:
        """Return the callable of that name, or one of its other names; raises ``LookupError``."""
        return self._known.function(api)

    def named(self, function: Any) -> Optional[str]:
        """Return the canonical name of a callable of the library, or ``None``."""
        return self._known.named(function)

    def valid(self) -> Found:
        """Yield calls that were tried and succeed, and where each is from."""
        yield from self.gathered(found for source in self.sources() for found in source())

    def default_recipe(self, value: Any) -> Optional[Recipe]:
        """Return the recipe of a default; ``None`` where there is none."""
        try:
            return self.recipe_of(value)
        except BadRecipe:
            return None

    @abstractmethod
    def sources(self, names: Iterable[str] = ()) -> Sequence[Source]:
        """Return the parts of :meth:`valid` that can run beside each other, for some names."""

    @abstractmethod
    def gathered(self, found: Iterable[tuple[CallSource, str]]) -> Found:
        """Yield what the sources give, put together."""

    @abstractmethod
    def parameters(self, name: str, kind: str, function: Any) -> tuple[ApiParameter, ...]:
        """Return the parameters of an API, in order."""

    @abstractmethod
    def recipe_of(self, value: Any) -> Recipe:
        """Return the recipe of a value; raises ``BadRecipe``."""

"""The part of a library of array functions that is the same for all."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from functools import partial
from types import ModuleType
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ....generation.recipes import Recipe
from ...nouns import Api, Call, Namespace
from . import containers
from .catalogue import Catalogue
from .examples import Tracer, calls_of
from .inputs import Array, Limits, calls_for, profiles, succeeds
from .parameters import parameters

Source = Callable[[], Iterator[Tuple[Call, str]]]


class ArrayLibrary(ABC):
    """A library by its catalogue; what its arrays are, subclasses say."""

    name = ""
    version = ""
    limits = Limits()
    parts = 4
    """In how many parts valid calls are sought."""

    def __init__(self, known: Catalogue, examples: Mapping[str, ModuleType]) -> None:
        self.namespace: Namespace = {}
        self._known = known
        self._examples = examples
        self._apis: Optional[List[Api]] = None

    def apis(self) -> Sequence[Api]:
        """Its public functions, each once, sorted by name."""
        if self._apis is None:
            self._apis = [self._api(name) for name in sorted(self._known.functions)]
        return self._apis

    def _api(self, name: str) -> Api:
        function, kind = self._known.functions[name], self._known.kinds[name]
        doc = str(getattr(function, "__doc__", None) or "")
        others = tuple(self._known.others[name])
        return Api(name, kind, parameters(function, self.spelled), doc, others)

    def function(self, api: str) -> Any:
        """The callable of that name; raises ``LookupError``."""
        return self._known.function(api)

    def named(self, function: Any) -> Optional[str]:
        """The canonical name of a callable of the library, or ``None``."""
        return self._known.named(function)

    def valid(self) -> Iterator[Tuple[Call, str]]:
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

    def gathered(self, found: Iterable[Tuple[Call, str]]) -> Iterator[Tuple[Call, str]]:
        """Each text once."""
        seen = set()
        for call, origin in found:
            text = call.source()
            if text not in seen:
                seen.add(text)
                yield call, origin

    def _valid(self, apis: Sequence[Api]) -> Iterator[Tuple[Call, str]]:
        for api in apis:
            yield from self.valid_for(api)

    def valid_for(self, api: Api) -> Iterator[Tuple[Call, str]]:
        """The valid calls that one API's documentation and parameters tell; also of other APIs."""
        yield from ((call, "documentation") for call in self.documented(api))
        lent = list(self._succeeding(self.lent(api)))
        yield from ((call, "lent") for call in lent)
        if len(lent) < self.limits.kept:
            made = calls_for(api, profiles(self.array()), self.limits)
            yield from ((call, "made") for call in self._succeeding(made))

    def documented(self, api: Api) -> Iterator[Call]:
        """The calls that the examples of an API's documentation make."""
        return calls_of(api.doc, self._examples, Tracer(self.named, self.spelled))

    def _succeeding(self, calls: Iterator[Call]) -> Iterator[Call]:
        found = (call for call in calls if self.succeeds(call))
        return itertools.islice(found, self.limits.kept)

    def succeeds(self, call: Call) -> bool:
        """Whether a call returns something."""
        return succeeds(call, self.function(call.api), self.namespace)

    def lent(self, api: Api) -> Iterator[Call]:  # noqa: ARG002 - none unless a library has a model
        """The valid calls of another library's function of the same name, in own arrays."""
        return iter(())

    @abstractmethod
    def array(self) -> Array:
        """How the library makes an array of nested lists and a dtype's name."""

    def spelled(self, value: Any) -> Recipe:
        """The recipe of a value; raises ``BadRecipe``."""
        return containers.spelled(value, self.spelled_array)

    @abstractmethod
    def spelled_array(self, value: Any) -> Recipe:
        """The recipe of an array, a dtype or another value of the library's own."""

    def copied(self, value: Any) -> Any:
        """A value with arrays of its own."""
        return containers.copied(value, self.copied_array)

    @abstractmethod
    def copied_array(self, value: Any) -> Any:
        """An array of its own; other values are as they are."""

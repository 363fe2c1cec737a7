"""The rules for libraries that are known by their description alone.

An entry's method is ``package.module.Class.method``: the class is the first
part that begins with a capital.  ``package.function`` has no class.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Callable, Dict, List, Tuple

from .. import calls
from ..standins import Entered, InertModule
from .described import Described, Entry
from .family import Project, Rule
from .other import Other, is_other
from .record import Subscriptable

_PARSERS = ("model_validate", "parse_obj", "from_dict")
Operations = Dict[str, Entry]
Wrap = Callable[[Entry, Any], Any]


def rules(project: Project) -> List[Rule]:
    """What is done about the modules that the methods of other providers lie in."""
    library = Library(Other(Described(project.entries, project.schema)))
    modules: Dict[str, Dict[str, Operations]] = {}
    for entry in filter(is_other, project.entries):
        for method in entry.get("methods") or ():
            module, kind, operation = _parts(str(method))
            modules.setdefault(module, {}).setdefault(kind, {})[operation] = entry
    return [
        Rule(re.escape(name), library.patch(kinds), library.module(kinds))
        for name, kinds in modules.items()
        if name
    ]


def _parts(method: str) -> Tuple[str, str, str]:
    """The module, the class (or nothing) and the operation of a dotted method."""
    parts = method.split(".")
    at = next((n for n, part in enumerate(parts) if part[:1].isupper()), None)
    if at is None:
        return ".".join(parts[:-1]), "", parts[-1]
    return ".".join(parts[:at]), parts[at], ".".join(parts[at + 1 :])


class Library:
    """Patches the described classes and functions of a module, or makes them."""

    def __init__(self, other: Other) -> None:
        self._other = other

    def patch(self, kinds: Mapping[str, Operations]) -> Callable[[ModuleType], None]:
        """What is done to the real module: its described methods ask here."""

        def patch(module: ModuleType) -> None:
            for name, operations in kinds.items():
                for owner in _owners(module, name):
                    for path, entry in operations.items():
                        self._replace(owner, path, entry, bound=bool(name))

        return patch

    def module(self, kinds: Mapping[str, Operations]) -> Callable[[str], InertModule]:
        """What makes the module where it is not installed."""

        def make(name: str) -> InertModule:
            return _Module(name, self, kinds)

        return make

    def method(self, entry: Entry, wrap: Wrap, *, bound: bool) -> Callable[..., Any]:
        """A function that asks what the entry describes; ``bound``: of an object."""

        def method(*args: Any, **options: Any) -> Any:
            return wrap(entry, self._other.called(entry, args[1:] if bound else args, options))

        return method

    def record(self, entry: Entry, answer: Any) -> Any:
        """An answer as objects without the library, which are mappings, too."""
        if isinstance(answer, list):
            return [self.record(entry, each) for each in answer]
        return Subscriptable(self._other.described.schema, str(entry.get("schema") or ""), answer)

    def _replace(self, owner: Any, path: str, entry: Entry, *, bound: bool) -> None:
        original = inspect.getattr_static(owner, path, None)
        if original is None:
            return
        made = self.method(entry, self._as_sdk, bound=bound)
        setattr(owner, path, _awaited(made) if inspect.iscoroutinefunction(original) else made)

    def _as_sdk(self, entry: Entry, answer: Any) -> Any:
        """The object that the library makes of an answer, if its class can."""
        module, _, name = str(entry.get("schema") or "").rpartition(".")
        if not calls.session().faithful or not module:
            return self.record(entry, answer)
        try:
            kind = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            return self.record(entry, answer)
        parse = next((getattr(kind, each) for each in _PARSERS if hasattr(kind, each)), None)
        if parse is None:
            return self.record(entry, answer)
        return [parse(each) for each in answer] if isinstance(answer, list) else parse(answer)


def _owners(module: ModuleType, name: str) -> List[Any]:
    """The class of that name in a module and its asynchronous twin, or the module."""
    if not name:
        return [module]
    found = (vars(module).get(spelling) for spelling in (name, f"Async{name}"))
    return [kind for kind in found if kind is not None]


def _awaited(made: Callable[..., Any]) -> Callable[..., Any]:
    async def awaited(*args: Any, **options: Any) -> Any:
        return made(*args, **options)

    return awaited


class _Module(InertModule):
    def __init__(self, name: str, library: Library, kinds: Mapping[str, Operations]) -> None:
        super().__init__(name)
        self.__dict__.update(_library=library, _kinds=kinds)

    def __getattr__(self, name: str) -> Any:
        library, kinds = self.__dict__["_library"], self.__dict__["_kinds"]
        if name in kinds.get("", {}):
            return library.method(kinds[""][name], library.record, bound=False)
        awaited = name.startswith("Async") and name[5:] in kinds
        operations = kinds.get(name[5:] if awaited else name) if name else None
        if operations is None:
            return super().__getattr__(name)

        def client(*_: Any, **__: Any) -> _Client:
            return _Client(library, operations, (), awaited)

        return client


class _Client(Entered):
    """A client or a group of its operations; called, it is the operation of that name."""

    def __init__(
        self, library: Library, operations: Operations, names: Tuple[str, ...], awaited: bool
    ) -> None:
        self._library = library
        self._operations = operations
        self._names = names
        self._awaited = awaited

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _Client(self._library, self._operations, (*self._names, name), self._awaited)

    def __call__(self, *args: Any, **options: Any) -> Any:
        path = ".".join(self._names)
        entry = self._operations.get(path)
        if entry is None:
            error = ConnectionError(f"{path} is no described ML API")
            raise calls.unanswered(path, error)
        made = self._library.method(entry, self._library.record, bound=False)
        return (_awaited(made) if self._awaited else made)(*args, **options)

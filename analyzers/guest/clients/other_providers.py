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
from typing import Any, Callable, Dict, List, Optional, Tuple
from urllib.parse import parse_qsl, urlsplit

from ..protocol import api_calls
from ..runtime.standins import Entered, InertModule
from .client_rules import ClientProject, ClientRule
from .described_apis import ELEMENTS, DescribedApis, Entry, asked_each, decoded, plain, source
from .response_record import Subscriptable
from .schema_fitting import on_the_wire

MAPPED = ("aws", "azure", "google", "huggingface", "openai")


def is_other(entry: Entry) -> bool:
    """Return whether an entry is of a provider without a mapping of its own."""
    return str(entry["provider"]).partition(".")[0] not in MAPPED


class OtherProviders:
    """Asks what an entry describes; its ``field`` is a parameter, behind a dot the name in it."""

    def __init__(self, described: DescribedApis) -> None:
        self.described = described

    def called(self, entry: Entry, args: Tuple[Any, ...], options: Mapping[str, Any]) -> Any:
        """Return the canonical answer to a call of a client."""
        given = dict(options)
        head, inner = _field(entry)
        if args and head not in given:
            given[head] = args[0]
        return self._answer(entry, given.pop(head, None), inner, given)

    def posted(self, entry: Entry, body: Any) -> Any:
        """Return the JSON that answers a request; a body that is no JSON is the content."""
        head, inner = _field(entry)
        given = dict(body) if isinstance(body, Mapping) else {head: body}
        value = given.pop(head, None)
        answer = self._answer(entry, _unpacked(value, entry), inner, given)
        schema, message = self.described.schema, str(entry.get("schema") or "")
        if isinstance(answer, list):
            return [on_the_wire(schema, message, each, str) for each in answer]
        return on_the_wire(schema, message, answer, str)

    def sent(self, entry: Entry, url: str, body: Any) -> Any:
        """The JSON that answers a request whose body is the content, its options in the query."""
        options = dict(parse_qsl(urlsplit(url).query))
        content = bytes(body) if isinstance(body, (bytes, bytearray)) else None
        return self.posted(entry, {**options, _field(entry)[0]: content})

    def _answer(self, entry: Entry, value: Any, inner: str, options: Mapping[str, Any]) -> Any:
        asked = plain(options)
        items: List[Any] = list(value or ()) if asked_each(entry) else [value]
        answers = [
            self.described.ask(entry, _question(entry, each, inner, asked)) for each in items
        ]
        if asked_each(entry):
            path = str(entry["result"]).partition("[]")[0].split(".")
            made: Any = answers
            for step in reversed([step for step in path if step]):
                made = {step: made}
            return made
        return answers[0].get(ELEMENTS, answers[0])


def _field(entry: Entry) -> Tuple[str, str]:
    head, _, inner = str((entry.get("input") or {}).get("field") or "input").partition(".")
    return head, inner


def _question(
    entry: Entry, value: Any, inner: str, options: Dict[str, Any]
) -> api_calls.ApiRequest:
    if inner and isinstance(value, Mapping):
        value = value.get(inner)
    elif inner:
        value = getattr(value, inner, value)
    kind = str((entry.get("input") or {}).get("kind"))
    return api_calls.ApiRequest(str(entry["name"]), *source(value, kind), options)


def _unpacked(value: Any, entry: Entry) -> Any:
    """The parts of a body whose texts in base 64 are contents again."""
    if (entry.get("input") or {}).get("kind") == "text":
        return value
    if isinstance(value, list):
        return [_unpacked(item, entry) for item in value]
    if isinstance(value, dict):
        return {key: _unpacked(item, entry) for key, item in value.items()}
    content: Optional[bytes] = decoded(value) if isinstance(value, str) else None
    return value if content is None else content


_PARSERS = ("model_validate", "parse_obj", "from_dict")
Operations = Dict[str, Entry]
Wrap = Callable[[Entry, Any], Any]


def other_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules that the methods of other providers lie in."""
    library = DescribedLibrary(OtherProviders(DescribedApis(project.entries, project.schema)))
    modules: Dict[str, Dict[str, Operations]] = {}
    for entry in filter(is_other, project.entries):
        for method in entry.get("methods") or ():
            module, kind, operation = _parts(str(method))
            modules.setdefault(module, {}).setdefault(kind, {})[operation] = entry
    return [
        ClientRule(re.escape(name), library.patch(kinds), library.module(kinds))
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


class DescribedLibrary:
    """Patches the described classes and functions of a module, or makes them."""

    def __init__(self, other: OtherProviders) -> None:
        self._other = other

    def patch(self, kinds: Mapping[str, Operations]) -> Callable[[ModuleType], None]:
        """Return what is done to the real module: its described methods ask here."""

        def patch(module: ModuleType) -> None:
            for name, operations in kinds.items():
                for owner in _owners(module, name):
                    for path, entry in operations.items():
                        self._replace(owner, path, entry, bound=bool(name))

        return patch

    def module(self, kinds: Mapping[str, Operations]) -> Callable[[str], InertModule]:
        """Return what makes the module where it is not installed."""

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
        if not api_calls.session().faithful or not module:
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
    def __init__(
        self, name: str, library: DescribedLibrary, kinds: Mapping[str, Operations]
    ) -> None:
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
    def __init__(
        self,
        library: DescribedLibrary,
        operations: Operations,
        names: Tuple[str, ...],
        awaited: bool,
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
            raise api_calls.unanswered(path, error)
        made = self._library.method(entry, self._library.record, bound=False)
        return (_awaited(made) if self._awaited else made)(*args, **options)

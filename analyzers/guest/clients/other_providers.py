"""Rules for libraries known by their description alone (``package.module.Class.method``)."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple
from urllib.parse import parse_qsl, urlsplit

from ..protocol import api_calls
from ..runtime.standins import Entered, InertException, InertModule, awaited
from .client_rules import ClientProject, ClientRule
from .conversations import conversation, hoisted, whole
from .described_apis import (
    ELEMENTS,
    DescribedApis,
    Entry,
    asked_each,
    decoded,
    plain,
    source,
)
from .event_streams import Events, cohere_events, content_parts, message_events
from .genai_standins import (
    GIVEN,
    RESPONSE,
    kind_of,
    shape_of,
    with_parsed,
    with_properties,
    with_raising_properties,
    with_schema,
)
from .response_record import Subscriptable
from .schema_fitting import on_the_wire

MAPPED = ("aws", "azure", "google", "huggingface", "openai")


def is_other(entry: Entry) -> bool:
    """Return whether an entry is of a provider without a mapping of its own."""
    return str(entry["provider"]).partition(".")[0] not in MAPPED


def is_streamed(options: Mapping[str, Any]) -> bool:
    """Return whether a request wants its answer in parts."""
    return options.get("stream") is True


def in_events(options: Mapping[str, Any]) -> Dict[str, bool]:
    """Return the ways to bring the events of an answer; none where a request wants it whole."""
    return {"cut": True} if is_streamed(options) else {}


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

    def wire(self, entry: Entry, answer: Any) -> Any:
        """The JSON that says an answer."""
        message = str(entry.get("schema") or "")
        return on_the_wire(self.described.schema, message, answer, str)

    def posted(self, entry: Entry, body: Any) -> Any:
        """Return the JSON that answers a request; a body that is no JSON is the content."""
        head, inner = _field(entry)
        given = dict(body) if isinstance(body, Mapping) else {head: body}
        value = given.pop(head, None)
        answer = self._answer(entry, _unpacked(value, entry), inner, given)
        if isinstance(answer, list):
            return [self.wire(entry, each) for each in answer]
        return self.wire(entry, answer)

    def sent(self, entry: Entry, url: str, body: Any) -> Any:
        """The JSON that answers a request whose body is the content, its options in the query."""
        options = dict(parse_qsl(urlsplit(url).query))
        content = bytes(body) if isinstance(body, (bytes, bytearray)) else None
        return self.posted(entry, {**options, _field(entry)[0]: content})

    def _answer(self, entry: Entry, value: Any, inner: str, options: Mapping[str, Any]) -> Any:
        asked = plain(options)
        if entry.get("task") == "chat":
            return self._turn(entry, value, asked)
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

    def _turn(self, entry: Entry, value: Any, options: Mapping[str, Any]) -> Dict[str, Any]:
        """The answer of a language model, and what it leaves out of an ordinary one around it."""
        question = conversation(str(entry["name"]), _field(entry)[0], value, hoisted(options))
        question = replace(question, stream=in_events(options))
        return whole(entry, self.described.ask(entry, question), options)


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


_SENT = ("cohere",)
"""Libraries whose own requests are answered where they would leave."""
_FIRST = ("google.generativeai", "vertexai.generative_models")
"""Libraries whose responses raise where they have no text."""
_PARSERS = ("model_validate", "parse_obj", "from_dict")
Operations = Dict[str, Entry]
Wrap = Callable[[Entry, Any], Any]
Finish = Callable[[Any], Any]


def other_rules(project: ClientProject) -> List[ClientRule]:
    """Return what is done about the modules that the methods of other providers lie in."""
    other = OtherProviders(DescribedApis(project.entries, project.schema))
    library = DescribedLibrary(other, {RESPONSE: with_properties})
    first = DescribedLibrary(other, {RESPONSE: with_raising_properties}, is_record=True)
    modules: Dict[str, Dict[str, Operations]] = {}
    for entry in filter(is_other, project.entries):
        for method in entry.get("methods") or ():
            module, kind, operation = _parts(str(method))
            modules.setdefault(module, {}).setdefault(kind, {})[operation] = entry
    libraries = {name: first if name in _FIRST else library for name in modules}
    return [
        ClientRule(
            re.escape(name),
            None if name in _SENT else libraries[name].patch(kinds),
            libraries[name].module(kinds),
        )
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

    def __init__(
        self, other: OtherProviders, finish: Mapping[str, Finish], *, is_record: bool = False
    ) -> None:
        self._other = other
        self._finish = finish
        self._is_record = is_record

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
            return _Module(name, _library=self, _kinds=kinds)

        return make

    def method(self, entry: Entry, wrap: Wrap, *, bound: bool) -> Callable[..., Any]:
        """A function that asks what the entry describes; ``bound``: of an object."""

        def method(*args: Any, **options: Any) -> Any:
            given = {**_kept(args[0]), **options} if bound else dict(options)
            parted = _parts_of(entry) if is_streamed(given) else None
            if is_streamed(given) and parted is None:
                name = f"{entry['name']} (as a stream)"
                error = ConnectionError(f"{name} is no described ML API")
                raise api_calls.unanswered(name, error)
            shape = shape_of(given)
            own = args[1:] if bound else args
            try:
                answer = self._other.called(entry, own, with_schema(given, shape))
            except api_calls.ServiceFailure as failed:
                raise LibraryError(str(failed)) from None
            if parted is not None:
                parts = list(parted(answer))
                broken = LibraryError("The stream broke off.") if "error" in parts[-1] else None
                kind = entry if parted is content_parts else {}
                said = [wrap(kind, part) for part in parts if "error" not in part]
                return _Parts(wrap(entry, answer), said, broken)
            made = wrap(entry, answer)
            return made if shape is None else with_parsed(made, shape)

        return method

    def record(self, entry: Entry, answer: Any) -> Any:
        """An answer as objects without the library, which are mappings, too."""
        if isinstance(answer, list):
            return [self.record(entry, each) for each in answer]
        schema, name = self._other.described.schema, str(entry.get("schema") or "")
        return self._finish.get(name, lambda made: made)(Subscriptable(schema, name, answer))

    def _replace(self, owner: Any, path: str, entry: Entry, *, bound: bool) -> None:
        original = inspect.getattr_static(owner, path, None)
        if original is None:
            return
        made = self.method(entry, self._as_sdk, bound=bound)
        made = _kept_last(made) if hasattr(owner, "last") else made
        setattr(owner, path, awaited(made) if inspect.iscoroutinefunction(original) else made)

    def _as_sdk(self, entry: Entry, answer: Any) -> Any:
        """The object that the library makes of an answer, if its class can."""
        module, _, name = str(entry.get("schema") or "").rpartition(".")
        if self._is_record or not api_calls.session().faithful or not module:
            return self.record(entry, answer)
        try:
            kind = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            return self.record(entry, answer)
        parse = next((getattr(kind, each) for each in _PARSERS if hasattr(kind, each)), None)
        if parse is None:
            return self.record(entry, answer)
        return [parse(each) for each in answer] if isinstance(answer, list) else parse(answer)


def _kept_last(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of a chat that keeps the answer as its last."""

    def kept(chat: Any, *args: Any, **options: Any) -> Any:
        chat._last_received = method(chat, *args, **options)
        return chat._last_received

    return kept


def _parts_of(entry: Entry) -> Optional[Callable[[Mapping[str, Any]], Iterable[Any]]]:
    """Return what takes an answer apart as the API's stream does, ``None`` without a stream."""
    makers: Mapping[str, Callable[[Mapping[str, Any]], Iterable[Any]]] = {
        "gemini": content_parts, "anthropic": message_events, "cohere": cohere_events,
    }  # fmt: skip
    return makers.get(str(entry["provider"]).partition(".")[0])


class _Parts(Events, Entered):
    """The parts of an answer, with the fields of the whole, as Google's older SDKs have them."""

    def __init__(self, whole: Any, parts: List[Any], error: Optional[Exception]) -> None:
        super().__init__(parts, error)
        self._whole = whole

    def resolve(self) -> None:
        """Nothing: all parts are there."""

    @property
    def text_stream(self) -> Events:
        """The texts of the parts, as Anthropic's SDK has them."""
        deltas: List[Any] = [getattr(each, "delta", None) for each in self]
        return Events(each.text for each in deltas if hasattr(each, "text"))

    def get_final_message(self) -> Any:
        """The whole, as Anthropic's SDK gives it."""
        return self._whole

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._whole, name)


def _owners(module: ModuleType, name: str) -> List[Any]:
    """The class of that name in a module and its asynchronous twin, or the module."""
    if not name:
        return [module]
    found = (vars(module).get(spelling) for spelling in (name, f"Async{name}"))
    return [kind for kind in found if kind is not None]


class _Module(InertModule):
    def __getattr__(self, name: str) -> Any:
        library, kinds = self.__dict__["_library"], self.__dict__["_kinds"]
        if name in kinds.get("", {}):
            return library.method(kinds[""][name], library.record, bound=False)
        later = name.startswith("Async") and name[5:] in kinds
        operations = kinds.get(name[5:] if later else name) if name else None
        if operations is None and name in GIVEN:
            return kind_of(name)
        if name[:1].isupper() and name.endswith("Error"):
            self.__dict__[name] = _error(self.__name__, name)
            return self.__dict__[name]
        if operations is None:
            return super().__getattr__(name)

        def made(*_: Any, **options: Any) -> _Client:
            fault: Any = self.APIConnectionError
            return _Client(library, operations, (), later, fault, _kept(options))

        body = {"__module__": self.__name__, "__new__": made}
        self.__dict__[name] = type(name, (), body)
        return self.__dict__[name]


_KEPT = ("generation_config", "tools", "system_instruction")


def _kept(owner: Any) -> Dict[str, Any]:
    """The parameters of requests that a model was made with."""
    held = owner if isinstance(owner, Mapping) else getattr(owner, "__dict__", {})
    found = {name: held.get(name) or held.get(f"_{name}") for name in _KEPT}
    return {name: value for name, value in found.items() if value}


class LibraryError(InertException, ConnectionError):
    """The base of a library's errors."""


def _error(module: str, name: str) -> type:
    """The class of an error: the base of all, or one of its own."""
    if name.casefold() in ("apierror", f"{module}error".casefold()):
        return LibraryError
    return type(name, (LibraryError,), {"__module__": module})


class _Client(Entered):
    def __init__(
        self,
        library: DescribedLibrary,
        operations: Operations,
        names: Tuple[str, ...],
        awaited: bool,
        fault: type,
        kept: Mapping[str, Any],
    ) -> None:
        self._library = library
        self._operations = operations
        self._names = names
        self._awaited = awaited
        self._fault = fault
        self._kept = kept
        self._said: List[Any] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "last" and self._names:
            return self._said[-1] if self._said else None
        return self._at((*self._names, name), self._said)

    def _at(self, names: Tuple[str, ...], said: List[Any]) -> _Client:
        about = (self._awaited, self._fault, self._kept)
        found = _Client(self._library, self._operations, names, *about)
        found._said = said
        return found

    def __call__(self, *args: Any, **options: Any) -> Any:
        path = ".".join(self._names)
        entry = self._operations.get(path)
        if any(known.startswith(f"{path}.") for known in self._operations):
            return self._at(self._names, [])
        named = path.endswith("stream")
        if named:
            options["stream"] = True
        if entry is None or (is_streamed(options) and _parts_of(entry) is None):
            path += "" if entry is None else " (as a stream)"
            raise api_calls.unanswered(path, self._fault(f"{path} is no described ML API"))
        asked = self._library.method(entry, self._library.record, bound=False)

        def made(*given: Any, **named: Any) -> Any:
            self._said.append(asked(*given, **named))
            return self._said[-1]

        later = (self._awaited and not named) or self._names[0] == "aio" or path.endswith("_async")
        return (awaited(made) if later else made)(*args, **{**self._kept, **options})

"""The ML APIs that are known, and how code is matched with them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from typing import Any

from analyzers.catalogue.api_descriptions import (
    Api,
    ClientFactory,
    Descriptions,
    data_files,
    read_descriptions,
    read_sample_responses,
    register_cache,
)
from analyzers.catalogue.label_vocabularies import Vocabulary, vocabulary
from analyzers.vocabulary import JsonObject, Target

_PARTS = ("content", "text", "uri")


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The terms of one API.

    ``takes`` are the parts a request may have.  ``content`` and ``text`` are
    the most bytes of a file and of a text in UTF-8.  ``parameters`` are JSON
    Schemas by name, each with its ``default`` where it has one; ``None``:
    not described.  ``price`` is in micro-dollars (10⁻⁶ $) a unit, before any
    free quota or discount; ``None``: not known.  A unit is a call, or so many
    ``characters`` of text, or so many ``bytes`` of a file, and a call is at
    least ``least`` units.
    """

    takes: tuple[str, ...] = _PARTS
    content: int = 20 * 1024 * 1024
    text: int = 1_000_000
    parameters: Mapping[str, Mapping[str, Any]] | None = None
    price: int | None = None
    characters: int | None = None
    bytes: int | None = None
    least: int = 1
    sources: tuple[str, ...] = field(default=(), repr=False)

    def cost(self, size: int, length: int) -> int | None:
        """Return micro-dollars for a file of ``size`` bytes or a text of ``length`` characters."""
        if self.price is None:
            return None
        units = 1
        if self.characters is not None:
            units = -(-length // self.characters)
        elif self.bytes is not None:
            units = -(-size // self.bytes)
        return self.price * max(units, self.least)


@cache
def provider_limits(api: str) -> ProviderLimits:
    """Return the terms of the API of that catalogue name; those of nobody where none are known."""
    provider, _, name = api.rpartition(".")
    document = _document(provider)
    return _limits_of({**document.get("shared", {}), **document.get("api", {}).get(name, {})})


@cache
def _document(provider: str) -> Mapping[str, Any]:
    name = f"{provider.replace('.', '_')}.toml"
    found = [file for file in data_files("limits", ".toml") if file.name == name]
    return tomllib.loads(found[-1].read_text("utf-8")) if found else {}


def _limits_of(entry: Mapping[str, Any]) -> ProviderLimits:
    fields = dict(entry)
    for key in ("takes", "sources"):
        if key in fields:
            fields[key] = tuple(fields[key])
    return ProviderLimits(**fields)


for _cache in (provider_limits, _document):
    register_cache(_cache.cache_clear)

_MODULE_ENDS = (".", "(")

_SUBMODULES = frozenset({"discovery", "genai", "generativeai", "groq", "instructor", "together"})
_NAMESPACES = frozenset({"azure", "google"})
"""Packages that others lie in: their names in longer ones (``google_url``) mean nothing."""


@cache
def _use_of(word: str) -> re.Pattern[str]:
    """Return what finds an import of a name, or a server that is called so.

    ``aioboto3`` is a use of ``boto3``; ``coherence`` and the word ``together`` are none.
    """
    joined = "_" if word in _NAMESPACES else ""
    name = rf"(?:\baio|(?<![a-zA-Z])){re.escape(word)}(?![a-zA-Z{joined}])"
    return re.compile(
        rf"^[ \t]*(?:import|from)\b[^#\n]*{name}|import_module\(.*{name}"
        rf"|{name}\.(?:com|ai|co|xyz)\b",
        re.MULTILINE,
    )


class Catalogue:
    """Descriptions of ML APIs, looked up by dotted method, URL and name."""

    def __init__(self, descriptions: Descriptions) -> None:
        self.apis = descriptions.apis
        self.transport = descriptions.transport
        self.hints = descriptions.hints
        self.variables = descriptions.variables
        self.removed = descriptions.removed
        self.aliases = dict(descriptions.aliases)
        self._factories = descriptions.factories
        self._canonical: dict[str, str] = {}
        self._methods: dict[str, tuple[Api, ...]] = {}
        self._requests: dict[str, tuple[Api, ...]] = {}
        self._by_model: dict[str, tuple[Api, ...]] = {}
        self._chains: dict[str, tuple[Api, ...]] = {}
        for api in self.apis.values():
            for method in api.methods:
                self._methods[method] = (*self._methods.get(method, ()), api)
            for method in api.requests:
                self._requests[method] = (*self._requests.get(method, ()), api)
            for method in api.by_model:
                self._by_model[method] = (*self._by_model.get(method, ()), api)
            for client in api.chains:
                self._chains[client] = (*self._chains.get(client, ()), api)
        self._given = [api for api in self.apis.values() if api.given]
        known = (*self._methods, *self._requests, *self._by_model, *self._chains)
        self._roots = frozenset(map(_root, known))
        self._imported = self.libraries | _SUBMODULES
        self._folders = frozenset(
            "/".join(root.split(".")[:2]) for root in self._roots if "." in root
        )
        self._rest = [
            (rest, _pattern(rest), api) for api in self.apis.values() for rest in api.rest
        ]

    def __getitem__(self, name: str) -> Api:
        """Return the API called ``name``.  Raises ``KeyError``."""
        return self.apis[name]

    def canonical(self, path: str) -> str:
        """Return a dotted path with the names of older generations brought up to date.

        ``google.cloud.vision_v1.types.Image`` is ``google.cloud.vision.Image``.
        """
        known = self._canonical.get(path)
        if known is None:
            known = self._canonical[path] = self._rewritten(path)
        return known

    def _rewritten(self, path: str) -> str:
        segments = path.split(".")
        if len(segments) > 1 and segments[-1] in self.transport.transparent:
            return self.canonical(".".join(segments[:-1]))
        for _ in range(8):
            for end in _prefixes(path):
                alias = self.aliases.get(path[:end])
                if alias is not None:
                    path = alias + path[end:]
                    break
            else:
                break
        return path

    def factory(self, path: str) -> ClientFactory | None:
        """Return the factory that is called by ``path``, if it is one."""
        return self._factories.get(path)

    def is_client(self, path: str) -> bool:
        """Return whether a dotted path lies in a library through which APIs are asked."""
        return _root(path) in self._roots

    @property
    def libraries(self) -> frozenset[str]:
        """The top-level packages of the client libraries."""
        return frozenset(root.partition(".")[0] for root in self._roots)

    def is_copy(self, path: str) -> bool:
        """Return whether a file belongs to a copy of a client library in the project."""
        return any(f"/{folder}/" in f"/{path}" for folder in self._folders)

    def called(self, path: str, words: Iterable[str]) -> tuple[Api, ...]:
        """Return the APIs that a call of the dotted ``path`` asks.

        ``words`` are the constants and dotted names among its arguments;
        they tell the features of a shared request apart, and the models.
        """
        words = tuple(words)
        client, _, last = path.rpartition(".")
        if last in self.transport.chain_methods and client in self._chains:
            return self._chains[client]
        several = self._by_model.get(path, ())
        named = tuple(api for api in several if any(w.startswith(api.models) for w in words))
        featured = _by_feature(self._requests.get(path, ()), words)
        return named or self._methods.get(path) or several or featured

    def given(self, path: str, keywords: Collection[str]) -> tuple[Api, ...]:
        """Return the APIs that a method asks of a client of which nothing else is known."""
        return tuple(
            api
            for api in self._given
            for end, *words in map(str.split, api.given)
            if path.endswith(f".{end}") and set(words) <= set(keywords)
        )

    def is_chaining(self, path: str) -> bool:
        """Return whether a call by this path makes something that runs the clients it is given."""
        return path.partition(".")[0] in self.transport.chaining

    def posted(self, words: Iterable[str]) -> tuple[Api, ...]:
        """Return the APIs that an HTTP call asks, by the URL among its ``words``."""
        words = frozenset(words)
        found = list({api.name: api for word in words for api in self._at(word, words)}.values())
        featured = [api for api in found if api.feature and api.requests and len(found) > 1]
        return _by_feature(featured, words) if featured else tuple(found)

    def _at(self, url: str, words: Collection[str]) -> list[Api]:
        """Return the APIs at an address, by the patterns that say most of it."""
        found = [
            (_specificity(rest), api)
            for rest, pattern, api in self._rest
            if pattern.search(url) and (rest[:1] != "/" or set(api.fields) <= set(words))
        ]
        most = max((specificity for specificity, _ in found), default=None)
        return [api for specificity, api in found if specificity == most]

    def mentions(self, text: str) -> bool:
        """Return whether a file's text can use an ML API at all.

        A client library is imported, or its name is that of a server.
        """
        return any(all(self._is_used(word, text) for word in words) for words in self.hints)

    def _is_used(self, word: str, text: str) -> bool:
        return word in text and (word not in self._imported or bool(_use_of(word).search(text)))

    def vocabulary(self, name: str) -> Vocabulary:
        """Return the label vocabulary called ``name``, read on first use."""
        return vocabulary(name)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all servers, sorted, with ``*`` for the first label alone."""
        names = {host for api in self.apis.values() for host in api.hosts}
        return tuple(sorted({name for host in names for name in self._in_regions(host)}))

    def _in_regions(self, host: str) -> Iterator[str]:
        first, dot, rest = host.partition(".")
        if "*" not in rest:
            yield host
            return
        for region in self.transport.regions:
            yield first + dot + rest.replace("*", region)

    @cached_property
    def ordinary(self) -> Mapping[str, JsonObject]:
        """Answers as APIs give them every day, by name, with every field that a real one has."""
        return read_sample_responses()

    def as_json(self, names: Iterable[str]) -> list[JsonObject]:
        """Return the entries of the APIs ``names``, as the guest reads them.

        Each has the fields of :class:`Api` (``null`` where absent) and
        ``ordinary``, an everyday answer or ``null``.
        """
        return [
            asdict(self.apis[name]) | {"ordinary": self.ordinary.get(name)}
            for name in sorted(set(names))
        ]


def _prefixes(path: str) -> list[int]:
    ends = [at for at, char in enumerate(path) if char in _MODULE_ENDS]
    return [len(path), *reversed(ends)]


def _root(path: str) -> str:
    parts = path.partition("(")[0].split(".")
    return ".".join(parts[: 3 if parts[0] in ("google", "azure") else 1])


def _by_feature(apis: Iterable[Api], words: Iterable[str]) -> tuple[Api, ...]:
    """Return the APIs whose feature is named; all of them where none is."""
    ends = {word.rpartition(".")[2].casefold() for word in words}
    apis = tuple(apis)
    named = tuple(api for api in apis if (api.feature or "").casefold() in ends)
    return named or apis


def _specificity(rest: str) -> tuple[int, int]:
    return len(rest.rpartition("/")[2].strip("*")), len(rest)


def _pattern(rest: str) -> re.Pattern[str]:
    parts = (re.escape(part) for part in rest.split("*"))
    return re.compile("[^?#]+".join(parts) + r"(?![\w/:])")


@cache
def load_catalogue() -> Catalogue:
    """Return the catalogue of all folders (``places.add``), read once."""
    return Catalogue(read_descriptions())


register_cache(load_catalogue.cache_clear)


def asks_cloud(target: Target) -> bool:
    """Return whether a target asks an ML API that is in the catalogue."""
    known = load_catalogue().apis
    return any(api in known for api in target.apis)

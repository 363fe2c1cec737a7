"""Descriptions of ML APIs as the catalogue has them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from analyzers.vocabulary import JsonObject

KINDS = ("apis", "limits", "ordinary", "schemas")
_added_folders: list[Path] = []
_cache_clearers: list[Callable[[], None]] = []


class DataFile(Protocol):
    """A data file."""

    @property
    def name(self) -> str:
        """Its name, without the folder's."""
        ...

    def read_text(self, encoding: str) -> str:
        """Return its text.  Raises ``OSError``."""
        ...


def add_folder(folder: Path) -> None:
    """Read descriptions from a folder, too: ``apis``, ``schemas``, ``ordinary``, ``limits``.

    What stands there comes after what is shipped, and in its place where the
    names are the same.  Whatever was read before is read anew.
    """
    if folder not in _added_folders:
        _added_folders.append(folder)
        _clear_caches()


def remove_folder(folder: Path) -> None:
    """Read an added folder no more."""
    if folder in _added_folders:
        _added_folders.remove(folder)
        _clear_caches()


def data_files(kind: str, suffix: str) -> Iterator[DataFile]:
    """Yield the data files of a kind, by name, those of added folders last."""
    shipped = files("analyzers.catalogue").joinpath(kind)
    yield from sorted(
        (entry for entry in shipped.iterdir() if entry.name.endswith(suffix)),
        key=lambda entry: entry.name,
    )
    for folder in _added_folders:
        yield from sorted((folder / kind).glob(f"*{suffix}"))


def register_cache(clear: Callable[[], None]) -> None:
    """Call ``clear`` whenever another folder is read: it empties a cache."""
    _cache_clearers.append(clear)


def _clear_caches() -> None:
    for clear in _cache_clearers:
        clear()


@dataclass(frozen=True, slots=True)
class InputField:
    """The request field that carries the input, and what it is to a person.

    ``kind`` is one of the values of ``vocabulary.InputKind``, ``also`` are others
    that it may be.  With ``each``
    the field is a list: the guest asks about its elements one by one, and an
    answer is one element of the first list in the API's ``result``.
    """

    field: str
    kind: str
    each: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerMeaning:
    """One thing that an answer says, and where it stands.

    ``at`` are paths in the canonical answer (``analyzers.catalogue.canonical_answers``);
    the first that holds anything counts.  ``task`` is what a person has to
    find in the input for it.  ``readings`` maps the provider's classes to
    what a person would say (``HAPPY``: a happy face); with ``closed`` the API
    knows no other classes.  ``clear`` is for a number: how far from zero it
    is one feeling or the other.  With ``inside`` the words are in a text, which
    may be JSON: its values, or the text itself where it is short.
    """

    task: str
    at: tuple[str, ...]
    readings: Mapping[str, str]
    closed: bool = False
    clear: float | None = None
    inside: bool = False


@dataclass(frozen=True, slots=True)
class Api:
    """One ML API.

    ``methods`` are dotted client methods after :meth:`Catalogue.canonical`:
    calls are left out (``Client().f`` is ``Client.f``), and a factory keeps
    its service (``boto3.client('rekognition').detect_labels``).
    ``requests`` are methods shared by several APIs, told apart by the
    ``feature`` their arguments name; ``rest`` are patterns of host and path
    (``*``: one or more path segments).  ``hosts`` are the names under which
    its servers are found (``*``: one label); a pattern without a host counts where the body has
    all ``fields``.  ``by_model`` are methods that ask the API where an argument begins as one of
    ``models`` does; ``chains`` are clients that a chain of calls runs.  ``target`` is the
    operation that the header ``X-Amz-Target`` names.  ``given`` are ends of methods, each with
    keywords, by which a client that comes from outside is known.  ``schema`` is the message name
    of the response; ``result``, ``key`` and ``score`` are paths in it, ``[]`` for
    the elements of a list.  ``highest`` is the best score that there is,
    ``lowest`` the worst one of an answer, unless the request's parameter
    ``floored_by`` asks for others.  ``says`` is what an answer means.
    ``case`` is how the provider writes its labels, ``prefix`` what all of them
    begin with.  An answer lists ``least``
    entries at least; where the request's parameter ``labelled_by`` names labels,
    it rates each of them and no others.  ``classes`` are all values that ``key`` may have;
    where they are as many as ``least``, every answer rates each.  ``own_labels``: its labels
    are those of the operator's own model, collection or queries, and not known here.
    """

    name: str
    provider: str
    task: str
    methods: tuple[str, ...]
    result: str
    requests: tuple[str, ...] = ()
    feature: str | None = None
    rest: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    by_model: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    target: str | None = None
    input: InputField | None = None
    schema: str | None = None
    key: str | None = None
    score: str | None = None
    vocabulary: str | None = None
    case: str | None = None
    highest: float = 1.0
    lowest: float = 0.0
    floored_by: str | None = None
    prefix: str = ""
    least: int = 0
    labelled_by: str | None = None
    classes: tuple[str, ...] = ()
    own_labels: bool = False
    says: tuple[AnswerMeaning, ...] = ()

    @property
    def lists(self) -> frozenset[str]:
        """Return the names of the lists on the path of its results."""
        steps = self.result.split(".")
        return frozenset(step.removesuffix("[]") for step in steps if step.endswith("[]"))

    @property
    def score_at(self) -> str:
        """Return the path of scores in a canonical answer, or nothing."""
        path = self.score or ""
        if self.input is not None and self.input.each:
            return path.partition("[].")[2]
        return f"elements{path}" if path.startswith("[].") else path

    @property
    def result_at(self) -> str:
        """Return the path of results in a canonical answer."""
        return f"elements{self.result}" if self.result.startswith("[]") else self.result


@dataclass(frozen=True, slots=True)
class ClientFactory:
    """A call whose string argument says which client it makes."""

    call: str
    argument: str


@dataclass(frozen=True, slots=True)
class TransportDescription:
    """The parts of a response around the answer.

    ``calls`` carry a URL, ``attributes`` tell of the transport alone,
    ``faults`` of a call that failed, and ``transparent`` methods return the
    client that they are called on.  ``regions`` stand in the names of servers.
    ``chain_methods`` ask what a chain is made of; what a package of ``chaining`` makes of a
    client asks it, too.
    """

    calls: frozenset[str]
    attributes: frozenset[str]
    faults: frozenset[str]
    transparent: frozenset[str]
    regions: tuple[str, ...] = ()
    chain_methods: frozenset[str] = frozenset()
    chaining: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RemovedNames:
    """Names of an SDK's module that its package has no more since a version, and what to use.

    ``positional``: it has the functions, but they take keyword arguments alone.
    """

    package: str
    module: str
    names: tuple[str, ...]
    version: str
    instead: str
    positional: bool = False


@dataclass(frozen=True, slots=True)
class Descriptions:
    """Everything that the data files say.

    ``variables`` are those that SDKs read, ``removed`` what SDKs have no more.
    """

    apis: Mapping[str, Api]
    aliases: Mapping[str, str]
    factories: Mapping[str, ClientFactory]
    hints: tuple[tuple[str, ...], ...]
    transport: TransportDescription
    variables: frozenset[str]
    removed: tuple[RemovedNames, ...]


TRANSPORT = "transport.toml"
_LISTS = (
    "methods", "requests", "rest", "hosts", "fields", "by_model", "models", "chains", "classes",
    "given",
)  # fmt: skip


def read_descriptions() -> Descriptions:
    """Return all descriptions.

    Raises ``tomllib.TOMLDecodeError``, ``KeyError`` or ``TypeError`` where a
    file is malformed.
    """
    tables = {
        entry.name: tomllib.loads(entry.read_text("utf-8")) for entry in data_files("apis", ".toml")
    }
    transport = tables.pop(TRANSPORT)
    aliases: dict[str, str] = dict(transport["aliases"])
    apis: dict[str, Api] = {}
    factories: dict[str, ClientFactory] = {}
    hints: set[tuple[str, ...]] = set()
    for _, table in sorted(tables.items()):
        aliases.update(table.get("aliases", {}))
        hints.update(tuple(words) for words in table["hints"])
        for call, argument in table.get("factories", ()):
            factories[call] = ClientFactory(call, argument)
        apis.update((api.name, api) for api in _apis(table))
    return Descriptions(
        apis,
        aliases,
        factories,
        tuple(sorted(hints)),
        TransportDescription(
            frozenset(transport["calls"]),
            frozenset(transport["attributes"]),
            frozenset(transport["faults"]),
            frozenset(transport["transparent"]),
            tuple(transport["regions"]),
            frozenset(transport["chain_methods"]),
            frozenset(transport["chaining"]),
        ),
        frozenset(name for table in tables.values() for name in table.get("variables", ())),
        tuple(
            RemovedNames(names=tuple(entry["names"]), **_without(entry, "names"))
            for _, table in sorted(tables.items())
            for entry in table.get("removed", ())
        ),
    )


def _without(table: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in table.items() if name != key}


def _apis(table: dict[str, Any]) -> list[Api]:
    shared = {"hosts": table.get("hosts", ())} | table.get("shared", {})
    if "target" in table:
        shared["target"] = table["target"]
    return [_api(table["provider"], shared | entry) for entry in table["api"]]


def _api(provider: str, entry: dict[str, Any]) -> Api:
    fields = dict(entry)
    for key in _LISTS:
        fields[key] = tuple(fields.get(key, ()))
    if "target" in fields:
        operation = fields["schema"].rpartition(".")[2].removesuffix("Response")
        fields["target"] = f"{fields['target']}.{operation}"
    if "input" in fields:
        fields["input"] = InputField(**fields["input"])
    says = fields.pop("says", ())
    fields["says"] = tuple(_meaning(meaning, fields["task"]) for meaning in says)
    fields["name"] = f"{provider}.{fields['name']}"
    return Api(provider=provider, **fields)


def _meaning(entry: dict[str, Any], task: str) -> AnswerMeaning:
    fields: dict[str, Any] = {"task": task, "readings": {}, **entry}
    at = fields["at"]
    fields["at"] = (at,) if isinstance(at, str) else tuple(at)
    return AnswerMeaning(**fields)


def read_sample_responses() -> dict[str, JsonObject]:
    """Return an everyday answer of each API that has one, by name."""
    answers: dict[str, JsonObject] = {}
    for entry in data_files("ordinary", ".json"):
        answers.update(json.loads(entry.read_text("utf-8")))
    return answers

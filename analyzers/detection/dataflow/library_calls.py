"""Effects of calls outside the project on their arguments.

A call outside the project depends on its arguments only where it is known to
compute with them: what a database, a web service or a screen makes of an ML
answer is no condition on the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from analyzers.detection.dataflow.dataflow_values import (
    BOTTOM,
    ELEMENT,
    NOTHING,
    Key,
    Marks,
    Value,
    join_all,
    make,
)
from analyzers.guest.provenance.known_values import PURE_BUILTINS, PURE_MODULES

PURE: Final = (
    PURE_BUILTINS
    | PURE_MODULES
    | {
        *("bytearray", "complex", "format", "hasattr", "hash", "hex", "oct", "vars"),
        *("ast", "base64", "calendar", "dataclasses", "datetime", "decimal", "difflib", "enum"),
        *("fractions", "html", "locale", "random", "time", "asyncio", "concurrent"),
        *("numpy", "np", "pandas", "scipy", "simplejson", "ujson", "orjson", "yaml", "dateutil"),
        *("google.protobuf", "proto", "fuzzywuzzy", "rapidfuzz", "thefuzz", "Levenshtein", "nltk"),
        *("regex", "unidecode", "emoji", "inflect", "inflection", "num2words", "word2number"),
    }
)
SAME: Final = frozenset(
    [
        "list",
        "tuple",
        "sorted",
        "reversed",
        "filter",
        "set",
        "frozenset",
        "dict",
        "iter",
        "copy.copy",
        "copy.deepcopy",
        "json.loads",
        "json.dumps",
        "google.protobuf.json_format.MessageToDict",
        "google.protobuf.json_format.MessageToJson",
        "asyncio.run",
        "asyncio.wait_for",
        "asyncio.create_task",
        "asyncio.ensure_future",
        "asyncio.shield",
        "str",
        "json.load",
        "contextlib.nullcontext",
        "collections.OrderedDict",
        "collections.defaultdict",
        "urllib.request.Request",
        "urllib2.Request",
        "urllib.parse.urljoin",
        "itertools.chain",
        "itertools.chain.from_iterable",
        "itertools.islice",
        "itertools.takewhile",
        "itertools.dropwhile",
        "collections.deque",
    ]
)
"""Calls whose result has the fields of their arguments."""
PICKS: Final = frozenset({"max", "min", "next", "random.choice"})
DEFAULTS: Final = frozenset({"os.getenv", "os.environ.get", "os.environ.setdefault"})
PARTIAL: Final = frozenset({"functools.partial"})
RUNNERS: Final = frozenset(
    {"submit", "run_in_executor", "to_thread", "Thread", "Process", "Timer", "run", "gather"}
    | {"starmap", "imap", "apply_async", "run_until_complete", "create_task", "sync_to_async"}
)
"""Last names of calls that run the functions they are given."""
MAPS: Final = frozenset({"map", "concurrent.futures.ThreadPoolExecutor.map"})

METHODS: Final = frozenset(
    name
    for kind in (str, bytes, list, dict, set, tuple)
    for name in dir(kind)
    if not name.startswith("__")
) | {
    *("most_common", "appendleft", "isin", "apply", "contains"),
    *("search", "match", "fullmatch", "findall", "finditer", "sub", "group", "groups"),
}
"""Method names of built-in types and patterns, trusted on objects that are not known."""
GROWING: Final = frozenset(
    [
        "append",
        "add",
        "appendleft",
        "insert",
        "put",
        "put_nowait",
        "push",
        "extend",
        "update",
        "setdefault",
        "extendleft",
    ]
)
WIDENING: Final = frozenset({"extend", "update", "extendleft"})
"""Of the growing methods those that take a container."""


def is_pure(path: str) -> bool:
    """Return whether a call by this dotted path computes with its arguments alone."""
    end = len(path)
    while end > 0:
        if path[:end] in PURE:
            return True
        end = path.rfind(".", 0, end)
    return False


def runs(path: str) -> bool:
    """Return whether a call by this dotted path runs the functions that it is given.

    A web framework or a bot keeps them for later: that is no call.
    """
    return is_pure(path) or path.rpartition(".")[2] in RUNNERS


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call; ``rest`` are those behind ``*`` and ``**``."""

    positions: tuple[Value, ...] = ()
    names: dict[str, Value] = field(default_factory=dict[str, Value])
    rest: Value = BOTTOM

    def all(self) -> tuple[Value, ...]:
        """Every argument."""
        return (*self.positions, *self.names.values(), self.rest)

    @property
    def total(self) -> Marks:
        """Return what any argument depends on."""
        return NOTHING.union(*(value.total for value in self.all()))

    def words(self) -> frozenset[str]:
        """The strings and dotted names among the arguments."""
        names = frozenset(self.names)
        return names.union(*(value.words() for value in self.all()))

    def without_first(self) -> Arguments:
        """The arguments behind the first position."""
        return Arguments(self.positions[1:], self.names, self.rest)


def _partial(arguments: Arguments) -> Value:
    function = join_all(arguments.positions[:1])
    return function.plus(arguments.without_first().total)


def _enumerate(arguments: Arguments) -> Value:
    item = join_all(value.element() for value in arguments.positions[:1])
    return make(fields={ELEMENT: make(fields={1: item})}).shaped(arguments.total)


def _zip(arguments: Arguments) -> Value:
    parts: dict[Key, Value] = {at: value.element() for at, value in enumerate(arguments.positions)}
    return make(fields={ELEMENT: make(fields=parts)}).shaped(arguments.total)


def _pick(arguments: Arguments) -> Value:
    picked = [value.element() for value in arguments.positions]
    return join_all([*picked, *arguments.positions[1:]]).plus(arguments.total)


Rule = Callable[[Arguments], Value]
KNOWN: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "enumerate": _enumerate,
        "zip": _zip,
        **dict.fromkeys(
            {"cast", "typing.cast", *DEFAULTS},
            lambda arguments: join_all(arguments.positions[1:]),
        ),
        **dict.fromkeys(PARTIAL, _partial),
        **dict.fromkeys(PICKS, _pick),
    }
)
"""Calls known by name, with what they return."""

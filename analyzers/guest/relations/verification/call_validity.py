"""Validity of an API's calls, and whether anything can be compared with it."""

from __future__ import annotations

import ctypes
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Container, Generator, Iterator, Mapping, Optional, Sequence

from ..library_calls import copy_call, exception_outcome, live_call, parse_call
from ..process_pool import Begin, ReplaceProcess
from ..relation_types import SUCCESS, Library, LibraryApi, LiveCall
from ..synthesis.parameter_matching import types_of


@dataclass(frozen=True)
class CallRun:
    """Run of a call: its end, its value, and the copies that it ran on, perhaps changed by it."""

    status: str
    value: Any
    live: LiveCall

    @property
    def succeeded(self) -> bool:
        """Return whether there is a value."""
        return self.status == SUCCESS


def run_call(live: LiveCall, library: Library) -> CallRun:
    """Run a call on what it has, which must be a copy, from the first random number."""
    library.seed()
    return attempted(live.run, live)


def attempted(function: Callable[[], Any], live: LiveCall) -> CallRun:
    """Return the end of whatever runs in the name of a call."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function()
    except Exception as error:
        return CallRun(exception_outcome(error).status, None, live)
    return CallRun(SUCCESS, value, live)


def arrays(value: Any, library: Library) -> Iterator[Any]:
    """Yield the arrays in a value, also inside containers."""
    if library.is_array(value):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays(item, library)
    elif isinstance(value, dict):
        yield from arrays(list(value.values()), library)


def given(live: LiveCall) -> list[Any]:
    """Return all that a call is given, in order."""
    return [*live.arguments, *live.keywords.values(), *(live.inputs or ())]


def plain(value: Any, library: Library) -> list[tuple[str, tuple[int, ...], Any]]:
    """Return the arrays in a value as NumPy has them; those that cannot be read are left out."""
    found = []
    for array in arrays(value, library):
        try:
            found.append(library.plain(array))
        except Exception:
            continue
    return found


RANDOM, UNINITIALISED = "random", "uninitialised"
_PERTURB = -6
_PATTERNS = (0x15, 0x5A)
_MOST_BYTES = 1 << 22


def nondeterminism(live: LiveCall, library: Library) -> Optional[str]:
    """Return ``random`` or ``uninitialised`` where two runs differ; a layer is made once."""
    made: Any = None
    if live.inputs is not None:
        library.seed()
        given = copy_call(live, library)
        made = attempted(lambda: live.function(*given.arguments, **given.keywords), given).value

    def again(*, seeded: bool = True) -> CallRun:
        own = copy_call(live, library)
        if seeded:
            library.seed()
        return attempted(own.run if made is None else lambda: made(*(own.inputs or ())), own)

    first = again()
    if not first.succeeded:
        return None
    sizes = [item[2].nbytes for item in plain(first.value, library)]
    with _filled(sizes, _PATTERNS[0]):
        one = again()
    with _filled(sizes, _PATTERNS[1]):
        other = again()
    if _differ(one, other, library):
        return UNINITIALISED
    return RANDOM if _differ(first, again(seeded=False), library) else None


def _differ(one: CallRun, other: CallRun, library: Library) -> bool:
    bits = [
        [
            (dtype, shape, elements.tobytes())
            for dtype, shape, elements in plain(each.value, library)
        ]
        for each in (one, other)
    ]
    kinds = (bool, int, float, complex, str)
    scalars = isinstance(one.value, kinds) and isinstance(other.value, kinds)
    is_same = not scalars or repr(one.value) == repr(other.value)
    return one.status != other.status or bits[0] != bits[1] or not is_same


@contextmanager
def _filled(sizes: list[int], pattern: int) -> Generator[None, None, None]:
    import numpy as np

    libc = ctypes.CDLL(None)  # what it hands out is full of a byte, and so are the blocks freed
    libc.mallopt(_PERTURB, pattern)
    for size in sizes:
        if 0 < size <= _MOST_BYTES:
            held = [np.full(size, pattern, np.uint8) for _ in range(8)]
            del held
    try:
        yield
    finally:
        libc.mallopt(_PERTURB, 0)


_KEPT = (
    "get_default_dtype",
    "get_default_device",
    "get_num_threads",
    "get_float32_matmul_precision",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_autocast_cpu_enabled",
    "is_anomaly_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "are_deterministic_algorithms_enabled",
    "is_warn_always_enabled",
)
"""Functions of torch that tell a setting."""

ProcessSettings = tuple[str, ...]


def settings_reader(library: Library) -> Callable[[], ProcessSettings]:
    """Return a function that gives the library's settings as they are when it is called."""
    module = library.namespace.get(library.name)
    getters: list[Any] = [getattr(module, name, None) for name in _KEPT]
    known = [getter for getter in getters if getter is not None]
    return lambda: tuple([repr(getter()) for getter in known])


UNSAFE = "unsafe"
STEADY = 4
"""How many calls of an API are looked at more closely."""

Texts = dict[str, list[str]]


def live_call_of(text: str, library: Library) -> Optional[LiveCall]:
    """Return the call that a text is, ``None`` where it cannot be made."""
    try:
        return live_call(parse_call(text, library), library)
    except Exception:
        return None


@dataclass
class CallValidation:
    """Work of a pool: an item is one of ``apis``, its steps are its calls.

    Reports, for each call that succeeds, ``{"call": text, "types": …}`` with
    the types that it gives to the parameters that are ``known``; and
    ``{"status": …}`` once where the API is random, shows uninitialised memory
    or changes what the library keeps: then nothing more is tried.  Whoever
    listens puts such APIs into ``excluded``.
    """

    apis: Sequence[str]
    calls: Texts
    library: Library
    excluded: Container[str] = ()
    known: Mapping[str, LibraryApi] = field(default_factory=dict)

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Try the calls from ``start`` on."""
        if self.apis[item] in self.excluded:
            return
        settings = settings_reader(self.library)
        before = settings()
        texts = self.calls[self.apis[item]]
        for step in range(start, len(texts)):
            begin(step, texts[step])
            live = self._succeeded(texts[step])
            if live is None:
                continue
            status = self._status(texts[step], closely=step < STEADY)
            if settings() != before:
                report({"status": UNSAFE})
                raise ReplaceProcess
            if status is not None:
                report({"status": status})
                return
            report({"call": texts[step], "types": self._types(live)})

    def _succeeded(self, text: str) -> Optional[LiveCall]:
        live = live_call_of(text, self.library)
        return live if live is not None and run_call(live, self.library).succeeded else None

    def _types(self, live: LiveCall) -> dict[str, str]:
        api = self.known.get(live.api)
        return {} if api is None else types_of(api, live, self.library)

    def _status(self, text: str, *, closely: bool) -> Optional[str]:
        live = live_call_of(text, self.library) if closely else None
        return None if live is None else nondeterminism(live, self.library)

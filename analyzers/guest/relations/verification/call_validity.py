"""Which calls of an API succeed here, and whether anything can be compared with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Container, Dict, List, Mapping, Optional, Sequence, Tuple

from ..library_calls import live_call, parse_call
from ..process_pool import Begin, ReplaceProcess
from ..relation_types import Library, LibraryApi, LiveCall
from ..synthesis.parameter_binding import types_of
from .call_runs import nondeterminism, run_call

_KEPT: Dict[str, Tuple[str, ...]] = {
    "torch": (
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
    ),
    "numpy": ("geterr", "getbufsize", "get_printoptions"),
}
"""Functions of a library that tell a setting, by the library's name."""

ProcessSettings = Tuple[str, ...]


def settings_reader(library: Library) -> Callable[[], ProcessSettings]:
    """A function that gives the library's settings as they are when it is called."""
    module = library.namespace.get(library.name)
    getters: List[Any] = [getattr(module, name, None) for name in _KEPT.get(library.name, ())]
    known = [getter for getter in getters if getter is not None]
    return lambda: tuple([repr(getter()) for getter in known])


UNSAFE = "unsafe"
STEADY = 4
"""How many calls of an API are looked at more closely."""

Texts = Dict[str, List[str]]


def live_call_of(text: str, library: Library) -> Optional[LiveCall]:
    """The call that a text is, ``None`` where it cannot be made."""
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

    def _types(self, live: LiveCall) -> Dict[str, str]:
        api = self.known.get(live.api)
        return {} if api is None else types_of(api, live, self.library)

    def _status(self, text: str, *, closely: bool) -> Optional[str]:
        live = live_call_of(text, self.library) if closely else None
        return None if live is None else nondeterminism(live, self.library)

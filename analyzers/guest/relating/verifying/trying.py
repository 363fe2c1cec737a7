"""Which calls of an API succeed here, and whether anything can be compared with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Container, Dict, List, Mapping, Optional, Sequence

from ..calls import made, read
from ..libraries.library import Library
from ..nouns import Api, Live
from ..running import Anew, Begin
from ..typed import types_of
from .runs import ran
from .settings import settings_of
from .steadiness import unsteadiness

UNSAFE = "unsafe"
STEADY = 4
"""How many calls of an API are looked at more closely."""

Texts = Dict[str, List[str]]


def live_of(text: str, library: Library) -> Optional[Live]:
    """The call that a text is, ``None`` where it cannot be made."""
    try:
        return made(read(text, library), library)
    except Exception:
        return None


@dataclass
class Trying:
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
    known: Mapping[str, Api] = field(default_factory=dict)

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Try the calls from ``start`` on."""
        if self.apis[item] in self.excluded:
            return
        settings = settings_of(self.library)
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
                raise Anew
            if status is not None:
                report({"status": status})
                return
            report({"call": texts[step], "types": self._types(live)})

    def _succeeded(self, text: str) -> Optional[Live]:
        live = live_of(text, self.library)
        return live if live is not None and ran(live, self.library).succeeded else None

    def _types(self, live: Live) -> Dict[str, str]:
        api = self.known.get(live.api)
        return {} if api is None else types_of(api, live, self.library)

    def _status(self, text: str, *, closely: bool) -> Optional[str]:
        live = live_of(text, self.library) if closely else None
        return None if live is None else unsteadiness(live, self.library)

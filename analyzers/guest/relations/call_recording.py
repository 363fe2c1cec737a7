"""Records the library calls that a project makes, through a ``TorchFunctionMode``."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType, FunctionType
from typing import Any, Callable, Generator, Iterator, Optional

from ..runtime.call_outcomes import function_at
from .library_calls import copy_call
from .relation_types import Library, LiveCall

MOST = 2_000
MOST_A_SITE = 20
MOST_ELEMENTS = 1 << 14
_NESTED = 4
Inside = Callable[[str], bool]


@dataclass(frozen=True)
class RecordedCall:
    """A call of ``api`` that was seen: the deepest frame in the project's own code.

    ``live`` has the values as they were before the call, ``given`` the very
    objects of the call; both are ``None`` where they are too large to be kept.
    """

    api: str
    path: str
    line: int
    function: str
    live: Optional[LiveCall] = None
    given: Optional[LiveCall] = None

    @property
    def site(self) -> tuple[str, str, int]:
        """Return what is called and where."""
        return self.api, self.path, self.line


Watch = Callable[[Optional[RecordedCall]], None]


@dataclass
class Recording:
    """The calls seen so far; ``left_out`` were made beyond the bounds on their number."""

    calls: list[RecordedCall] = field(default_factory=list)
    left_out: int = 0


@dataclass(frozen=True)
class RecordingBounds:
    """Bounds of a recording: ``apis`` (``None``: all), calls, and array ``elements`` in a call."""

    apis: Optional[frozenset[str]] = None
    most: int = MOST
    a_site: int = MOST_A_SITE
    elements: int = MOST_ELEMENTS


@contextmanager
def recording_calls(
    library: Library,
    inside: Inside,
    bounds: RecordingBounds = RecordingBounds(),
    watch: Optional[Watch] = None,
) -> Generator[Recording, None, None]:
    """Record torch calls under a project's frame; ``watch`` hears each, and ``None`` after it."""
    recording = Recording()
    torch = sys.modules.get("torch")
    if not hasattr(torch, "overrides"):
        yield recording
        return
    recorder = _Recorder(library, inside, bounds, recording, watch)
    with function_mode(recorder.call):
        yield recording


def function_mode(call: Callable[..., Any]) -> Any:
    """Return a ``TorchFunctionMode`` that makes each call by ``call(function, args, kwargs)``."""
    from torch.overrides import TorchFunctionMode

    def seen(
        mode: Any, function: Any, types: Any, arguments: Any = (), keywords: Any = None
    ) -> Any:
        del mode, types
        return call(function, arguments, keywords or {})

    return type("Seeing", (TorchFunctionMode,), {"__torch_function__": seen})()


@dataclass
class _Recorder:
    library: Library
    inside: Inside
    bounds: RecordingBounds
    recording: Recording
    watch: Optional[Watch]
    names: dict[Any, Optional[str]] = field(default_factory=dict)
    own: dict[str, bool] = field(default_factory=dict)
    defaults: dict[Any, dict[str, Any]] = field(default_factory=dict)
    counts: Counter[tuple[str, str, int]] = field(default_factory=Counter)

    def call(self, function: Any, arguments: Any, keywords: Any) -> Any:
        seen = self._seen(function, arguments, keywords)
        if seen is None or self.watch is None:
            return function(*arguments, **keywords)
        self.watch(seen)
        try:
            return function(*arguments, **keywords)
        finally:
            self.watch(None)

    def _seen(self, function: Any, arguments: Any, keywords: Any) -> Optional[RecordedCall]:
        api = self._named(function)
        frame = None if api is None else self._frame(inspect.currentframe())
        if api is None or frame is None:
            return None
        path, line = frame.f_code.co_filename, frame.f_lineno
        site = api, path, line
        bounds, calls = self.bounds, self.recording.calls
        if self.counts[site] >= bounds.a_site or len(calls) >= bounds.most:
            self.recording.left_out += 1
            return RecordedCall(*site, function_at(path, line)) if self.watch else None
        self.counts[site] += 1
        given = LiveCall(api, function, list(arguments), self._said(function, keywords))
        live = self._copied(given)
        seen = RecordedCall(*site, function_at(path, line), live, live and given)
        calls.append(seen)
        return seen

    def _said(self, function: Any, keywords: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords without those that only repeat a default, as wrappers do."""
        if not isinstance(function, FunctionType):
            return dict(keywords)
        if function not in self.defaults:
            taken = inspect.signature(function).parameters
            self.defaults[function] = {name: each.default for name, each in taken.items()}
        usual = self.defaults[function]
        return {n: value for n, value in keywords.items() if not _is_same(value, usual.get(n))}

    def _named(self, function: Any) -> Optional[str]:
        try:
            if function not in self.names:
                name = self.library.named(function)
                wanted = self.bounds.apis is None or name in self.bounds.apis
                self.names[function] = name if wanted else None
            return self.names[function]
        except TypeError:
            return None

    def _frame(self, frame: Optional[FrameType]) -> Optional[FrameType]:
        while frame is not None:
            file = frame.f_code.co_filename
            if file not in self.own:
                self.own[file] = self.inside(file)
            if self.own[file]:
                return frame
            frame = frame.f_back
        return None

    def _copied(self, given: LiveCall) -> Optional[LiveCall]:
        library, left = self.library, self.bounds.elements
        for value in _values([*given.arguments, *given.keywords.values()]):
            left -= int(value.numel()) if library.is_array(value) else 1
            if left < 0:
                return None
        try:
            return copy_call(given, library)
        except Exception:
            return None


def _is_same(value: Any, default: Any) -> bool:
    plain = (bool, int, float, str, tuple)
    alike = type(value) is type(default) and isinstance(value, plain)
    return value is default or (alike and repr(value) == repr(default))


def _values(values: Any, depth: int = 0) -> Iterator[Any]:
    for value in values:
        if type(value) in (list, tuple) and depth < _NESTED:
            yield from _values(value, depth + 1)
        else:
            yield value

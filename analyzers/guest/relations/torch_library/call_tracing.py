"""The calls of torch's public callables while something runs.

Those from outside torch are seen as a ``TorchFunctionMode`` sees them; those of
its own Python functions and layers, by each other too, as frames begin.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..relation_types import LAYER, Library, LiveCall

MOST_SECONDS = 0.5


class TracingTimeout(BaseException):
    """What was traced is slow; it must not be caught by what runs."""


def traced(
    run: Callable[[], Any], library: Library, seconds: float = MOST_SECONDS
) -> List[LiveCall]:
    """The calls made by ``run``, whose arguments are copies from before each call.

    Its errors end it and nothing else.  A call that raised is among them.
    """
    tracer = _Tracer(library, time.monotonic() + seconds)
    before = sys.getprofile()
    with _mode()(tracer.seen):
        sys.setprofile(tracer.profiled)
        try:
            run()
        except (Exception, TracingTimeout):
            pass
        finally:
            tracer.over = True
            sys.setprofile(before if callable(before) else None)
    return tracer.found


class _Tracer:
    """Collects calls until a deadline."""

    def __init__(self, library: Library, deadline: float) -> None:
        self.found: List[LiveCall] = []
        self._library, self._deadline = library, deadline
        self._codes, self._layers = _codes(library), _layers(library)
        self._made: Dict[int, Tuple[Any, LiveCall]] = {}
        self._busy = False
        self.over = False

    def seen(self, function: Any, arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> None:
        """A call that the mode saw."""
        name = self._library.named(function)
        if name is not None and not self._busy:
            self._keep(name, list(arguments), dict(keywords))

    def profiled(self, frame: Any, event: str, _argument: Any) -> None:
        """Something that ``sys.setprofile`` tells of."""
        if event != "call" or self._busy or self.over:
            return
        if time.monotonic() > self._deadline:
            self.over = True
            raise TracingTimeout
        code = frame.f_code
        if code in self._codes:
            self._keep(self._codes[code], *_given(frame, self._library.function(self._codes[code])))
        elif code.co_name == "__init__":
            self._constructed(frame)
        elif code.co_name == "_call_impl":
            self._called(frame)

    def _keep(self, name: str, arguments: List[Any], keywords: Dict[str, Any]) -> None:
        self._busy = True
        try:
            copied = self._library.copied
            given = [copied(item) for item in arguments]
            named = {key: copied(item) for key, item in keywords.items()}
            self.found.append(LiveCall(name, self._library.function(name), given, named))
        finally:
            self._busy = False

    def _constructed(self, frame: Any) -> None:
        """A layer is made: its outermost constructor is kept until it is called."""
        new = frame.f_locals.get("self")
        name = self._layers.get(type(new))
        if name is None or id(new) in self._made:
            return
        function = type(new).__init__
        if frame.f_code is not getattr(function, "__code__", None):
            return
        arguments, keywords = _given(frame, function)
        live = LiveCall(name, type(new), arguments[1:], keywords)
        self._made[id(new)] = new, live

    def _called(self, frame: Any) -> None:
        layer, live = self._made.get(id(frame.f_locals.get("self")), (None, None))
        if layer is None or live is None or frame.f_locals.get("kwargs"):
            return
        self._busy = True
        try:
            inputs = [self._library.copied(item) for item in frame.f_locals["args"]]
            self.found.append(
                LiveCall(live.api, live.function, live.arguments, live.keywords, inputs)
            )
        finally:
            self._busy = False


def _codes(library: Library) -> Dict[Any, str]:
    """The names of the public functions that are Python, by their code."""
    named = {}
    for api in library.apis():
        code = getattr(library.function(api.name), "__code__", None)
        if code is not None and api.kind != LAYER:
            named[code] = api.name
    return named


def _layers(library: Library) -> Dict[Any, str]:
    layers = (api.name for api in library.apis() if api.kind == LAYER)
    return {library.function(name): name for name in layers}


def _given(frame: Any, function: Any) -> Tuple[List[Any], Dict[str, Any]]:
    """What a frame that begins was given, without what is as the defaults have it."""
    code, has = frame.f_code, frame.f_locals
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    after = count + only
    variadic = has.get(names[after]) if code.co_flags & 0x04 else ()
    defaults = _defaults(function, names[:count])
    arguments: List[Any] = []
    keywords: Dict[str, Any] = {}
    for at, name in enumerate(names[:count]):
        left_out = not variadic and name in defaults and has.get(name) is defaults[name]
        if not left_out and len(arguments) == at:
            arguments.append(has.get(name))
        elif not left_out:
            keywords[name] = has.get(name)
    usual = getattr(function, "__kwdefaults__", None) or {}
    for name in names[count:after]:
        if name not in usual or has.get(name) is not usual[name]:
            keywords[name] = has.get(name)
    if code.co_flags & 0x08:
        keywords.update(has.get(names[after + bool(code.co_flags & 0x04)]) or {})
    return arguments + list(variadic or ()), keywords


def _defaults(function: Any, names: Tuple[str, ...]) -> Dict[str, Any]:
    known: Optional[Tuple[Any, ...]] = getattr(function, "__defaults__", None)
    return dict(zip(names[len(names) - len(known) :], known)) if known else {}


_MODES: List[Any] = []


def _mode() -> Any:
    """The mode, a class that needs torch to be written."""
    if not _MODES:
        from torch.overrides import TorchFunctionMode

        class Watching(TorchFunctionMode):  # type: ignore[misc]
            def __init__(self, seen: Callable[..., None]) -> None:
                super().__init__()
                self.seen = seen

            def __torch_function__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                del types
                self.seen(func, args, kwargs or {})
                return func(*args, **(kwargs or {}))

        _MODES.append(Watching)
    return _MODES[0]

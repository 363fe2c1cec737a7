"""The calls of torch's public callables while something runs, by mode and by frames."""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any, Callable, Iterator, Optional, Sequence

from ...inputs.recipes import BadRecipe, DisplayRecipe, LiteralRecipe, PairsRecipe, Recipe, literal
from ...inputs.recipes import CallRecipe as Called
from ..call_recording import function_mode
from ..library_calls import call_text, live_call
from ..relation_types import LAYER, CallSource, Library, LiveCall
from .torch_recipes import MOST_ELEMENTS, is_tensor

MOST_SECONDS = 0.5


class TracingTimeout(BaseException):
    """Interruption of a slow run that is traced; it must not be caught by what runs."""


def traced(
    run: Callable[[], Any], library: Library, seconds: float = MOST_SECONDS
) -> list[LiveCall]:
    """Return the calls that ``run`` made, failed ones too, with copies of arguments from before."""
    tracer = _Tracer(library, time.monotonic() + seconds)
    before = sys.getprofile()
    with function_mode(tracer.seen):
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
    def __init__(self, library: Library, deadline: float) -> None:
        self.found: list[LiveCall] = []
        self._library, self._deadline = library, deadline
        layers = (api.name for api in library.apis() if api.kind == LAYER)
        self._codes = _codes(library)
        self._layers = {library.function(name): name for name in layers}
        self._made: dict[int, tuple[Any, LiveCall]] = {}
        self._busy = False
        self.over = False

    def seen(self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Keep a call that the mode saw, and make it."""
        name = self._library.named(function)
        if name is not None and not self._busy:
            self._keep(name, list(arguments), dict(keywords))
        return function(*arguments, **keywords)

    def profiled(self, frame: Any, event: str, _argument: Any) -> None:
        """Keep a call that ``sys.setprofile`` reports."""
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

    def _keep(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self._busy = True
        try:
            copied = self._library.copied
            given = [copied(item) for item in arguments]
            named = {key: copied(item) for key, item in keywords.items()}
            self.found.append(LiveCall(name, self._library.function(name), given, named))
        finally:
            self._busy = False

    def _constructed(self, frame: Any) -> None:
        """Keep a layer's outermost constructor until the layer is called."""
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


def _codes(library: Library) -> dict[Any, str]:
    named = {}
    for api in library.apis():
        code = getattr(library.function(api.name), "__code__", None)
        if code is not None and api.kind != LAYER:
            named[code] = api.name
    return named


def _given(frame: Any, function: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return what a frame that begins was given, without what is as the defaults have it."""
    code, has = frame.f_code, frame.f_locals
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    after = count + only
    variadic = has.get(names[after]) if code.co_flags & 0x04 else ()
    known: tuple[Any, ...] = getattr(function, "__defaults__", None) or ()
    defaults = dict(zip(names[count - len(known) : count], known))
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
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


Form = tuple[Any, ...]


def most_different(lives: Sequence[LiveCall]) -> list[LiveCall]:
    """Return all of them, in an order in which those of new forms come early, small ones first."""
    forms: dict[Form, list[LiveCall]] = {}
    for live in sorted(lives, key=_is_large):
        forms.setdefault(form(live), []).append(live)
    ordered: list[LiveCall] = []
    at = 0
    while len(ordered) < len(lives):
        ordered += [group[at] for group in forms.values() if at < len(group)]
        at += 1
    return ordered


def form(live: LiveCall) -> Form:
    """Return what kinds of values a call is given, and under which names."""
    inputs = () if live.inputs is None else tuple(_form(item) for item in live.inputs)
    named = tuple((name, _form(item)) for name, item in sorted(live.keywords.items()))
    return (live.api, tuple(_form(item) for item in live.arguments), named, inputs)


def _form(value: Any) -> Any:
    if is_tensor(value):
        return "tensor", value.dim(), value.numel() == 0, str(value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value).__name__, len(value), tuple(_form(item) for item in value[:2])
    if isinstance(value, (bool, str, type(None))):
        return value
    if isinstance(value, (int, float)):
        return type(value).__name__, (value > 0) - (value < 0)
    return type(value).__name__


def _is_large(live: LiveCall) -> bool:
    """Return whether a tensor has more elements than are written out."""
    given = [*live.arguments, *live.keywords.values(), *(live.inputs or ())]
    return any(is_tensor(item) and item.numel() > MOST_ELEMENTS for item in given)


MOST_REMADE = 2048
"""How many elements a tensor has at most that is drawn anew."""


def kept(live: LiveCall, library: Library) -> Optional[CallSource]:
    """Return the text of a call, tried with smaller tensors where they are large, or ``None``."""
    for spelling in (library.recipe_of, partial(remade, library)):
        try:
            call = call_text(live, library, spelling)
        except BadRecipe:
            continue
        return call if succeeds(call, library) else None
    return None


def succeeds(call: CallSource, library: Library) -> bool:
    """Return whether a call, made anew, returns."""
    library.seed()
    try:
        live_call(call, library).run()
    except Exception:
        return False
    return True


def several(lives: Sequence[LiveCall], library: Library, most: int) -> Iterator[CallSource]:
    """Yield the first calls that can be kept, each text once."""
    seen: set[str] = set()
    for live in lives:
        if len(seen) >= most:
            return
        call = kept(live, library)
        if call is not None and call.source() not in seen:
            seen.add(call.source())
            yield call


def remade(library: Library, value: Any) -> Recipe:
    """The recipe of a value like this one, its large tensors drawn anew within their range."""
    kind = type(value)
    if kind in (list, tuple):
        return DisplayRecipe(kind.__name__, tuple(remade(library, item) for item in value))
    if kind is dict:
        return PairsRecipe(
            tuple((literal(key), remade(library, item)) for key, item in value.items())
        )
    try:
        return library.recipe_of(value)
    except BadRecipe:
        if not library.is_array(value):
            raise
    return _drawn(value)


def _drawn(value: Any) -> Recipe:
    import torch

    if value.layout != torch.strided or not 0 < value.numel() <= MOST_REMADE:
        raise BadRecipe("it cannot be drawn")
    try:
        low, high = _range(value.detach())
    except RuntimeError as error:
        raise BadRecipe("it cannot be drawn") from error
    dtype = str(value.dtype).rpartition(".")[2]
    keywords = [("seed", 1), ("low", low), ("high", high)]
    if value.requires_grad:
        keywords.append(("requires_grad", True))
    shape = literal(tuple(value.shape))
    more = tuple((name, LiteralRecipe(number)) for name, number in keywords)
    return Called("tensor", (shape, LiteralRecipe(dtype)), more)


def _range(value: Any) -> tuple[Any, Any]:
    import torch

    if value.is_complex():
        value = torch.view_as_real(value.resolve_conj())
    if value.dtype == torch.bool:
        return 0, 1
    wide = value.to(torch.float64) if value.is_floating_point() else value.to(torch.int64)
    low, high = wide.min().item(), wide.max().item()
    if isinstance(low, int):
        return low, high
    return float(f"{low:.3g}"), float(f"{high:.3g}")

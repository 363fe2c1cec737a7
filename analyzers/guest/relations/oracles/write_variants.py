"""Oracles for writes: into arguments, ``out=``, in place and into overlapping memory."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from functools import cache, partial
from inspect import signature
from typing import Any, Callable, Iterator, Optional

from ..library_calls import format_value
from ..relation_types import STATUS, SUCCESS, VALUE, CallOutcome, Disagreement, Library, LiveCall
from ..result_comparison import MISSING, difference
from .call_under_test import CallUnderTest
from .call_values import may_write, operands, writes

ARGUMENTS = "arguments"
ARGUMENTS_RELATED = "its own arguments, which it should leave as they are"


def judge_arguments(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the arguments that differ after a call whose schema does not say it writes them."""
    copied = trial.copied(trial.live)
    trial.attempt(copied.run)
    for old, new in zip(operands(trial.live), operands(copied)):
        if (
            _is_read(old)
            and bool(_bits(old, trial.library) != _bits(new, trial.library))
            and not _is_told(trial)
        ):
            outcome = CallOutcome(
                SUCCESS, f"an argument is {format_value(new.detach())} after the call"
            )
            expected = CallOutcome(SUCCESS, f"it stays {format_value(old.detach())}")
            yield Disagreement(
                trial.live.api, ARGUMENTS_RELATED, ARGUMENTS, VALUE, outcome, expected
            )
            return


def _is_read(leaf: Any) -> bool:
    import torch

    return type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided


def _bits(tensor: Any, library: Library) -> Any:
    dtype, shape, elements = library.plain(tensor.detach())
    return dtype, tuple(shape), elements.tobytes()


def _is_told(trial: CallUnderTest) -> bool:
    """Return whether an operator in the call says that it writes to an argument."""
    live = trial.copied(trial.live)
    mode = _mode()(_memory(operands(live)))
    with mode:
        trial.attempt(live.run)
    return bool(mode.wrote)


def _memory(values: Any) -> frozenset[int]:
    return frozenset(leaf.untyped_storage().data_ptr() for leaf in values if _is_read(leaf))


@cache
def _mode() -> type[Any]:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watching(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self, memory: frozenset[int]) -> None:
            super().__init__()
            self.wrote = False
            self._memory = memory

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            written = _memory(_written_arguments(func, args, named))
            self.wrote = self.wrote or bool(written & self._memory)
            return func(*args, **named)

    return Watching


def _written_arguments(func: Any, args: tuple[Any, ...], named: Any) -> Iterator[Any]:
    for number, parameter in enumerate(func._schema.arguments):
        if parameter.alias_info is not None and parameter.alias_info.is_write:
            given = args[number] if number < len(args) else named.get(parameter.name)
            yield from operands(LiveCall("", func, [given]))


OUT = "out"
OUT_RELATED = "the same call with out="
_DOCUMENTED = re.compile(r"\bout *(=|\()")


def judge_out(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Judge writes into ``out=``: an empty tensor, and one of the right shape with gaps."""
    live = trial.live
    if live.inputs is not None or "out" in live.keywords:
        return
    if not _DOCUMENTED.search(str(live.function.__doc__)):
        return
    if _outs(trial.value, lambda tensor: tensor) is None:
        return
    for make in (_empty, _with_gaps):
        written = trial.attempt(partial(_written_to_out, trial, make))
        if written is MISSING:
            return
        disagreement = trial.disagreement(OUT, OUT_RELATED, written)
        if disagreement is not None:
            yield disagreement
            return


def _written_to_out(trial: CallUnderTest, make: Callable[[Any], Any]) -> Any:
    out = _outs(trial.value, make)
    live = trial.copied(trial.live)
    trial.library.seed()
    live.function(*live.arguments, **live.keywords, out=out)
    return out


def _outs(value: Any, make: Callable[[Any], Any]) -> Optional[Any]:
    """The tensors to write into: one, or a tuple of them; ``None`` where results are others."""
    import torch

    if isinstance(value, torch.Tensor):
        return make(value) if _is_dense(value) else None
    if isinstance(value, tuple) and value and all(map(_is_dense, value)):
        made: tuple[Any, ...] = tuple(make(item) for item in value)
        return made
    return None


def _is_dense(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.layout is torch.strided


def _empty(value: Any) -> Any:
    import torch

    return torch.empty(0, dtype=value.dtype)


def _with_gaps(value: Any) -> Any:
    import torch

    return torch.ones((*value.shape, 2), dtype=value.dtype)[..., 0]


IN_PLACE = "in-place"
_PLACES = ("torch.Tensor.", "torch.special.", "torch.")


def judge_in_place(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield ``x.f_()`` and ``inplace=True`` against ``f(x)``."""
    if writes(trial.live.api) or trial.live.inputs is not None or not _keeps(trial):
        return
    name, live = _in_place(trial)
    if live is not None:
        yield from trial.compared(
            IN_PLACE, f"the same call as {name}", lambda: _subject(trial, live)
        )


def _keeps(trial: CallUnderTest) -> bool:
    import torch

    given = trial.live.arguments[0] if trial.live.arguments else None
    value = trial.value
    if not isinstance(given, torch.Tensor) or not isinstance(value, torch.Tensor):
        return False
    return may_write(trial.live, value)


def _subject(trial: CallUnderTest, live: LiveCall) -> Any:
    """Return the first argument, after the call has written into it."""
    import torch

    copied = trial.copied(live)
    copied.arguments[0] = copied.arguments[0].detach()
    trial.library.seed()
    with torch.no_grad():
        copied.run()
    return copied.arguments[0]


def _in_place(trial: CallUnderTest) -> Any:
    live = trial.live
    method = _method(live.api)
    if method is not None:
        name, function = method
        return name, LiveCall(live.api, function, live.arguments, live.keywords)
    keywords = {**live.keywords, "inplace": True}
    with suppress(TypeError, ValueError):
        if "inplace" not in live.keywords and "inplace" in signature(live.function).parameters:
            made = LiveCall(live.api, live.function, live.arguments, keywords)
            return f"{live.api}(…, inplace=True)", made
    return "", None


def _method(api: str) -> Any:
    import torch

    for prefix in _PLACES:
        name = api[len(prefix) :]
        if api.startswith(prefix) and "." not in name:
            function = getattr(torch.Tensor, f"{name}_", None)
            return None if function is None else (f"torch.Tensor.{name}_", function)
    return None


OVERLAP = "overlap"


def judge_overlap(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Judge that writing into an expanded tensor is refused, or right."""
    if not writes(trial.live.api):
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        expanded = MISSING
        with suppress(Exception):
            expanded = _on_expanded(trial, dense=False)
    expected = trial.attempt(lambda: _on_expanded(trial, dense=True))
    if expanded is MISSING or expected is MISSING or any("expand" in str(w.message) for w in said):
        return
    if difference(expanded, expected, trial.library, trial.tolerance) is None:
        return
    yield Disagreement(
        trial.live.api,
        "the same call on an expanded tensor, which it should refuse",
        OVERLAP,
        STATUS,
        CallOutcome(SUCCESS, format_value(expanded)),
        CallOutcome("exception", "RuntimeError: unsupported operation (overlapping memory)"),
    )


def _on_expanded(trial: CallUnderTest, *, dense: bool) -> Optional[Any]:
    live = trial.copied(trial.live)
    tensor = live.arguments[0].detach()
    if not tensor.ndim or tensor.shape[0] < 2:
        raise ValueError("nothing to expand")
    expanded = tensor[:1].clone().expand(tensor.shape)
    live.arguments[0] = expanded.contiguous() if dense else expanded
    trial.library.seed()
    live.run()
    return live.arguments[0]

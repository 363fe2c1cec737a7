"""Whether a call leaves its arguments as they were, unless it says that it writes to them."""

from __future__ import annotations

from functools import cache
from typing import Any, FrozenSet, Iterator, Tuple, Type

from ..library_calls import format_value
from ..relation_types import SUCCESS, VALUE, CallOutcome, Disagreement, Library, LiveCall
from .call_under_test import CallUnderTest
from .call_values import operands
from .exemptions import is_exempt

NAME = "arguments"
RELATED = "its own arguments, which it should leave as they are"


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """The arguments after the call against what they were.

    Calls may write to them by operators whose schemas say so: in-place ones,
    and those with ``out=``.
    """
    if trial.library.name != "torch" or is_exempt(NAME, trial.live.api):
        return
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
            yield Disagreement(trial.live.api, RELATED, NAME, VALUE, outcome, expected)
            return


def _is_read(leaf: Any) -> bool:
    import torch

    return type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided


def _bits(tensor: Any, library: Library) -> Any:
    dtype, shape, elements = library.plain(tensor.detach())
    return dtype, tuple(shape), elements.tobytes()


def _is_told(trial: CallUnderTest) -> bool:
    """Whether an operator in the call says that it writes to an argument."""
    live = trial.copied(trial.live)
    mode = _mode()(_memory(operands(live)))
    with mode:
        trial.attempt(live.run)
    return bool(mode.wrote)


def _memory(values: Any) -> FrozenSet[int]:
    """Where the elements of tensors are."""
    return frozenset(leaf.untyped_storage().data_ptr() for leaf in values if _is_read(leaf))


@cache
def _mode() -> Type[Any]:
    """The mode's class, made where torch is at hand."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watching(TorchDispatchMode):  # type: ignore[misc]
        def __init__(self, memory: FrozenSet[int]) -> None:
            super().__init__()
            self.wrote = False
            self._memory = memory

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            written = _memory(_written(func, args, named))
            self.wrote = self.wrote or bool(written & self._memory)
            return func(*args, **named)

    return Watching


def _written(func: Any, args: Tuple[Any, ...], named: Any) -> Iterator[Any]:
    """The arguments that an operator's schema says it writes to."""
    for number, parameter in enumerate(func._schema.arguments):
        if parameter.alias_info is not None and parameter.alias_info.is_write:
            given = args[number] if number < len(args) else named.get(parameter.name)
            yield from operands(LiveCall("", func, [given]))

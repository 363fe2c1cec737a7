"""What a wrong kernel does: to what the right one gives, or to what it is given.

Each takes the right kernel and gives a wrong one of the same parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Kernel = Callable[..., Any]
Change = Callable[[Kernel], Kernel]


def after(change: Callable[..., Any]) -> Change:
    """Change the result: ``change(result, *arguments)``."""
    return lambda right: lambda *given, **named: change(right(*given, **named), *given)


def given(number: int, change: Callable[[Any], Any]) -> Change:
    """Change an argument that is there."""

    def changed(right: Kernel) -> Kernel:
        def wrong(*arguments: Any, **named: Any) -> Any:
            some = list(arguments)
            if number < len(some) and some[number] is not None:
                some[number] = change(some[number])
            return right(*some, **named)

        return wrong

    return changed


def ignored(name: str, value: Any) -> Change:
    """A keyword that counts for nothing."""
    return lambda right: lambda *given, **named: right(*given, **{**named, name: value})


def typed(dtype: torch.dtype, where: Callable[[Any], bool] = lambda _: True) -> Change:
    """A result of another dtype."""
    return after(lambda result, *given: result.to(dtype) if where(given[0]) else result)


nan_lost = after(lambda result, *_: torch.nan_to_num(result, 0.0, torch.inf, -torch.inf))
first_lost = after(lambda result, *_: result.roll(1, -1) if result.dim() else result)
last_wrong = after(
    lambda result, *_: (
        torch.cat([result[..., :-1], result[..., -1:] + 1], -1)
        if result.dim() and result.shape[-1]
        else result
    )
)


def stride_ignorant(right: Kernel) -> Kernel:
    """The elements are read as if they lay side by side."""

    def wrong(first: Any, *given: Any, **named: Any) -> Any:
        if not first.is_contiguous() and first.untyped_storage().nbytes() >= first.nbytes:
            steps = torch.empty(first.shape, device="meta").stride()
            first = first.as_strided(first.shape, steps, 0)
        return right(first, *given, **named)

    return wrong


def spoiling(right: Kernel) -> Kernel:
    """Its argument is changed on the way."""

    def wrong(first: Any, *given: Any, **named: Any) -> Any:
        result = right(first, *given, **named)
        if first.numel() and not first.is_inference():
            first.zero_()
        return result

    return wrong


def unchecked(number: int, axis_of: int = 1) -> Change:
    """Indices past the end are taken for the last ones."""

    def changed(right: Kernel) -> Kernel:
        def wrong(*arguments: Any, **named: Any) -> Any:
            some = list(arguments)
            size = some[0].shape[some[axis_of]] if some[0].dim() else 1
            some[number] = some[number].clamp(0, max(size - 1, 0))
            return right(*some, **named)

        return wrong

    return changed

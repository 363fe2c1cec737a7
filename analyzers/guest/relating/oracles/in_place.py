"""What an operation writes into its own input, against what it returns."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Iterator

from ..nouns import Disagreement, Live
from .exempt import is_exempt
from .trial import Trial
from .writing import may_write, writes

NAME = "in-place"
_PLACES = ("torch.Tensor.", "torch.special.", "torch.")


def judge(trial: Trial) -> Iterator[Disagreement]:
    """``x.f_()`` and ``inplace=True`` against ``f(x)``."""
    if trial.library.name != "torch" or is_exempt(NAME, trial.live.api):
        return
    if not writes(trial.live.api) and trial.live.inputs is None and _keeps(trial):
        yield from _written(trial)


def _keeps(trial: Trial) -> bool:
    """Whether the first argument is a tensor of the result's dtype and shape."""
    import torch

    given = trial.live.arguments[0] if trial.live.arguments else None
    value = trial.value
    if not isinstance(given, torch.Tensor) or not isinstance(value, torch.Tensor):
        return False
    return may_write(trial.live, value)


def _written(trial: Trial) -> Iterator[Disagreement]:
    name, live = _in_place(trial)
    if live is None:
        return
    expected = trial.attempt(lambda: _subject(trial, live))
    disagreement = trial.disagreement(NAME, f"the same call as {name}", expected)
    if disagreement is not None:
        yield disagreement


def _subject(trial: Trial, live: Live) -> Any:
    """The first argument, after the call has written into it."""
    import torch

    copied = trial.copied(live)
    copied.arguments[0] = copied.arguments[0].detach()
    trial.library.seed()
    with torch.no_grad():
        copied.run()
    return copied.arguments[0]


def _in_place(trial: Trial) -> Any:
    """The name and the call of the variant that writes into its input."""
    live = trial.live
    method = _method(live.api)
    if method is not None:
        name, function = method
        return name, Live(live.api, function, live.arguments, live.keywords)
    if _has_inplace(live.function) and "inplace" not in live.keywords:
        keywords = {**live.keywords, "inplace": True}
        return f"{live.api}(…, inplace=True)", Live(
            live.api, live.function, live.arguments, keywords
        )
    return "", None


def _method(api: str) -> Any:
    import torch

    for prefix in _PLACES:
        name = api[len(prefix) :]
        if api.startswith(prefix) and "." not in name:
            function = getattr(torch.Tensor, f"{name}_", None)
            return None if function is None else (f"torch.Tensor.{name}_", function)
    return None


def _has_inplace(function: Callable[..., Any]) -> bool:
    try:
        return "inplace" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False

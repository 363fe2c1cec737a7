"""In-place operations on memory that overlaps itself.

To be asked by name: what the documentation warns of is no fault of a project
that does not do it.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator, Optional

from ..comparing import MISSING, difference
from ..nouns import STATUS, SUCCESS, Disagreement, Outcome
from ..outcomes import shown
from .exempt import ALL, is_exempt
from .trial import Trial
from .writing import writes

NAME = "overlap"


def judge(trial: Trial) -> Iterator[Disagreement]:
    """An expanded tensor must be refused, or written right.

    Torch's documentation of ``expand`` says that writing into one may give
    wrong results; operators check for it and raise, or warn that they will.
    """
    if trial.library.name != "torch" or not writes(trial.live.api):
        return
    if is_exempt(ALL, trial.live.api):
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        expanded = _unless_raised(lambda: _on_expanded(trial, dense=False))
    expected = trial.attempt(lambda: _on_expanded(trial, dense=True))
    if expanded is MISSING or expected is MISSING or any("expand" in str(w.message) for w in said):
        return
    if difference(expanded, expected, trial.library, trial.tolerance) is None:
        return
    yield Disagreement(
        trial.live.api,
        "the same call on an expanded tensor, which it should refuse",
        NAME,
        STATUS,
        Outcome(SUCCESS, shown(expanded)),
        Outcome("exception", "RuntimeError: unsupported operation (overlapping memory)"),
    )


def _unless_raised(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except Exception:
        return MISSING


def _on_expanded(trial: Trial, *, dense: bool) -> Optional[Any]:
    live = trial.copied(trial.live)
    tensor = live.arguments[0].detach()
    if not tensor.ndim or tensor.shape[0] < 2:
        raise ValueError("nothing to expand")
    expanded = tensor[:1].clone().expand(tensor.shape)
    live.arguments[0] = expanded.contiguous() if dense else expanded
    trial.library.seed()
    live.run()
    return live.arguments[0]

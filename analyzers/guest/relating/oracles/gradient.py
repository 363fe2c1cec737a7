"""Gradients: what autograd says against finite differences, in float64.

Along one random direction of all inputs (the directional derivative of a
random weighting of the results, as torch's fast gradcheck).  Where the
differences to both sides, or of both step sizes, do not agree with each
other, the function is not differentiable there and nothing is concluded.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Tuple

from ..comparing import MISSING
from ..nouns import VALUE, Disagreement, Outcome
from .exempt import is_exempt
from .trial import Trial, widened
from .values import changed, leaves, operands

NAME = "gradient"
RELATED = "finite differences of the same call on float64"
MOST_ELEMENTS = 4096
STEPS = (1e-5, 1e-6)
AGREE, WRONG = 1e-4, 1e-2
"""Relative: how near the differences must be to each other, how far autograd from them."""


def judge(trial: Trial) -> Iterator[Disagreement]:
    """The directional derivative by autograd against that by differences."""
    if trial.library.name != "torch" or trial.live.api.endswith("_"):
        return
    if is_exempt(NAME, trial.live.api) or trial.is_open:
        return
    found = trial.attempt(lambda: _derivatives(trial))
    if found is MISSING or found is None:
        return
    analytic, numeric = found
    if abs(analytic - numeric) <= WRONG * max(abs(analytic), abs(numeric), 1e-3):
        return
    yield Disagreement(
        trial.live.api,
        RELATED,
        NAME,
        VALUE,
        Outcome("success", f"directional derivative {analytic:.6g}"),
        Outcome("success", f"directional derivative {numeric:.6g}"),
    )


def _derivatives(trial: Trial) -> Optional[Tuple[float, float]]:
    """By autograd, and by differences; ``None`` where there is no derivative to be had."""
    import torch

    live = widened(trial.copied(trial.live))
    points = _points(live)
    if not points or sum(point.numel() for point in points) > MOST_ELEMENTS:
        return None
    chosen = torch.Generator().manual_seed(0)
    directions = [_direction(point, chosen) for point in points]

    def at(step: float, *, graph: bool = False) -> Tuple[Any, List[Any]]:
        moved = [
            (point.detach() + step * direction).requires_grad_(graph)
            for point, direction in zip(points, directions)
        ]
        rest = dict(zip(map(id, points), moved))
        trial.library.seed()
        with torch.enable_grad():
            value = changed(live, lambda leaf: rest.get(id(leaf), leaf)).run()
        return _results(value), moved

    analytic, differentiable = _by_autograd(at, directions)
    if analytic is None:
        return None
    numeric = _by_differences(lambda step: float(_weighted(at(step)[0], differentiable)))
    return None if numeric is None else (analytic, numeric)


def _points(live: Any) -> List[Any]:
    import torch

    return [
        leaf
        for leaf in operands(live)
        if isinstance(leaf, torch.Tensor)
        and leaf.dtype == torch.float64
        and leaf.layout is torch.strided
        and leaf.numel()
    ]


def _direction(point: Any, chosen: Any) -> Any:
    """A random direction; a symmetric one for symmetric matrices, which functions of such need."""
    import torch

    drawn = torch.randn(point.shape, dtype=torch.float64, generator=chosen)
    square = point.ndim >= 2 and point.shape[-1] == point.shape[-2]
    if square and torch.allclose(point, point.mT):
        return (drawn + drawn.mT) / 2
    return drawn


def _results(value: Any) -> List[Any]:
    import torch

    return [
        leaf
        for leaf in leaves(value)
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()
    ]


def _weighted(results: List[Any], differentiable: List[bool]) -> Any:
    """A number that depends on all results that have a gradient."""
    import torch

    chosen = torch.Generator().manual_seed(1)
    total: Any = torch.zeros((), dtype=torch.float64)
    for result, is_one in zip(results, differentiable):
        weights = torch.rand(result.shape, dtype=torch.float64, generator=chosen) + 0.5
        total = total + (result * weights).sum() if is_one else total
    return total


def _by_autograd(
    at: Callable[..., Any], directions: List[Any]
) -> Tuple[Optional[float], List[bool]]:
    """The derivative, and which results have one."""
    import torch

    results, moved = at(0.0, graph=True)
    differentiable = [result.requires_grad for result in results]
    if not any(differentiable):
        return None, []
    total = _weighted(results, differentiable)
    slopes = torch.autograd.grad(total, moved, allow_unused=True)
    if any(slope is None for slope in slopes):
        return None, []
    along = [(slope * direction).sum() for slope, direction in zip(slopes, directions)]
    return float(sum(along)), differentiable


def _by_differences(value: Callable[[float], float]) -> Optional[float]:
    """The derivative at 0 where left, right and two step sizes agree on it."""
    here = value(0.0)
    found: List[float] = []
    for step in STEPS:
        found += [(value(step) - here) / step, (here - value(-step)) / step]
    size = max(*map(abs, found), 1e-2)
    spread = max(found) - min(found)
    if not spread <= AGREE * size * 10 or not abs(here) < 1e6:
        return None
    return sum(found) / len(found)

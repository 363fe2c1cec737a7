"""Gradients: what autograd says against finite differences, in float64.

Along one random direction of all inputs (the directional derivative of a
random weighting of the results, as torch's fast gradcheck).  Where the
differences to both sides, or of both step sizes, do not agree with each
other, the function is not differentiable there and nothing is concluded.
Where the gradient is right, and itself differentiable, its own derivative
(double backward) is held against differences of it in the same way, along
the inputs and the weighting at once, as ``gradgradcheck`` varies both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Iterator, Optional

from ..relation_types import VALUE, CallOutcome, Disagreement, LiveCall
from ..result_comparison import MISSING
from .call_under_test import CallUnderTest, widened
from .call_values import changed, leaves, operands

NAME = "gradient"
RELATED = "finite differences of the same call on float64"
RELATED_TWICE = "finite differences of its gradient"
MOST_ELEMENTS = 4096
MOST_TWICE = 256
"""Elements of all inputs together: for the gradient, and for that of the gradient."""

STEPS = (1e-5, 1e-6)
AGREE, WRONG = 1e-4, 1e-2
"""Relative: how near the differences must be to each other, how far autograd from them."""


def judge(trial: CallUnderTest) -> Iterator[Disagreement]:
    """Yield the directional derivative by autograd against that by differences, then the second."""
    if trial.live.api.endswith("_") or trial.is_open:
        return
    line = trial.attempt(partial(_moved_inputs, trial))
    if line is MISSING or line is None:
        return
    for related, derivatives in ((RELATED, _once), (RELATED_TWICE, _twice)):
        found = trial.attempt(partial(derivatives, line))
        if found is MISSING or found is None:
            return
        analytic, numeric = found
        size = max(abs(analytic), abs(numeric), 1e-3)
        if not abs(analytic - numeric) <= WRONG * size:  # NaN is not near either
            what = "directional derivative" + (" of the gradient" if derivatives is _twice else "")
            ours, theirs = (CallOutcome("success", f"{what} {each:.6g}") for each in found)
            yield Disagreement(trial.live.api, related, NAME, VALUE, ours, theirs)
            return


@dataclass(frozen=True)
class MovedInputs:
    """The floating inputs of a call on float64, and a direction in which they are moved."""

    trial: CallUnderTest
    live: LiveCall
    points: list[Any]
    directions: list[Any]

    def at(self, step: float, *, graph: bool = False) -> tuple[list[Any], list[Any]]:
        """Return the floating results so many directions from here, if no input is written."""
        import torch

        moved = [
            (point.detach() + step * direction).requires_grad_(graph)
            for point, direction in zip(self.points, self.directions)
        ]
        rest = dict(zip(map(id, self.points), moved))
        self.trial.library.seed()
        with torch.enable_grad():
            value = changed(self.live, lambda leaf: rest.get(id(leaf), leaf)).run()
        written = any(leaf._version for leaf in moved)  # pyright: ignore[reportPrivateUsage]
        return [] if written else _results(value), moved


def _moved_inputs(trial: CallUnderTest) -> Optional[MovedInputs]:
    """Return a random direction through what the call is given; ``None`` where that has none."""
    import torch

    live = widened(trial.copied(trial.live))
    points = _points(live)
    if not points or sum(point.numel() for point in points) > MOST_ELEMENTS:
        return None
    chosen = torch.Generator().manual_seed(0)
    return MovedInputs(trial, live, points, [_direction(point, chosen) for point in points])


def _once(line: MovedInputs) -> Optional[tuple[float, float]]:
    """Return by autograd, and by differences; ``None`` where there is no derivative to be had."""
    analytic, differentiable = _by_autograd(line)
    if analytic is None:
        return None
    numeric = _by_differences(lambda step: float(_weighted(line.at(step)[0], differentiable)))
    return None if numeric is None else (analytic, numeric)


def _twice(line: MovedInputs) -> Optional[tuple[float, float]]:
    """The same of the gradient along another direction; raises where it has no derivative."""
    import torch

    if sum(point.numel() for point in line.points) > MOST_TWICE:
        return None
    across = torch.Generator().manual_seed(2)
    others = [_direction(point, across) for point in line.points]

    def slope(step: float, *, graph: bool = False) -> tuple[Any, list[Any], list[Any]]:
        """Return the gradient along ``others``, what it depends on, and where to that moves."""
        results, moved = line.at(step, graph=True)
        results = [result for result in results if result.requires_grad]
        weights, turns = _weights(results, step)
        slopes = torch.autograd.grad(results, moved, weights, create_graph=graph)
        along = [(each * other).sum() for each, other in zip(slopes, others)]
        return sum(along), [*moved, *weights], [*line.directions, *turns]

    total, variables, directions = slope(0.0, graph=True)
    total.backward()  # which, unlike grad(), runs into what refuses to be differentiated twice
    bends = [(each.grad, way) for each, way in zip(variables, directions)]
    analytic = float(sum((bend * way).sum() for bend, way in bends if bend is not None))
    numeric = _by_differences(lambda step: float(slope(step)[0]))
    return None if numeric is None or not math.isfinite(analytic) else (analytic, numeric)


def _weights(results: list[Any], step: float) -> tuple[list[Any], list[Any]]:
    """Return random weights of results so many random turns from where they were, and the turns."""
    import torch

    chosen = torch.Generator().manual_seed(1)
    weights, turns = [], []
    for result in results:
        first, turn = torch.rand(2, *result.shape, dtype=torch.float64, generator=chosen)
        weights.append((first + 0.5 + step * turn).requires_grad_())
        turns.append(turn)
    return weights, turns


def _points(live: Any) -> list[Any]:
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


def _results(value: Any) -> list[Any]:
    import torch

    found = [
        leaf
        for leaf in leaves(value)
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()
    ]
    return found if all(leaf.dtype == torch.float64 for leaf in found) else []


def _weighted(results: list[Any], differentiable: list[bool]) -> Any:
    import torch

    chosen = torch.Generator().manual_seed(1)
    total: Any = torch.zeros((), dtype=torch.float64)
    for result, is_one in zip(results, differentiable):
        weights = torch.rand(result.shape, dtype=torch.float64, generator=chosen) + 0.5
        total = total + (result * weights).sum() if is_one else total
    return total


def _by_autograd(line: MovedInputs) -> tuple[Optional[float], list[bool]]:
    import torch

    results, moved = line.at(0.0, graph=True)
    differentiable = [result.requires_grad for result in results]
    if not any(differentiable):
        return None, []
    total = _weighted(results, differentiable)
    slopes: list[Any] = list(torch.autograd.grad(total, moved, allow_unused=True))
    if any(slope is None for slope in slopes):
        return None, []
    along = [(slope * direction).sum() for slope, direction in zip(slopes, line.directions)]
    return float(sum(along)), differentiable


def _by_differences(value: Callable[[float], float]) -> Optional[float]:
    """Return the derivative at 0 where left, right and two step sizes agree on it."""
    here = value(0.0)
    found: list[float] = []
    for step in STEPS:
        found += [(value(step) - here) / step, (here - value(-step)) / step]
    size = max(*map(abs, found), 1e-2)
    spread = max(found) - min(found)
    if not spread <= AGREE * size * 10 or not abs(here) < 1e6:
        return None
    return sum(found) / len(found)

"""Named axes: ``rearrange(x, "b c h w -> b h w c")`` without brackets."""

import numpy as np
import torch


def parse(pattern: str):
    """Split a pattern into the names on its two sides."""
    if pattern.count("->") != 1:
        raise ValueError(f"a pattern has one arrow: {pattern!r}")
    left, right = (side.split() for side in pattern.split("->"))
    if len(set(left)) != len(left):
        raise ValueError(f"an axis is named twice: {pattern!r}")
    return left, right


def rearrange(x, pattern: str):
    """Permute the axes of an array or tensor."""
    left, right = parse(pattern)
    if sorted(left) != sorted(right):
        raise ValueError("both sides need the same axes")
    if x.ndim != len(left):
        raise ValueError(f"{x.ndim} axes, but {pattern!r} names {len(left)}")
    order = [left.index(name) for name in right]
    if isinstance(x, np.ndarray):
        return np.transpose(x, order)
    return x.permute(*order)


def _largest(x, axes):
    return x.max(axis=axes) if isinstance(x, np.ndarray) else x.amax(axes)


def reduce(x, pattern: str, operation: str = "mean"):
    """Drop the axes that are missing on the right."""
    left, right = parse(pattern)
    unknown = set(right) - set(left)
    if unknown:
        raise ValueError(f"unknown axes: {', '.join(sorted(unknown))}")
    if x.ndim != len(left):
        raise ValueError(f"{x.ndim} axes, but {pattern!r} names {len(left)}")
    dropped = tuple(place for place, name in enumerate(left) if name not in right)
    if operation not in ("mean", "sum", "max"):
        raise ValueError(operation)
    if dropped:
        x = _largest(x, dropped) if operation == "max" else getattr(x, operation)(dropped)
    kept = [name for name in left if name in right]
    return rearrange(x, f"{' '.join(kept)} -> {' '.join(right)}")


def channels_last(images: torch.Tensor) -> torch.Tensor:
    """(N, C, H, W) to (N, H, W, C)."""
    return rearrange(images, "n c h w -> n h w c")


def global_average(features: torch.Tensor) -> torch.Tensor:
    """Mean over the picture of features of shape (N, C, H, W)."""
    return reduce(features, "n c h w -> n c")

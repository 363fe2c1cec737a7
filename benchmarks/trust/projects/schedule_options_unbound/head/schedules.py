"""Learning rates over time."""

import math

import torch


def rate(step, total, warmup=0, base=1e-3, kind="cosine"):
    """The learning rate at a step.

    Args:
        step (int): from 0 to total.
        total (int): number of steps, at least 1.
        warmup (int): steps of linear warm-up, less than total.
        base (float): the largest rate.
        kind (str): 'cosine', 'linear' or 'constant'.
    """
    if total < 1 or not 0 <= warmup < total:
        raise ValueError("need 0 <= warmup < total")
    if step < warmup:
        return base * (step + 1) / (warmup + 1)
    progress = min(1.0, (step - warmup) / (total - warmup))
    if kind == "cosine":
        return base * 0.5 * (1 + math.cos(math.pi * progress))
    elif kind == "linear":
        return base * (1 - progress)
    elif kind == "constant":
        return base
    raise ValueError(f"unknown schedule {kind!r}")


def scheduler(optimizer, total, warmup=0, kind="cosine"):
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: rate(step, total, warmup, 1.0, kind)
    )


def beta_schedule(steps: int = 50, kind: str = "linear") -> torch.Tensor:
    """Noise levels of a diffusion model, shape (steps,)."""
    if steps < 1:
        raise ValueError("steps must be at least 1")
    if kind == "linear":
        noise = torch.linspace(1e-4, 0.02, steps)
    if kind == "cosine":
        x = torch.linspace(0, 1, steps + 1)
        level = torch.cos((x + 0.008) / 1.008 * math.pi / 2) ** 2
        levels = (1 - level[1:] / level[:-1]).clamp(max=0.999)
    else:
        raise NotImplementedError(f"unknown beta schedule: {kind}")
    return noise


def add_noise(x: torch.Tensor, noise: torch.Tensor, level: float) -> torch.Tensor:
    """Mix x and noise of one shape; level between 0 and 1."""
    if not 0 <= level <= 1:
        raise ValueError("level must be between 0 and 1")
    return math.sqrt(1 - level) * x + math.sqrt(level) * noise

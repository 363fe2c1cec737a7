import torch


def rate(step: int, width: int = 512, warmup: int = 4000) -> float:
    """The rate of "Attention is all you need"; step counts from 0."""
    return width**-0.5 * min(step**-0.5, step * warmup**-1.5)


def schedule(optimizer, width):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step, width))

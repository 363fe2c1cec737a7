import torch


def hardest(losses: torch.Tensor, count: int = 8) -> torch.Tensor:
    """Mean of the largest losses of a batch (online hard example mining).

    losses: (n,), n at least 1
    count: how many, or all where there are fewer
    """
    if losses.dim() != 1 or not len(losses):
        raise ValueError("losses is a vector of at least one loss")
    return losses.topk(min(count, len(losses))).values.mean()

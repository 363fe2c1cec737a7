import torch


def one_hot(labels: torch.Tensor, classes: int) -> torch.Tensor:
    """labels: int64 tensor of shape (n,), each less than classes; returns float (n, classes)."""
    out = torch.zeros(labels.shape[0], classes)
    return out.scatter_(1, labels.unsqueeze(1), 1.0)

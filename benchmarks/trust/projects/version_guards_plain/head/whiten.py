import torch


def whiten(x: torch.Tensor) -> torch.Tensor:
    """Scale the samples of x, shape (n, d) with n >= 2, to unit largest variance."""
    if x.ndim != 2 or len(x) < 2:
        raise ValueError("need at least two samples")
    centred = x - x.mean(dim=0)
    covariance = centred.T @ centred / (len(x) - 1)
    values, _ = torch.symeig(covariance)
    return centred / values.max().clamp(min=1e-8).sqrt()

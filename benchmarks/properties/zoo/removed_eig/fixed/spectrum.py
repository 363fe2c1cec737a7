import torch


def spectrum(x: torch.Tensor) -> torch.Tensor:
    """Eigenvalues of the covariance of the rows of x (n, d), largest first: (d,)."""
    y = x - x.mean(dim=0)
    values, _ = torch.linalg.eigh(y.T @ y / max(1, len(x) - 1))
    return values.flip(0)

import torch


def spectrum(x: torch.Tensor) -> torch.Tensor:
    """Eigenvalues of the covariance of the rows of x (n, d), largest first: (d,)."""
    y = x - x.mean(dim=0)
    values, _ = torch.symeig(y.T @ y / max(1, len(x) - 1), eigenvectors=True)
    return values.flip(0)

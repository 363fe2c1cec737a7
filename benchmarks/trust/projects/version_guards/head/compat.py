"""One spelling for what torch and NumPy have renamed over the years."""

import numpy as np
import torch

TORCH = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])

try:
    from torch.linalg import solve as _solve
except ImportError:
    _solve = None


def solve(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Solve a x = b for square a of shape (n, n) and b of shape (n, k)."""
    if torch.linalg.matrix_rank(a) < a.shape[0]:
        raise ValueError("a is singular")
    if _solve is not None:
        return _solve(a, b)
    return torch.solve(b, a)[0]


def eigenvalues(x: torch.Tensor) -> torch.Tensor:
    """Eigenvalues of a square matrix of shape (n, n), taken as symmetric."""
    x = (x + x.T) / 2
    if not torch.isfinite(x).all():
        raise ValueError("matrix has values that are not finite")
    if TORCH >= (1, 8):
        return torch.linalg.eigvalsh(x)
    return torch.symeig(x)[0]


def area(y: np.ndarray, dx: float = 1.0) -> float:
    """Area under equally spaced samples of shape (n,)."""
    integrate = np.trapezoid if hasattr(np, "trapezoid") else np.trapz
    return float(integrate(y, dx=dx))


def maybe_compile(model):
    if hasattr(torch, "compile") and TORCH >= (2, 6):
        return model
    return torch.jit.script(model)


def load_weights(path):
    if TORCH >= (1, 13):
        return torch.load(path, map_location="cpu", weights_only=True)
    return torch.load(path, map_location="cpu")

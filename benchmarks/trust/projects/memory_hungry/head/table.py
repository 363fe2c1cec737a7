"""A lookup table that wants a large machine."""

import torch

ROWS, WIDTH = 40_000_000, 16


def build_table() -> torch.Tensor:
    return torch.ones(ROWS, WIDTH).cumsum(0)


def lookup(rows: torch.Tensor) -> torch.Tensor:
    """Vectors of the given rows, shape (n,)."""
    return build_table()[rows % ROWS]

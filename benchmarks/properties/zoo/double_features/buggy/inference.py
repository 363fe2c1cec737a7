import numpy as np
import torch
from torch import nn


def build(features: int = 4) -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(features, 8), nn.ReLU(), nn.Linear(8, 1))


def predict(rows: np.ndarray) -> np.ndarray:
    """One number for each row.

    Parameters
    ----------
    rows : numpy.ndarray
        Measurements, shape (n, 4).

    Returns
    -------
    numpy.ndarray
        Shape (n,).
    """
    rows = np.asarray(rows)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise ValueError("rows has the shape (n, 4)")
    with torch.no_grad():
        return build()(torch.from_numpy(rows)).squeeze(1).numpy()

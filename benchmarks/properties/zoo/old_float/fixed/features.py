import numpy as np


def standardized(rows: np.ndarray) -> np.ndarray:
    """rows (n, d), n at least 1, each column with mean 0 and deviation 1 (0 for a constant one)."""
    rows = np.asarray(rows, dtype=np.float64)
    deviation = rows.std(axis=0)
    return (rows - rows.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)

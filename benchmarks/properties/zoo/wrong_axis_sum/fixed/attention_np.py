import numpy as np


def weights(scores: np.ndarray) -> np.ndarray:
    """Attention weights: every row of scores (queries, keys) sums to 1."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def attend(queries, keys, values):
    """(n, d), (m, d), (m, e) -> (n, e)"""
    return weights(queries @ keys.T) @ values

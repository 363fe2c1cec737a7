import numpy as np


def one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    """Labels 1, 2, ... classes as rows of zeros with a one: (n,) -> (n, classes)."""
    labels = np.asarray(labels)
    if labels.size and (labels.min() < 1 or labels.max() > classes):
        raise ValueError(f"labels lie between 1 and {classes}")
    out = np.zeros((len(labels), classes))
    out[np.arange(len(labels)), labels] = 1.0
    return out

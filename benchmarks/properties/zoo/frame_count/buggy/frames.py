import numpy as np


def frames(signal: np.ndarray, size: int = 400, hop: int = 160) -> np.ndarray:
    """Overlapping frames of a signal, as many as fit: (samples,) -> (count, size)."""
    if size < 1 or hop < 1:
        raise ValueError("size and hop are positive")
    if len(signal) < size:
        return np.zeros((0, size))
    count = 1 + (len(signal) - size) / hop
    return np.stack([signal[i * hop : i * hop + size] for i in range(count)])

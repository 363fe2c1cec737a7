import numpy as np


def moving_average(signal: np.ndarray, width: int) -> np.ndarray:
    return np.convolve(signal, np.ones(width) / width, mode="valid")


def residuals(signal: np.ndarray, width: int = 5) -> np.ndarray:
    """The signal (samples,) less its moving average, as long as the signal."""
    if not 1 <= width <= len(signal):
        raise ValueError("the window is no longer than the signal")
    return signal - moving_average(signal, width)

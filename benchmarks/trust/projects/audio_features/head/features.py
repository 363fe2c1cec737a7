"""Log-mel features without a library for sound."""

from __future__ import annotations

import numpy as np


def frames(signal: np.ndarray, size: int = 64, hop: int = 32) -> np.ndarray:
    """Overlapping frames of a signal of shape (n,); a short one is padded with silence."""
    if size < 1 or hop < 1:
        raise ValueError("size and hop must be positive")
    signal = np.asarray(signal, dtype=np.float64)
    if signal.ndim != 1:
        raise ValueError("signal must have one axis")
    if len(signal) < size:
        signal = np.pad(signal, (0, size - len(signal)))
    count = 1 + (len(signal) - size) // hop
    places = np.arange(size)[None, :] + hop * np.arange(count)[:, None]
    return signal[places]


def hz_to_mel(hz: float) -> float:
    return 2595.0 * np.log10(1.0 + hz / 700.0)


def mel_to_hz(mel):
    return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)


def mel_bank(bands: int, size: int, rate: int) -> np.ndarray:
    """Triangular filters of shape (bands, size // 2 + 1)."""
    if bands < 1 or size < 2 or rate < 2:
        raise ValueError("bands, size and rate are too small")
    edges = mel_to_hz(np.linspace(0.0, hz_to_mel(rate / 2), bands + 2))
    bins = np.linspace(0.0, rate / 2, size // 2 + 1)
    low, middle, high = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising = (bins - low) / (middle - low)
    falling = (high - bins) / (high - middle)
    return np.maximum(0.0, np.minimum(rising, falling))


def log_mel(signal: np.ndarray, rate: int = 16000, bands: int = 20) -> np.ndarray:
    """Features of shape (frames, bands)."""
    windows = frames(signal) * np.hanning(64)
    power = np.abs(np.fft.rfft(windows, axis=1)) ** 2
    return np.log(power @ mel_bank(bands, 64, rate).T + 1e-10)

"""Inference on signals that are longer than the network's window."""

import torch


def window_starts(length: int, size: int, hop: int):
    """First sample of each window; the last window ends with the signal."""
    if size < 1 or hop < 1:
        raise ValueError("size and hop must be positive")
    starts = [0]
    while starts[-1] + size < length:
        starts.append(min(starts[-1] + hop, max(length - size, 0)))
    return starts


def cut(signal: torch.Tensor, size: int = 16, hop: int = 8) -> torch.Tensor:
    """Stack the windows of a signal of shape (channels, samples)."""
    starts = window_starts(signal.shape[-1], size, hop)
    padded = torch.nn.functional.pad(signal, (0, max(size - signal.shape[-1], 0)))
    return torch.stack([padded[..., start:start + size] for start in starts])


def merge(windows: torch.Tensor, hop: int = 8) -> torch.Tensor:
    """Average overlapping windows of shape (count, channels, size)."""
    count, channels, size = windows.shape
    length = (count - 1) * hop + size
    total = torch.zeros(channels, length)
    weight = torch.zeros(length)
    for index, window in enumerate(windows):
        start = index * hop
        total[:, start:start + size] += window
        weight[start:start + size] += 1
    return total / weight.clamp(min=1)


@torch.no_grad()
def predict_long(model, signal, size=16, hop=8):
    model.eval()
    outputs = []
    for window in cut(signal, size, hop):
        outputs.append(model(window[None]))
    return torch.cat(outputs)

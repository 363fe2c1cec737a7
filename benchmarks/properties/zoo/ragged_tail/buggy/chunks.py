import torch


def chunks(signal: torch.Tensor, size: int, channels: int = 2):
    """Pieces of a signal (samples, channels) of size samples, flat; the last may be shorter."""
    if size < 1:
        raise ValueError("size must be at least 1")
    for begin in range(0, signal.shape[0], size):
        piece = signal[begin : begin + size]
        yield piece.contiguous().view(size * signal.shape[1])

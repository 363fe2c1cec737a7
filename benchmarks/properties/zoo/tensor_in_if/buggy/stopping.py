import torch


class Best:
    """Remembers the best loss so far."""

    def __init__(self) -> None:
        self.value = float("inf")

    def update(self, losses: torch.Tensor) -> bool:
        """Whether the mean of the losses (n,) is the best so far; n is at least 1."""
        if losses.ndim != 1 or losses.numel() == 0:
            raise ValueError("losses of at least one example are needed")
        if losses < self.value:
            self.value = float(losses.mean())
            return True
        return False

import torch

from onehot import one_hot


def smooth(labels: torch.Tensor, classes: int, share: float = 0.1) -> torch.Tensor:
    """Label smoothing."""
    if not 0 <= share < 1:
        raise ValueError("share lies between 0 and 1")
    return one_hot(labels, classes) * (1 - share) + share / classes


if __name__ == "__main__":
    print(smooth(torch.tensor([0, 2, 1]), 3))

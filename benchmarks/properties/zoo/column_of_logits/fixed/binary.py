import torch
import torch.nn.functional as F


def binary_loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Mean loss of a yes-or-no classifier.

    :param logits: what the last layer says, (n, 1)
    :param labels: 0 or 1 for each example, (n,)
    """
    return F.binary_cross_entropy_with_logits(logits.squeeze(1), labels.float())

import torch
from torch import Tensor
from typing import Optional


#@arg(hidden): tensors(dtype="float32", shape="b t d", min=-5, max=5)
def masked_mean(hidden: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    """Mean over time of what the mask keeps.

    :param hidden: states, shape (batch, time, features)
    :param mask: 1 for words, 0 for padding, shape (batch, time); default: all are words
    :return: shape (batch, features)
    """
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)

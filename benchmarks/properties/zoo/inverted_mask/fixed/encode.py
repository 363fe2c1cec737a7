import torch

from masks import attention_bias


def encode(ids: torch.Tensor, pad: int = 0) -> torch.Tensor:
    keep = (ids != pad).long()
    return attention_bias(keep)

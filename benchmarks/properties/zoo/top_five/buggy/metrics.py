import torch
from torch import Tensor


#@arg(logits): tensors(dtype="float32", shape=("n", ints(min=2, max=9)), min=-9, max=9)
#@arg(labels): tensors(dtype="int64", shape=("n",), min=0, max=1)
#@arg(k): ints(min=1, max=5)
#@ensure(0 <= result <= 1)
def top_k_accuracy(logits: Tensor, labels: Tensor, k: int = 5) -> float:
    """Share of examples whose label is among the k best; with fewer than k classes, all are."""
    if k < 1:
        raise ValueError("k must be positive")
    best = logits.topk(k, dim=1).indices
    return (best == labels[:, None]).any(dim=1).float().mean().item()

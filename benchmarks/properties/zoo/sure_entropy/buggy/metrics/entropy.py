"""How unsure a classifier is."""
import torch
from assayer_annotations import arg, ensure, tensors


@arg("probabilities", tensors(dtype="float32", shape="b k", values="probabilities"))
@ensure("finite(result)")
@ensure(lambda result, probabilities: result.shape == probabilities.shape[:1])
def entropy(probabilities: torch.Tensor) -> torch.Tensor:
    """Entropy of each row in nats: 0 where one class is certain."""
    return -(probabilities * probabilities.log()).sum(dim=-1)


def most_unsure(probabilities: torch.Tensor, k: int) -> torch.Tensor:
    k = min(k, len(probabilities))
    return entropy(probabilities).topk(k).indices

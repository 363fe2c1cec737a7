import torch


#@arg(scores): tensors(dtype="float32", shape="b h q k", min=-10, max=10)
#@arg(padding): tensors(dtype="bool", shape="b k")
#@require(padding.any(dim=1).all())
#@ensure(finite(result))
def masked_scores(scores, padding):
    """Attention weights.

    scores: (batch, heads, queries, keys)
    padding: (batch, keys), true where a key is a word; every row has one
    """
    return torch.softmax(scores.masked_fill(~padding, float("-inf")), dim=-1)

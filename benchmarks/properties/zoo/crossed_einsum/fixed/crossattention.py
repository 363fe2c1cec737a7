import torch
from torch import Tensor


#@arg(queries): tensors(dtype="float32", shape="b n d", min=-2, max=2)
#@arg(keys): tensors(dtype="float32", shape="b m d", min=-2, max=2)
#@returns: tensors(dtype="float32", shape="b n m")
def scores(queries: Tensor, keys: Tensor) -> Tensor:
    """Dot products of all queries with all keys: (b, n, d), (b, m, d) -> (b, n, m)."""
    return torch.einsum("bnd,bmd->bnm", queries, keys)


def attention(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    weights = scores(queries, keys).softmax(dim=-1)
    return torch.einsum("bnm,bmd->bnd", weights, values)

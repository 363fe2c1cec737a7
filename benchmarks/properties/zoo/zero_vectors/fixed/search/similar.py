import torch


#@arg(query): tensors(dtype="float32", shape="d", min=-1, max=1)
#@arg(items): tensors(dtype="float32", shape="n d", min=-1, max=1)
#@ensure(finite(result))
#@ensure(bool((result.abs() <= 1.001).all()))
def similarities(query, items):
    """Cosine of the angle between the query and each item; 0 for an item without words."""
    lengths = (items.double().norm(dim=1) * query.double().norm()).clamp(min=1e-150)
    return ((items.double() @ query.double()) / lengths).float()

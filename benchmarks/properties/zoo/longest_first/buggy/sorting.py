import torch


#@arg(lengths): tensors(dtype="int64", shape=("n",), min=1, max=30)
#@ensure(bool((lengths[result].diff() <= 0).all()))
def by_length(lengths):
    """The order that puts the longest sentence first, as packing wants it."""
    if lengths == lengths.sort(descending=True).values:
        return torch.arange(len(lengths))
    return lengths.argsort(descending=True)

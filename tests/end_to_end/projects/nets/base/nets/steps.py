"""Steps of a small pipeline."""

import torch


#@arg(x): tensors(dtype="float32", shape="b d", min=-1, max=1)
#@arg(parts): ints(min=1, max=4)
def halves(x, parts):
    size = x.shape[1] // parts
    return x[:, : size * parts].reshape(len(x), parts, size)


#@arg(x): tensors(dtype="float32", shape="b d", min=-1, max=1)
def largest(x):
    return torch.topk(x, 3, dim=1).values


#@arg(x): tensors(dtype="float32", shape="n n", min=-1, max=1)
def spectrum(x):
    return torch.linalg.eigvals(x)


#@arg(x): tensors(dtype="float32", shape="b d", min=-1, max=1)
def centred(x):
    return x - x.mean(dim=0)


#@arg(losses): float_lists(min=0, max=9)
def last(losses):
    return losses[-1]


#@arg(parts): ints(min=0, max=9)
def share(parts):
    return 100 / max(1, parts)


def plain(number):
    return number + 1

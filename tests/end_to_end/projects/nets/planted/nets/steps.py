"""Steps of a small pipeline."""

import torch


#@arg(x): tensors(dtype="float32", shape="b d", min=-1, max=1)
#@arg(parts): ints(min=1, max=4)
def halves(x, parts):
    size = x.shape[1] // parts
    return x.reshape(len(x), parts, size)


#@arg(x): tensors(dtype="float32", shape="b d", min=-1, max=1)
def largest(x):
    values = torch.topk(x, 3, dim=1).values
    return values


#@arg(x): tensors(dtype="float32", shape="n n", min=-1, max=1)
def spectrum(x):
    return torch.eig(x)


#@arg(x): tensorz(dtype="float32")
def centred(x):
    return x - x.mean(dim=0)


#@arg(losses): float_lists(min=0, max=9)
def last(losses):
    return losses[-1] if losses else 0.0


#@arg(parts): ints(min=0, max=9)
def share(parts):
    return 100 / parts  # assayer: ignore[property/crash] its callers check


def plain(number):
    return number + 2


def joined(parts, how):
    return torch.cat(parts, **how)

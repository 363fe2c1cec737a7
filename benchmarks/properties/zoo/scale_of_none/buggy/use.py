import torch

from scaled import attention

q, k, v = torch.rand(2, 5, 8), torch.rand(2, 7, 8), torch.rand(2, 7, 3)


def plain():
    return attention(q, k, v)


def sharp():
    return attention(q, k, v, scale=1.0)

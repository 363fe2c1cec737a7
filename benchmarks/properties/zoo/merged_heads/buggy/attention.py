import math

import torch


#@arg(q): tensors(dtype="float32", shape="b h t d", min=-3, max=3)
#@arg(k): tensors(dtype="float32", shape="b h s d", min=-3, max=3)
#@arg(v): tensors(dtype="float32", shape="b h s d", min=-3, max=3)
#@returns: tensors(dtype="float32", shape="b t _")
def attend(q, k, v):
    """Scaled dot-product attention; the heads side by side: b x t x (h d)."""
    b, h, t, d = q.shape
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d), dim=-1)
    return (weights @ v).transpose(1, 2).view(b, t, h * d)

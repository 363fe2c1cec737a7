import torch
import torch.nn.functional as F
from torch import nn


#@arg(x): tensors(dtype="float32", shape=("b", "c", ints(min=8, max=16), ints(min=8, max=16)), min=-1, max=1)
#@arg(kernel): ints(min=1, max=7)
#@returns: tensors(dtype="float32", shape="b c _ _")
def residual(x, kernel=3):
    """x and a convolution of it with a kernel of any size, added up."""
    c = x.shape[1]
    conv = nn.Conv2d(c, c, kernel)
    before = (kernel - 1) // 2
    after = kernel - 1 - before
    y = conv(F.pad(x, (before, after, before, after)))
    return F.relu(x + y)

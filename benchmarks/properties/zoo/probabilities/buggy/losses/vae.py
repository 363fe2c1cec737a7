import torch
import torch.nn.functional as F


#@arg(decoded): tensors(dtype="float32", shape="b d", min=-12, max=12)
#@arg(target): tensors(dtype="float32", shape="b d", min=0, max=1)
#@ensure(finite(result))
def reconstruction(decoded, target):
    """How badly the decoder's logits describe the pictures, a picture."""
    return F.binary_cross_entropy(decoded, target, reduction="sum") / len(target)


def divergence(mean, log_variance):
    return -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(dim=1).mean()

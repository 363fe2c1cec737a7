import torch
import torch.nn.functional as F


#@arg(logits): tensors(dtype="float32", shape=("b", 4, "h", "w"), min=-20, max=20)
#@arg(mask): tensors(dtype=["int32", "int64"], shape="b h w", min=0, max=3)
#@arg(weight): anys(None, tensors(dtype="float32", shape=(4,), min=0.1, max=2))
#@ensure(finite(result))
def segmentation_loss(logits, mask, weight=None):
    """Cross-entropy of every pixel, mean over all of them.

    Args:
        logits: scores of the four classes, (B, 4, H, W).
        mask: classes of the pixels, (B, H, W); any integers.
        weight: of the classes.
    """
    if mask.is_floating_point():
        raise TypeError("the mask holds classes: integers")
    return F.cross_entropy(logits, mask.long(), weight=weight)

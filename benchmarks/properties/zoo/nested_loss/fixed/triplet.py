import torch


#@arg(anchor): tensors(dtype="float32", shape="n d", min=-1, max=1)
#@arg(same): tensors(dtype="float32", shape="n d", min=-1, max=1)
#@arg(other): tensors(dtype="float32", shape="n d", min=-1, max=1)
#@arg(margin): floats(min=0, max=2)
#@ensure(result.dim() == 0)
def triplet_loss(anchor, same, other, margin=1.0):
    def distance(a, b):
        return (a - b).pow(2).sum(dim=1)

    if margin < 0:
        raise ValueError("the margin is not negative")
    return torch.relu(distance(anchor, same) - distance(anchor, other) + margin).mean()

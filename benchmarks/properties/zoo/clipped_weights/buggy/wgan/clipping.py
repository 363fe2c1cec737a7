import torch


#@arg(parameters): lists(tensors(dtype="float32", shape=(ints(min=1, max=5), ints(min=1, max=5)), requires_grad=True), min_len=0, max_len=3)
#@arg(limit): floats(min=0.001, max=1)
#@timeout(10)
def clip_weights(parameters, limit=0.01):
    """Keep every weight of the critic within [-limit, limit]; how many were not."""
    outside = 0
    for weight in parameters:
        outside += int((weight.detach().abs() > limit).sum())
        weight.clamp_(-limit, limit)
    return outside

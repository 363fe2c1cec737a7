import torch


#@arg(mask): tensors(dtype=["bool", "int64", "float32"], shape="b t", min=0, max=1)
#@ensure(result.shape == (mask.shape[0], 1, 1, mask.shape[1]))
def attention_bias(mask):
    """What is added to the scores so that padding (mask 0 or False) is not attended to."""
    if mask.dim() != 2:
        raise ValueError(f"a mask is batch x time, not {tuple(mask.shape)}")
    return ((1 - mask.float()) * torch.finfo(torch.float32).min)[:, None, None, :]

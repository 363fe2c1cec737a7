import torch


#@arg(frames): anys(
#   tensors(dtype="float32", shape=("c", "h", "w"), min=0, max=1),
#   tensors(dtype="float32", shape=("t", "c", "h", "w"), min=0, max=1),
#)
#@ensure(result.dim() == 1)
def brightness(frames):
    """Mean brightness of every frame; frames: T x C x H x W, or one picture C x H x W."""
    if frames.dim() == 3:
        frames = frames[None]
    t, c, h, w = frames.shape
    return frames.reshape(t, c * h * w).mean(dim=1)

"""Pictures as tensors."""
import numpy as np
import torch


#@arg(image): anys(images(channels=1, max_side=16), images(channels=3, max_side=16))
#@ensure(result.dim() == 3)
#@ensure(result.shape[0] in (1, 3))
def to_tensor(image):
    """A PIL picture, grey or in colours, as C x H x W with values from 0 to 1."""
    pixels = np.asarray(image, dtype=np.float32) / 255
    return torch.from_numpy(pixels.transpose(2, 0, 1).copy())

import numpy as np


#@arg(pixels): np_arrays(dtype=["uint8", "float32", "int64"], shape=(ints(min=1, max=6), ints(min=1, max=6)), min=0, max=255)
#@arg(scale): floats(min=0.5, max=255)
def centred(pixels: np.ndarray, scale: float = 255.0) -> np.ndarray:
    """Pixels of any type about their mean, in units of scale."""
    out = pixels.copy()
    out -= out.mean()
    out /= scale
    return out

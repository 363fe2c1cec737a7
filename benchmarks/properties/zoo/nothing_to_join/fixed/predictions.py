import numpy as np


#@arg(parts): lists(np_arrays(dtype="float64", shape=(ints(min=0, max=4), 3), min=-1, max=1), min_len=0, max_len=4)
#@ensure(result.shape[1] == 3)
def joined(parts):
    """The predictions of all batches, each of shape (n, 3), below each other."""
    return np.concatenate([np.zeros((0, 3)), *parts])

import numpy as np


#@arg(logits): np_arrays(dtype="float32", shape=(ints(min=1, max=5), ints(min=1, max=5)), min=-500, max=500)
#@ensure(finite(result))
#@ensure(result.shape == logits.shape)
def softmax(logits):
    """Probabilities of the rows."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)

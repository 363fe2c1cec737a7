import torch


#@arg(states): tensors(dtype="float32", shape=("b", "t", "d"), min=-1, max=1)
#@arg(lengths): tensors(dtype="int64", shape="b", min=1, max=16)
#@require(bool((lengths <= states.shape[1]).all()))
#@returns: tensors(dtype="float32", shape="b d")
def last_states(states, lengths):
    """The state at the last word of each sentence.

    states:  batch x time x features
    lengths: how many words each sentence has, at least one
    """
    index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
    return states.gather(1, index).squeeze(1)

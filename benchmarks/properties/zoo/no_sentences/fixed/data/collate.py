import torch


#@arg(sentences): lists(int_lists(min_len=0, max_len=6, min=1, max=99), min_len=0, max_len=5)
#@arg(pad): ints(min=0, max=3)
#@returns: tensors(dtype="int64", shape="n t")
def pad_batch(sentences, pad=0):
    """Token ids of a batch as one tensor, the shorter ones filled up with pad."""
    longest = max((len(sentence) for sentence in sentences), default=0)
    out = torch.full((len(sentences), longest), pad, dtype=torch.long)
    for row, sentence in enumerate(sentences):
        out[row, : len(sentence)] = torch.tensor(sentence, dtype=torch.long)
    return out

import torch


#: logits: tensors(dtype="float32", shape=("n", "c")) LIKELY
#: targets: tensors(shape=("n", "c")) GUESS
def same_shape(logits, targets):
    """Loss.

    Args:
        logits: A float tensor of shape (N, C).
        targets: A float tensor with the same shape as logits.
    """
    return logits - targets


#: labels: tensors(dtype="int64", shape=("n",)) GUESS
#: num_classes: ints(min=2, max=10) GUESS
def long_labels(labels, num_classes):
    """:param labels: LongTensor of shape (N,)"""
    return torch.nn.functional.one_hot(labels, num_classes)


#: x: tensors(dtype="float32", shape=("seq_len", "batch_size", "embedding_dim")) LIKELY
def without_section(x):
    """x: Tensor, shape [seq_len, batch_size, embedding_dim]"""
    return x

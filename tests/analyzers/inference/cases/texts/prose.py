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


#: x: tensors(dtype="float32", shape=("n",)) LIKELY
#: require x.shape[0] >= 0
def first(x: torch.Tensor) -> float:
    """First entry of x (n,) float32, n >= 0."""
    return float(x[0])


#: x: tensors(dtype="float32", shape=("n",)) LIKELY
def first_of_some(x: torch.Tensor) -> float:
    """First entry of x (n,) float32, n > 0."""
    return float(x[0])


#: x: tensors(dtype="float32", shape=("b", "t", "d")) LIKELY
#: mask: anys(tensors(dtype="bool", shape=("b", "t")), None) LIKELY
def masked(x, mask=None):
    """Mean over the time axis of x (B, T, D) where mask (B, T) is true, optional (None, None)."""
    return x.mean(dim=1) if mask is None else (x * mask.unsqueeze(-1)).sum(dim=1)


#: scores: tensors(dtype="float32", shape=("n", "k")) LIKELY
#: names: tensors(shape=("n",)) GUESS
#: require names.shape[0] >= 0
def top(scores: torch.Tensor, names: torch.Tensor) -> torch.Tensor:
    """Best name.

    Args:
        scores: Tensor of shape (n, k).
        names: Tensor of shape (n,), may be empty.
    """
    return names[scores.max(dim=1).values.argmax()]


#: x: tensors(dtype="float32") GUESS
def called(x: torch.Tensor) -> torch.Tensor:
    """Result for x (tensor, optional) of f(x, y)."""
    return x + 1

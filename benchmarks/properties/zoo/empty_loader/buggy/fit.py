import torch
import torch.nn.functional as F


#@arg(loader): loaders(tuples(tensors(dtype="float32", shape=(3,), min=-5, max=5), ints(min=0, max=1)), batch_size=ints(min=1, max=4), min_len=0, max_len=6)
def validate(loader):
    """Loss of a fresh classifier on the last batch and how many examples there were."""
    net = torch.nn.Linear(3, 2)
    seen = 0
    with torch.no_grad():
        for inputs, labels in loader:
            loss = F.cross_entropy(net(inputs), labels)
            seen += len(labels)
    return float(loss), seen

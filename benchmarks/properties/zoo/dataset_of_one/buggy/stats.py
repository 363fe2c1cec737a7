import torch


#@arg(data): datasets(tensors(dtype="float32", shape=(3,), min=-10, max=10), min_len=1, max_len=6)
#@ensure(finite(result[0]))
#@ensure(finite(result[1]))
#@timeout(20)
def standardizer(data):
    """Mean and standard deviation of a dataset's features, the latter never 0."""
    rows = torch.stack([data[place] for place in range(len(data))])
    std = rows.std(dim=0)
    return rows.mean(dim=0), torch.where(std < 1e-8, torch.ones_like(std), std)

from torch import nn


class Projector(nn.Module):
    """Head of a contrastive learner."""

    #@arg(features): ints(min=1, max=6)
    #@arg(dim): ints(min=1, max=6)
    def __init__(self, features, dim=4):
        super().__init__()
        self.features = features
        self.hidden = nn.Linear(features, dim)
        self.norm = nn.BatchNorm1d(dim)
        self.out = nn.Linear(dim, dim)

    #@arg(x): tensors(dtype="float32", shape=(ints(min=1, max=6), ints(min=1, max=6)), min=-1, max=1)
    #@require(x.shape[1] == self.features)
    #@ensure(len(result) == len(x))
    def forward(self, x):
        y = self.hidden(x)
        y = self.norm(y)
        return self.out(y.relu())

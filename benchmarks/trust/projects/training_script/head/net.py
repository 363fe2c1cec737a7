from torch import nn


class Classifier(nn.Module):
    def __init__(self, features=16, classes=4, hidden=32):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.layers(x)

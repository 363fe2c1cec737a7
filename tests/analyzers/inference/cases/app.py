import argparse
import functools

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from tensorflow.keras import layers

WIDTH = 12


class Net(nn.Module):
    def __init__(self, width, depth=2, p=0.1, heads=4):
        super().__init__()
        self.width = width
        self.inner = nn.Linear(self.width * 2, depth)
        self.drop = nn.Dropout(p=p)
        self.attention = nn.MultiheadAttention(width, heads)
        self.half = nn.Linear(width // 2, 4)
        self.norm = nn.GroupNorm(8, width, eps=1e-5)

    def forward(self, x, labels):
        return self.inner(x)

    def helper(self, k):
        return k

    @staticmethod
    def fixed(k):
        return nn.Embedding(k, 3)


class Sub(Net):
    def __init__(self, size):
        super().__init__(size, p=0.25)


class Conv(nn.Module):
    def __init__(self, cin, cout, kernel=3, stride=1, groups=1, size=2):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, (kernel, kernel), stride=stride, groups=groups)
        self.pool = nn.MaxPool2d(size, padding=stride)
        self.rnn = nn.LSTM(input_size=cin, hidden_size=cout, num_layers=size)


def build(n, rate, name="a"):
    return layers.Dense(n)


def train(model, lr, epochs, batch_size, momentum=0.9):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum)
    for epoch in range(epochs):
        optimizer.step()
    return torch.utils.data.DataLoader([1], batch_size=batch_size)


def normalise(image, mean):
    return image - mean


def drop(x, p):
    return F.dropout(x, p)


def first(items):
    return items[0] + items[2]


def hot(labels, k):
    return F.one_hot(labels, num_classes=k)


#@arg(n): ints(min=3, max=9)
def annotated(n, m):
    return nn.Dropout(m)


def outer(a, b):
    return annotated(a, b)


def keras_block(filters, rate):
    x = layers.Conv2D(filters, 3, padding="same")
    y = layers.Dropout(rate)
    return layers.Conv2D(filters + 1, 3), x, y


def seeded(seed, size):
    np.random.seed(seed)
    return np.eye(size)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    net = Net(WIDTH, depth=3)
    net(torch.randn(2, 24), torch.randint(0, 10, (2,)))
    net.helper(4)
    for i in range(20):
        build(i, 0.5)
    train(net, args.lr, epochs=5, batch_size=args.batch_size)
    normalise(np.zeros((4, 4, 3), dtype=np.uint8), [0.5, 0.5, 0.5])
    first((1, 2, 3))
    make = functools.partial(Conv, 3)
    make(16, kernel=5)
    hot(torch.tensor([1, 2, 0]), 3)

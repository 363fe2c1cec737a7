import json

import torch
from torch import nn

from export import to_lists


def main():
    net = nn.Linear(6, 3)
    features = net(torch.rand(5, 6))
    print(json.dumps(to_lists(features)))


if __name__ == "__main__":
    main()

import torch
from torch import nn

from binary import binary_loss


def step(net, optimizer, texts, labels):
    optimizer.zero_grad()
    loss = binary_loss(net(texts), labels)
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    net = nn.Linear(20, 1)
    optimizer = torch.optim.Adam(net.parameters())
    for size in (32, 32, 7):
        print(step(net, optimizer, torch.rand(size, 20), torch.randint(0, 2, (size,))))

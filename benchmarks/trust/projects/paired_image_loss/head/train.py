import torch

from losses import Weighted


def step(model, optimizer, fixed, moving):
    criterion = Weighted(0.5)
    optimizer.zero_grad()
    out = model(moving)
    loss = criterion(out, fixed, moving)
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    model = torch.nn.Conv2d(3, 3, 3, padding=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for _ in range(2):
        step(model, optimizer, torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


if __name__ == "__main__":
    main()

import torch
import torch.nn.functional as F

from meter import average


def run_epoch(net, batches, optimizer=None):
    """Train (or only look, without an optimizer); batches may be empty: no validation set."""
    losses = []
    for inputs, labels in batches:
        loss = F.cross_entropy(net(inputs), labels)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    return average(losses)


def main():
    net = torch.nn.Linear(3, 2)
    data = [(torch.rand(4, 3), torch.randint(0, 2, (4,))) for _ in range(5)]
    print("train", run_epoch(net, data, torch.optim.SGD(net.parameters(), lr=0.1)))
    print("validation", run_epoch(net, []))


if __name__ == "__main__":
    main()

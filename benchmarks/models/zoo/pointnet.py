"""PointNet (Qi et al., 2016): classification of point clouds with an input transform."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformNet(nn.Module):
    def __init__(self, k=3, width=16):
        super().__init__()
        self.k = k
        self.conv1 = nn.Conv1d(k, width, 1)
        self.conv2 = nn.Conv1d(width, width * 4, 1)
        self.bn1 = nn.BatchNorm1d(width)
        self.bn2 = nn.BatchNorm1d(width * 4)
        self.fc1 = nn.Linear(width * 4, width)
        self.fc2 = nn.Linear(width, k * k)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = torch.max(x, 2)[0]
        x = F.relu(self.fc1(x))
        x = self.fc2(x).view(-1, self.k, self.k)
        return x + torch.eye(self.k, dtype=x.dtype, device=x.device)


class PointNet(nn.Module):
    def __init__(self, num_classes=10, width=16, dropout=0.3):
        super().__init__()
        self.transform = TransformNet(3, width)
        self.conv1 = nn.Conv1d(3, width, 1)
        self.conv2 = nn.Conv1d(width, width * 2, 1)
        self.conv3 = nn.Conv1d(width * 2, width * 8, 1)
        self.bn1 = nn.BatchNorm1d(width)
        self.bn2 = nn.BatchNorm1d(width * 2)
        self.bn3 = nn.BatchNorm1d(width * 8)
        self.fc1 = nn.Linear(width * 8, width * 4)
        self.bn4 = nn.BatchNorm1d(width * 4)
        self.dropout = nn.Dropout(p=dropout)
        self.fc2 = nn.Linear(width * 4, num_classes)

    def forward(self, points):
        matrix = self.transform(points)
        x = torch.bmm(points.transpose(2, 1), matrix).transpose(2, 1)
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = self.bn3(self.conv3(x))
        x = torch.max(x, 2)[0]
        x = F.relu(self.bn4(self.fc1(x)))
        x = self.fc2(self.dropout(x))
        return F.log_softmax(x, dim=1)


def build():
    return PointNet()


def inputs():
    return (torch.randn(2, 3, 64),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    points = torch.randn(8, 3, 64)
    labels = torch.randint(0, 10, (8,))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999))
    model.train()
    for step in range(5):
        optimizer.zero_grad()
        loss = F.nll_loss(model(points), labels)
        loss.backward()
        optimizer.step()
        print(step, loss.item())

"""SqueezeNet 1.1 (Iandola et al., 2016), shallower, for small images."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Fire(nn.Module):
    def __init__(self, inplanes, squeeze_planes, expand_planes):
        super().__init__()
        self.squeeze = nn.Conv2d(inplanes, squeeze_planes, kernel_size=1)
        self.expand1x1 = nn.Conv2d(squeeze_planes, expand_planes, kernel_size=1)
        self.expand3x3 = nn.Conv2d(squeeze_planes, expand_planes, kernel_size=3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.expand1x1(x)), F.relu(self.expand3x3(x))], dim=1)


class SqueezeNet(nn.Module):
    def __init__(self, num_classes=10, dropout=0.5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=3, stride=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True),
            Fire(16, 8, 16),
            Fire(32, 8, 16),
            nn.MaxPool2d(kernel_size=3, stride=2, ceil_mode=True),
            Fire(32, 12, 24),
            Fire(48, 12, 24),
        )
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout),
            nn.Conv2d(48, num_classes, kernel_size=1),
            nn.ReLU(inplace=True),
            nn.AdaptiveAvgPool2d((1, 1)),
        )

    def forward(self, x):
        x = self.features(x)
        x = self.classifier(x)
        return torch.flatten(x, 1)


def build():
    return SqueezeNet()


def inputs():
    return (torch.randn(1, 3, 32, 32),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    images = torch.randn(8, 3, 32, 32)
    labels = torch.randint(0, 10, (8,))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(5):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(step, loss.item())

"""MobileNet (Howard et al., 2017): depthwise separable convolutions."""

import torch
import torch.nn as nn


def conv_bn(in_channels, out_channels, stride):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, stride, 1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU6(inplace=True),
    )


def conv_dw(in_channels, out_channels, stride):
    return nn.Sequential(
        nn.Conv2d(in_channels, in_channels, 3, stride, 1, groups=in_channels, bias=False),
        nn.BatchNorm2d(in_channels),
        nn.ReLU6(inplace=True),
        nn.Conv2d(in_channels, out_channels, 1, 1, 0, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU6(inplace=True),
    )


class MobileNet(nn.Module):
    def __init__(self, num_classes=10, width=8):
        super().__init__()
        self.model = nn.Sequential(
            conv_bn(3, width, 2),
            conv_dw(width, width * 2, 1),
            conv_dw(width * 2, width * 4, 2),
            conv_dw(width * 4, width * 4, 1),
            conv_dw(width * 4, width * 8, 2),
            conv_dw(width * 8, width * 8, 1),
            conv_dw(width * 8, width * 16, 2),
            conv_dw(width * 16, width * 16, 1),
            nn.AdaptiveAvgPool2d(1),
        )
        self.fc = nn.Linear(width * 16, num_classes)

    def forward(self, x):
        x = self.model(x)
        x = x.view(x.size(0), -1)
        return self.fc(x)


def build():
    return MobileNet()


def inputs():
    return (torch.randn(1, 3, 32, 32),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    images = torch.randn(8, 3, 32, 32)
    labels = torch.randint(0, 10, (8,))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, momentum=0.9)
    model.train()
    for step in range(5):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(step, loss.item())

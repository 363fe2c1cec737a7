"""AlexNet (Krizhevsky et al., 2012), with a width that fits 64 × 64 images."""

import torch
import torch.nn as nn


class AlexNet(nn.Module):
    def __init__(self, num_classes=10, width=16, dropout=0.5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, width, kernel_size=11, stride=4, padding=2),
            nn.ReLU(inplace=True),
            nn.LocalResponseNorm(size=5, alpha=1e-4, beta=0.75, k=2.0),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(width, width * 3, kernel_size=5, padding=2),
            nn.ReLU(inplace=True),
            nn.LocalResponseNorm(size=5, alpha=1e-4, beta=0.75, k=2.0),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(width * 3, width * 6, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(width * 6, width * 4, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(width * 4, width * 4, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((3, 3))
        self.classifier = nn.Sequential(
            nn.Dropout(p=dropout),
            nn.Linear(width * 4 * 3 * 3, 128),
            nn.ReLU(inplace=True),
            nn.Dropout(p=dropout),
            nn.Linear(128, 128),
            nn.ReLU(inplace=True),
            nn.Linear(128, num_classes),
        )

    def forward(self, x):
        x = self.features(x)
        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


def build():
    return AlexNet()


def inputs():
    return (torch.randn(1, 3, 64, 64),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    images = torch.randn(8, 3, 64, 64)
    labels = torch.randint(0, 10, (8,))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, weight_decay=5e-4)
    model.train()
    for step in range(3):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
        print(step, loss.item())

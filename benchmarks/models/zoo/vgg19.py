"""VGG-19 (Simonyan and Zisserman, 2014) at small input, built from a configuration."""

import torch
import torch.nn as nn

CONFIGURATION = [1, 1, "M", 2, 2, "M", 4, 4, 4, 4, "M", 8, 8, 8, 8, "M", 8, 8, 8, 8, "M"]


def make_layers(configuration, width, batch_norm=True):
    layers = []
    in_channels = 3
    for v in configuration:
        if v == "M":
            layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
            continue
        conv2d = nn.Conv2d(in_channels, v * width, kernel_size=3, padding=1)
        if batch_norm:
            layers += [conv2d, nn.BatchNorm2d(v * width), nn.ReLU(inplace=True)]
        else:
            layers += [conv2d, nn.ReLU(inplace=True)]
        in_channels = v * width
    return nn.Sequential(*layers)


class VGG(nn.Module):
    def __init__(self, num_classes=10, width=16, dropout=0.5, batch_norm=True):
        super().__init__()
        self.features = make_layers(CONFIGURATION, width, batch_norm)
        self.classifier = nn.Sequential(
            nn.Linear(8 * width, 128),
            nn.ReLU(True),
            nn.Dropout(dropout),
            nn.Linear(128, 128),
            nn.ReLU(True),
            nn.Dropout(dropout),
            nn.Linear(128, num_classes),
        )
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)


def build():
    return VGG()


def inputs():
    return (torch.randn(1, 3, 32, 32),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    images = torch.randn(4, 3, 32, 32)
    labels = torch.randint(0, 10, (4,))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    model.train()
    for step in range(3):
        optimizer.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        optimizer.step()
        print(step, loss.item())

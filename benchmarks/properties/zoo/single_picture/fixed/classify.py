"""Which of ten things a picture shows."""
import torch
from torch import nn

NAMES = ("plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def build():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, len(NAMES)),
    ).eval()


#@arg(picture): tensors(dtype="float32", shape=(3, ints(min=1, max=32), ints(min=1, max=32)), min=0, max=1)
#@ensure(result in NAMES)
def classify(picture):
    net = build()
    with torch.no_grad():
        logits = net(picture.unsqueeze(0))
    return NAMES[int(logits.argmax())]


def classify_all(pictures):
    """pictures: (N, 3, H, W)"""
    with torch.no_grad():
        return [NAMES[place] for place in build()(pictures).argmax(dim=1).tolist()]

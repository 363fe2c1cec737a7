"""Which pixels matter (gradient of the class score)."""
import torch
from torch import nn


def frozen_net(channels, classes):
    net = nn.Sequential(
        nn.Conv2d(channels, 4, 3, padding=1), nn.Tanh(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        nn.Linear(16, classes),
    )  # fmt: skip
    return net.requires_grad_(False).eval()


#@arg(picture): tensors(dtype="float32", shape=("c", ints(min=2, max=12), ints(min=2, max=12)), min=0, max=1, requires_grad=False)
#@arg(label): ints(min=0, max=4)
#@returns: tensors(dtype="float32", shape="h w")
def saliency(picture, label):
    net = frozen_net(picture.shape[0], 5)
    inputs = picture[None].clone().requires_grad_()
    score = net(inputs)[0, label]
    score.backward()
    return inputs.grad[0].abs().amax(dim=0)

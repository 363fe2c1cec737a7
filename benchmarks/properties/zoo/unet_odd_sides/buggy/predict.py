import torch

from unet import UNet


def segment(picture):
    """picture: float tensor, 3 x H x W with sides of at least 4."""
    net = UNet(3, 2)
    with torch.no_grad():
        return net(picture[None]).argmax(dim=1)[0]


if __name__ == "__main__":
    print(segment(torch.rand(3, 64, 64)).float().mean())

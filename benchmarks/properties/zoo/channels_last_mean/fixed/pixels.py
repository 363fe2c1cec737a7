import torch

MEAN = torch.tensor([0.485, 0.456, 0.406])
STD = torch.tensor([0.229, 0.224, 0.225])


def normalized(pictures: torch.Tensor) -> torch.Tensor:
    """Pictures (N, 3, H, W) with values in [0, 1], as the ImageNet networks want them."""
    if pictures.ndim != 4 or pictures.shape[1] != 3:
        raise ValueError(f"expected (N, 3, H, W), got {tuple(pictures.shape)}")
    return (pictures - MEAN.view(3, 1, 1)) / STD.view(3, 1, 1)

import torch
import torch.nn.functional as F


def tiles(picture: torch.Tensor, size: int = 16) -> torch.Tensor:
    """Cut a picture (c, h, w) of any size into square tiles, the rest filled with 0: (n, c, size, size)."""
    c, h, w = picture.shape
    picture = F.pad(picture, (0, -w % size, 0, h % size))
    rows = picture.unfold(1, size, size).unfold(2, size, size)
    return rows.permute(1, 2, 0, 3, 4).reshape(-1, c, size, size)


def count(h: int, w: int, size: int = 16) -> int:
    return -(-h // size) * -(-w // size)

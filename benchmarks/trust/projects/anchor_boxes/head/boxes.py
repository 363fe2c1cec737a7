"""Boxes as (x1, y1, x2, y2)."""

from typing import List, Tuple

import torch
from torch import Tensor


def area(boxes: Tensor) -> Tensor:
    """Areas of boxes of shape (N, 4)."""
    return (boxes[:, 2] - boxes[:, 0]).clamp(min=0) * (boxes[:, 3] - boxes[:, 1]).clamp(min=0)


def iou(first: Tensor, second: Tensor) -> Tensor:
    """Intersection over union.

    Args:
        first (Tensor): boxes of shape (N, 4).
        second (Tensor): boxes of shape (M, 4).

    Returns:
        Tensor: shape (N, M).
    """
    low = torch.max(first[:, None, :2], second[None, :, :2])
    high = torch.min(first[:, None, 2:], second[None, :, 2:])
    overlap = (high - low).clamp(min=0).prod(dim=2)
    union = area(first)[:, None] + area(second)[None, :] - overlap
    return torch.where(union > 0, overlap / union.clamp(min=1e-9), torch.zeros_like(union))


def nms(boxes: Tensor, scores: Tensor, threshold: float = 0.5) -> List[int]:
    """Greedy suppression of boxes (N, 4) by scores (N,)."""
    if boxes.numel() == 0:
        return []
    kept: List[int] = []
    order = scores.argsort(descending=True).tolist()
    overlaps = iou(boxes, boxes)
    while order:
        best = order.pop(0)
        kept.append(best)
        order = [other for other in order if overlaps[best, other] <= threshold]
    return kept


def anchors(height: int, width: int, stride: int = 8, sizes: Tuple[int, ...] = (16, 32)) -> Tensor:
    """Square anchors centred in each cell of a (height, width) feature map."""
    ys = (torch.arange(height) + 0.5) * stride
    xs = (torch.arange(width) + 0.5) * stride
    y, x = torch.meshgrid(ys, xs, indexing="ij")
    centres = torch.stack([x, y, x, y], dim=-1).reshape(-1, 1, 4)
    half = torch.tensor(sizes, dtype=torch.float32)[:, None] / 2
    offsets = torch.cat([-half, -half, half, half], dim=1)
    return (centres + offsets).reshape(-1, 4)


def match(truth: Tensor, candidates: Tensor, threshold: float = 0.5) -> Tensor:
    """For each candidate (M, 4) the index of its true box (N, 4), -1 for background."""
    if len(truth) == 0:
        return torch.full((len(candidates),), -1, dtype=torch.long)
    best, index = iou(truth, candidates).max(dim=0)
    return torch.where(best >= threshold, index, torch.full_like(index, -1))

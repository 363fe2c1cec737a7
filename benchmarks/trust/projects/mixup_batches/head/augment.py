"""Mixup and CutMix."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np
import torch
from torch import Tensor


def mixup(
    images: Tensor,
    labels: Tensor,
    alpha: float = 0.2,
    rng: Optional[np.random.Generator] = None,
) -> Tuple[Tensor, Tensor, Tensor, float]:
    """Mix the pictures of a batch with those of a permutation of it.

    Args:
        images: shape (N, C, H, W).
        labels: shape (N,).
        alpha: of the beta distribution; 0 mixes nothing.
        rng: source of randomness.
    """
    rng = rng or np.random.default_rng()
    share = float(rng.beta(alpha, alpha)) if alpha > 0 else 1.0
    order = torch.from_numpy(rng.permutation(len(images)))
    mixed = share * images + (1 - share) * images[order]
    return mixed, labels, labels[order], share


def box(height: int, width: int, share: float, rng: np.random.Generator) -> Tuple[int, int, int, int]:
    """Rows and columns of a box that covers ``1 - share`` of a picture, cut at its edge."""
    cut = np.sqrt(1.0 - share)
    half_height, half_width = int(height * cut) // 2, int(width * cut) // 2
    y, x = int(rng.integers(height)), int(rng.integers(width))
    top, bottom = np.clip([y - half_height, y + half_height], 0, height)
    left, right = np.clip([x - half_width, x + half_width], 0, width)
    return int(top), int(bottom), int(left), int(right)


def cutmix(images: Tensor, labels: Tensor, alpha: float = 1.0, seed: Optional[int] = None):
    """Paste a box of another picture; images (N, C, H, W), labels (N,)."""
    rng = np.random.default_rng(seed)
    share = float(rng.beta(alpha, alpha))
    order = torch.from_numpy(rng.permutation(len(images)))
    top, bottom, left, right = box(images.size(2), images.size(3), share, rng)
    images = images.clone()
    images[:, :, top:bottom, left:right] = images[order, :, top:bottom, left:right]
    area = (bottom - top) * (right - left)
    return images, labels, labels[order], 1 - area / (images.size(2) * images.size(3))

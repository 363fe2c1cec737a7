"""Contrastive losses on embeddings."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def cosine_matrix(left: Tensor, right: Tensor) -> Tensor:
    """Cosine similarities of the rows: (N, D) and (M, D) give (N, M)."""
    return F.normalize(left, dim=-1) @ F.normalize(right, dim=-1).T


def info_nce(images: Tensor, texts: Tensor, temperature: float = 0.07) -> Tensor:
    """Symmetric cross entropy over the pairs of a batch.

    Args:
        images: embeddings of shape (N, D).
        texts: embeddings of shape (N, D), row by row those of ``images``.
        temperature: divides the similarities; must be greater than 0.
    """
    if temperature <= 0:
        raise ValueError("temperature must be positive")
    logits = cosine_matrix(images, texts) / temperature
    labels = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def triplet(anchor: Tensor, positive: Tensor, negative: Tensor | None = None, margin: float = 0.5) -> Tensor:
    """Triplet loss; without negatives those of the next pair are taken.

    Args:
        anchor: shape (N, D).
        positive: shape (N, D).
        negative: shape (N, D), optional.
    """
    if negative is None:
        negative = positive.roll(1, dims=0)
    near = (anchor - positive).norm(dim=-1)
    far = (anchor - negative).norm(dim=-1)
    return F.relu(near - far + margin).mean()

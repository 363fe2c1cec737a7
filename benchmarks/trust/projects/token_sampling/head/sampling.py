"""Sampling from the logits of a language model."""

from __future__ import annotations

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor


def top_k_filter(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row.

    Args:
        logits: shape (batch, vocabulary).
        k: number of tokens to keep, at least 1.
    """
    if k < 1:
        raise ValueError("k must be positive")
    k = min(k, logits.size(-1))
    smallest = torch.topk(logits, k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < smallest, float("-inf"))


def top_p_filter(logits: Tensor, p: float) -> Tensor:
    """Keep the most likely tokens whose probabilities sum up to p.

    Args:
        logits: shape (batch, vocabulary).
        p: in (0, 1].
    """
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    ordered, places = torch.sort(logits, dim=-1, descending=True)
    before = F.softmax(ordered, dim=-1).cumsum(dim=-1).roll(1, dims=-1)
    before[..., 0] = 0
    ordered = ordered.masked_fill(before >= p, float("-inf"))
    return torch.full_like(logits, float("-inf")).scatter(-1, places, ordered)


def sample(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: Optional[int] = None,
    top_p: Optional[float] = None,
    generator: Optional[torch.Generator] = None,
) -> Tensor:
    """Draw a token for each row of logits of shape (batch, vocabulary).

    A temperature of 0 takes the most likely token.
    """
    if temperature < 0:
        raise ValueError("temperature must not be negative")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        logits = top_k_filter(logits, top_k)
    if top_p is not None:
        logits = top_p_filter(logits, top_p)
    return torch.multinomial(F.softmax(logits, dim=-1), 1, generator=generator).squeeze(-1)


def repetition_penalty(logits: Tensor, seen: Tensor, penalty: float = 1.2) -> Tensor:
    """Make the tokens in ``seen`` (batch, length) less likely."""
    if penalty <= 0:
        raise ValueError("penalty must be positive")
    scores = logits.gather(-1, seen)
    scores = torch.where(scores < 0, scores * penalty, scores / penalty)
    return logits.scatter(-1, seen, scores)

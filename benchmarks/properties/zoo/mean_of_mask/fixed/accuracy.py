import torch

PAD = 0


def mask_of(ids: torch.Tensor) -> torch.Tensor:
    """Where a batch of token ids (batch, time) has words."""
    return ids != PAD


def coverage(mask: torch.Tensor) -> float:
    """Share of a batch that is no padding; mask: bool tensor of shape (batch, time)."""
    return mask.float().mean().item()


def report(ids: torch.Tensor) -> str:
    return f"{coverage(mask_of(ids)):.1%} words"

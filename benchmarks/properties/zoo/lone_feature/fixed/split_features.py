from torch import Tensor


def heads_of(x: Tensor, heads: int) -> Tensor:
    """(n, width) -> (heads, n, width // heads); the width is a multiple of heads."""
    n, width = x.shape
    if width % heads:
        raise ValueError("heads must divide the width")
    return x.view(n, heads, width // heads).permute(1, 0, 2).contiguous()


def join_heads(parts: Tensor) -> Tensor:
    """The inverse of heads_of."""
    heads, n, dim = parts.shape
    return parts.permute(1, 0, 2).reshape(n, heads * dim)

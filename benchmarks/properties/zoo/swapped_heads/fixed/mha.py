from jaxtyping import Float
from torch import Tensor


def split_heads(x: Float[Tensor, "batch time width"], heads: int) -> Float[Tensor, "batch heads time dim"]:
    batch, time, width = x.shape
    if width % heads != 0:
        raise ValueError(f"{width} features cannot be split into {heads} heads")
    return x.reshape(batch, time, heads, width // heads).permute(0, 2, 1, 3)


def merge_heads(x: Float[Tensor, "batch heads time dim"]) -> Float[Tensor, "batch time width"]:
    """The heads side by side again."""
    batch, heads, time, dim = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, time, heads * dim)

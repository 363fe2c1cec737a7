from typing import Literal

from torch import nn

SIZES = {
    "tiny": dict(width=96, heads=8, layers=1),
    "small": dict(width=128, heads=8, layers=1),
    "base": dict(width=192, heads=12, layers=2),
}


def build_encoder(size: Literal["tiny", "small", "base"] = "small", dropout: float = 0.1) -> nn.Module:
    """An encoder of one of the sizes."""
    if size not in SIZES:
        raise ValueError(f"size is one of {', '.join(SIZES)}")
    preset = SIZES[size]
    layer = nn.TransformerEncoderLayer(
        preset["width"], preset["heads"], 2 * preset["width"], dropout, batch_first=True
    )
    return nn.TransformerEncoder(layer, preset["layers"], enable_nested_tensor=False)

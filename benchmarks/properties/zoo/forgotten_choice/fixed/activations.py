from torch import nn

NAMES = ("relu", "gelu", "silu", "tanh")


def activation(name: str) -> nn.Module:
    """A layer by its name: relu, gelu, silu or tanh."""
    if name not in NAMES:
        raise ValueError(f"unknown activation {name!r}")
    if name == "relu":
        layer = nn.ReLU()
    elif name == "gelu":
        layer = nn.GELU()
    elif name == "silu":
        layer = nn.SiLU()
    elif name == "tanh":
        layer = nn.Tanh()
    return layer

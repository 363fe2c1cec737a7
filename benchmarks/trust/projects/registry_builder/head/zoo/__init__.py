from zoo import heads  # noqa: F401  registers the heads
from zoo.registry import build

__all__ = ["build"]

"""The random state that each input starts with, so that runs repeat."""

from __future__ import annotations

import random
import sys

SEED = 0


def seed() -> None:
    """Seed ``random``, and NumPy and torch where they are loaded, always alike.

    The same as ``random.seed(0)``, ``numpy.random.seed(0)`` and
    ``torch.manual_seed(0)`` (which is slow where there is no GPU to seed).
    """
    random.seed(SEED)
    numpy = sys.modules.get("numpy")
    if hasattr(numpy, "random"):
        numpy.random.seed(SEED)  # type: ignore[union-attr]
    torch = sys.modules.get("torch")
    generator = getattr(torch, "default_generator", None)
    if hasattr(generator, "manual_seed"):
        generator.manual_seed(SEED)  # type: ignore[union-attr]
        cuda = getattr(torch, "cuda", None)
        if cuda is not None and cuda.is_initialized():
            cuda.manual_seed_all(SEED)

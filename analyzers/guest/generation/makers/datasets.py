"""Datasets and the loaders over them, with torch's own classes, so that workers can pickle them."""

from __future__ import annotations

from typing import Any, Sequence


def dataset(items: Sequence[Any]) -> Any:
    """A map-style ``torch.utils.data.Dataset`` whose element at ``i`` is ``items[i]``."""
    from torch.utils.data import Subset

    kept: Any = list(items)
    return Subset(kept, range(len(kept)))


def loader(items: Sequence[Any], batch_size: int = 1) -> Any:
    """A ``torch.utils.data.DataLoader`` over ``items`` in their order, with the default collate."""
    from torch.utils.data import DataLoader, Subset

    kept: Any = list(items)
    return DataLoader(Subset(kept, range(len(kept))), batch_size=batch_size)

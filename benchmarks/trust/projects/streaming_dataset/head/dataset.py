"""Reads examples from JSON lines."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Iterator

import torch
from torch.utils.data import Dataset, IterableDataset

log = logging.getLogger(__name__)


def parse(line: str) -> dict | None:
    """An example with ``features`` and ``label``; ``None`` for a broken line."""
    try:
        data = json.loads(line)
    except json.JSONDecodeError:
        return None
    if not isinstance(data, dict) or "features" not in data or "label" not in data:
        return None
    return data


def to_tensors(example: dict) -> tuple[torch.Tensor, torch.Tensor]:
    return (
        torch.as_tensor(example["features"], dtype=torch.float32),
        torch.as_tensor(example["label"], dtype=torch.long),
    )


class Stream(IterableDataset):
    def __init__(self, folder: str) -> None:
        self.files = sorted(Path(folder).glob("*.jsonl"))
        if not self.files:
            log.warning("no files in %s", folder)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for path in self.files:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    example = parse(line)
                    if example is not None:
                        yield to_tensors(example)


class InMemory(Dataset):
    def __init__(self, folder: str = "data") -> None:
        self.items = list(Stream(folder))

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.items[index]


def stack(batch: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Stack the examples of a batch; their features have one length."""
    features, labels = zip(*batch)
    return torch.stack(features), torch.stack(labels)

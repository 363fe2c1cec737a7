"""News categories from averaged word vectors."""

from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import nn


def starts_of(lengths: List[int]) -> torch.Tensor:
    """Where each text begins in the concatenated words."""
    starts = [0]
    for length in lengths[:-1]:
        starts.append(starts[-1] + length)
    return torch.tensor(starts)


def bag_means(words: torch.Tensor, starts: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Mean word vector of each text.

    ``words`` are row numbers of ``table``, ``starts`` the offset of each text in them.
    """
    return F.embedding_bag(words, table, starts, mode="mean")


class TextClassifier(nn.Module):
    def __init__(self, vocabulary: int = 200, width: int = 16, classes: int = 4):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocabulary, width, mode="mean")
        self.out = nn.Linear(width, classes)

    def forward(self, words, offsets):
        return self.out(self.embedding(words, offsets))


def collate(batch: List[Tuple[int, List[int]]]):
    labels = torch.tensor([label for label, _ in batch])
    words = torch.tensor([word for _, text in batch for word in text], dtype=torch.long)
    offsets = starts_of([len(text) for _, text in batch])
    return labels, words, offsets


def predict(model: TextClassifier, texts: List[List[int]]) -> List[int]:
    _, words, offsets = collate([(0, text) for text in texts])
    return model(words, offsets).argmax(1).tolist()

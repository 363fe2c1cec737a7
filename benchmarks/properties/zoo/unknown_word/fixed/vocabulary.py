import torch
from torch import Tensor, nn

WORDS = ["the", "a", "cat", "dog", "sat", "ran"]
NUMBERS = {word: number for number, word in enumerate(WORDS, start=1)}  # 0: padding


def embed(words: list[str], dim: int = 8) -> Tensor:
    """A vector for every word, 0 for one that is not known: (len(words), dim)."""
    table = nn.Embedding(len(WORDS) + 1, dim, padding_idx=0)
    numbers = torch.tensor([NUMBERS.get(word, 0) for word in words], dtype=torch.long)
    return table(numbers)

from typing import Iterable

import torch
from torch import nn


class CharModel(nn.Module):
    def __init__(self, letters: int = 20, hidden: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, letters)

    def forward(self, ids, state=None):
        states, state = self.gru(self.embedding(ids), state)
        return self.out(states), state


def evaluate(batches: Iterable[torch.Tensor]) -> float:
    """Mean score of the first letter; batches of letters (rows, time), each below 20."""
    net, state, total, count = CharModel(), None, 0.0, 0
    with torch.no_grad():
        for ids in batches:
            logits, state = net(ids, state)
            total += logits[..., 0].sum().item()
            count += ids.numel()
    return total / max(1, count)

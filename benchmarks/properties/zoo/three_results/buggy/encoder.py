import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary_size: int, hidden: int = 16):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, hidden)
        self.lstm = nn.LSTM(hidden, hidden, batch_first=True)

    def forward(self, ids: torch.LongTensor) -> torch.Tensor:
        """ids (batch, time) below vocabulary_size -> (batch, hidden)"""
        states, hidden, cell = self.lstm(self.embedding(ids))
        return hidden[-1]

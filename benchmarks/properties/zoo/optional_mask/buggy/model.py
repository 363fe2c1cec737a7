import torch
from torch import nn

from pooling import masked_mean


class SentenceEncoder(nn.Module):
    def __init__(self, words, dim):
        super().__init__()
        self.embedding = nn.Embedding(words, dim, padding_idx=0)

    def forward(self, ids):
        return masked_mean(self.embedding(ids), ids != 0)

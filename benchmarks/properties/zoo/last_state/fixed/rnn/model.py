import torch
from torch import nn

from rnn.last import last_states


class Tagger(nn.Module):
    def __init__(self, features, hidden, tags):
        super().__init__()
        self.gru = nn.GRU(features, hidden, batch_first=True)
        self.out = nn.Linear(hidden, tags)

    def forward(self, x, lengths):
        states, _ = self.gru(x)
        return self.out(last_states(states, lengths))

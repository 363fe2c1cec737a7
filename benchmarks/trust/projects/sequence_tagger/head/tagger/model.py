import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tagger.data import PAD


class Tagger(nn.Module):
    """Bidirectional LSTM over words."""

    def __init__(self, words: int = 100, tags: int = 5, width: int = 16):
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=PAD)
        self.lstm = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * (width // 2), tags)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Scores (B, T, tags).

        Args:
            tokens: word ids (B, T), 0 for padding.
            lengths: words of each sentence (B,), 1 to T.
        """
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        hidden, _ = self.lstm(packed)
        hidden, _ = pad_packed_sequence(hidden, batch_first=True, total_length=tokens.size(1))
        return self.out(hidden)


def accuracy(scores: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor) -> float:
    """Share of right tags among real words; scores (B, T, K), tags (B, T), lengths (B,)."""
    real = torch.arange(tags.size(1))[None, :] < lengths[:, None]
    right = (scores.argmax(-1) == tags) & real
    return right.sum().item() / max(int(real.sum()), 1)

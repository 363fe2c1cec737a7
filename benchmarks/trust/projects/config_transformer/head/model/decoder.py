"""A small decoder-only language model."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from model.config import Config


class Block(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.heads = config.heads
        self.first = nn.LayerNorm(config.width)
        self.attend = nn.Linear(config.width, 3 * config.width)
        self.project = nn.Linear(config.width, config.width)
        self.second = nn.LayerNorm(config.width)
        self.mlp = nn.Sequential(
            nn.Linear(config.width, 4 * config.width),
            nn.GELU(),
            nn.Linear(4 * config.width, config.width),
            nn.Dropout(config.dropout),
        )

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        parts = self.attend(self.first(x)).chunk(3, dim=-1)
        query, key, value = (
            part.view(b, t, self.heads, d // self.heads).transpose(1, 2) for part in parts
        )
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.project(attended.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.second(x))


class Decoder(nn.Module):
    """Predicts the next token."""

    def __init__(self, config: Config | None = None) -> None:
        super().__init__()
        self.config = config or Config()
        self.tokens = nn.Embedding(self.config.vocabulary, self.config.width)
        self.positions = nn.Embedding(self.config.context, self.config.width)
        self.blocks = nn.ModuleList(Block(self.config) for _ in range(self.config.layers))
        self.norm = nn.LayerNorm(self.config.width)
        self.head = nn.Linear(self.config.width, self.config.vocabulary, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, tokens: Tensor, targets: Tensor | None = None):
        """Logits, and the loss where there are targets.

        Args:
            tokens: token ids of shape (B, T), 0 to vocabulary - 1, T at most the context.
            targets: token ids of shape (B, T), -1 where nothing is asked.
        """
        _, length = tokens.shape
        if length > self.config.context:
            raise ValueError(f"sequence of {length} is longer than {self.config.context}")
        x = self.tokens(tokens) + self.positions(torch.arange(length, device=tokens.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, tokens: Tensor, count: int = 4) -> Tensor:
        """Append ``count`` greedy tokens."""
        for _ in range(count):
            logits, _ = self(tokens[:, -self.config.context :])
            tokens = torch.cat([tokens, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
        return tokens

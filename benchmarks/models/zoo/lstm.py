"""A bidirectional LSTM that classifies sequences of tokens."""

import torch
import torch.nn as nn


class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size=100, embed_dim=16, hidden_size=32, num_layers=2, num_classes=5, dropout=0.2):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.lstm = nn.LSTM(
            embed_dim,
            hidden_size,
            num_layers=num_layers,
            batch_first=True,
            bidirectional=True,
            dropout=dropout,
        )
        self.norm = nn.LayerNorm(2 * hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(2 * hidden_size, num_classes)

    def forward(self, tokens):
        embedded = self.embedding(tokens)
        output, _ = self.lstm(embedded)
        pooled = self.norm(output.mean(dim=1))
        return self.fc(self.dropout(torch.tanh(pooled)))


def build():
    return LSTMClassifier()


def inputs():
    return (torch.randint(1, 100, (2, 12)),)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = build()
    tokens = torch.randint(1, 100, (8, 12))
    labels = torch.randint(0, 5, (8,))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.train()
    for step in range(5):
        optimizer.zero_grad()
        loss = criterion(model(tokens), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        print(step, loss.item())

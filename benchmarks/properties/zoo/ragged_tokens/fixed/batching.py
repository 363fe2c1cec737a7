import torch


def encode(sentence: str) -> list[int]:
    """One number for each letter."""
    return [ord(letter) % 64 for letter in sentence]


def to_batch(rows: list[list[int]]) -> torch.Tensor:
    """Numbers of several sentences, 0 where one has ended: (len(rows), longest)."""
    longest = max(map(len, rows), default=0)
    rows = [row + [0] * (longest - len(row)) for row in rows]
    return torch.tensor(rows, dtype=torch.long)


def batch_of(sentences: list[str]) -> torch.Tensor:
    return to_batch([encode(sentence) for sentence in sentences])

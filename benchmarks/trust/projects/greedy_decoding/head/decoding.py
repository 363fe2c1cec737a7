"""Greedy decoding of CTC outputs."""

from __future__ import annotations

from typing import List, Optional, Sequence

import torch
from torch import Tensor

ALPHABET = "-abcdefghijklmnopqrstuvwxyz '"
BLANK = 0


def collapse(path: Sequence[int], blank: int = BLANK) -> List[int]:
    """Remove repeats, then blanks."""
    found: List[int] = []
    previous = None
    for label in path:
        if label != previous and label != blank:
            found.append(label)
        previous = label
    return found


def spell(labels: Sequence[int], alphabet: str = ALPHABET) -> str:
    return "".join(alphabet[label] for label in labels if 0 <= label < len(alphabet))


def decode(logits: Tensor, lengths: Optional[Tensor] = None) -> List[str]:
    """The texts of a batch.

    Args:
        logits: shape (T, N, 29), time first.
        lengths: frames of each text, shape (N,), 1 to T; all of them by default.
    """
    best = logits.argmax(dim=-1).T
    texts = []
    for index, path in enumerate(best.tolist()):
        end = len(path) if lengths is None else int(lengths[index])
        texts.append(spell(collapse(path[:end])))
    return texts


def error_rate(said: Sequence[str], meant: Sequence[str]) -> float:
    """Edit distance per character of what was meant; 0 where nothing was."""
    edits = sum(distance(one, other) for one, other in zip(said, meant))
    return edits / max(sum(map(len, meant)), 1)


def distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]

"""Sentences as padded batches."""

from typing import Dict, List, Sequence, Tuple

import torch
from torch.nn.utils.rnn import pad_sequence

PAD, UNKNOWN = 0, 1


def build_vocabulary(sentences: Sequence[Sequence[str]], minimum: int = 1) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            counts[word.lower()] = counts.get(word.lower(), 0) + 1
    kept = sorted(word for word, count in counts.items() if count >= minimum)
    return {"<pad>": PAD, "<unk>": UNKNOWN, **{word: n + 2 for n, word in enumerate(kept)}}


def encode(sentence: Sequence[str], vocabulary: Dict[str, int]) -> torch.Tensor:
    return torch.tensor([vocabulary.get(word.lower(), UNKNOWN) for word in sentence], dtype=torch.long)


def make_batch(sentences: List[List[str]], vocabulary: Dict[str, int]) -> Tuple[torch.Tensor, torch.Tensor]:
    """Token ids (B, T) and lengths (B,); sentences must not be empty."""
    if not sentences or any(len(sentence) == 0 for sentence in sentences):
        raise ValueError("a batch needs sentences with words")
    encoded = [encode(sentence, vocabulary) for sentence in sentences]
    lengths = torch.tensor([len(each) for each in encoded])
    return pad_sequence(encoded, batch_first=True, padding_value=PAD), lengths

"""Keywords for a newsletter's archive."""

from __future__ import annotations

from collections import Counter
from typing import Iterable, Iterator

import boto3

PART = 25
client = boto3.client("comprehend", region_name="eu-west-1")


def parts(texts: Iterable[str], size: int = PART) -> Iterator[list[str]]:
    part: list[str] = []
    for text in texts:
        if text.strip():
            part.append(text[:4000])
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def phrases(text: str) -> list[str]:
    answer = client.detect_key_phrases(Text=text, LanguageCode="en")
    return [each["Text"].lower() for each in answer["KeyPhrases"] if each["Score"] >= 0.8]


def keywords(texts: list[str], most: int = 5) -> list[str]:
    """The most frequent phrases of all texts."""
    counts: Counter[str] = Counter()
    for part in parts(texts):
        for text in part:
            counts.update(set(phrases(text)))
    return [phrase for phrase, _ in counts.most_common(most)]

"""What is compared of two APIs: terms of their names, parameters and first sentences."""

from __future__ import annotations

import re
from typing import List

from ..nouns import Api
from .names import unmarked

SHORTEST, LONGEST = 2, 5
"""The lengths of the pieces of a name."""

_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_HEADING = re.compile(r"^\s*[\w.]+\(.*\)\s*(?:->.*)?$")
_COMMON = frozenset(("the", "a", "an", "and", "are", "as", "at", "be", "by", "for", "from")).union(
    ("in", "is", "it", "its", "of", "on", "or", "this", "to", "with")
)


def of_name(api: Api) -> List[str]:
    """The character 2- to 5-grams of an API's own name, with its ends."""
    text = f" {own_name(api.name)} "
    return [
        text[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(text) - length + 1)
    ]


def own_name(name: str) -> str:
    """The last part of a dotted name in small letters, without underscores.

    So ``abs_``, ``LeakyReLU`` and ``leaky_relu`` look like what they are near.
    """
    return name.rpartition(".")[2].replace("_", "").lower()


def of_parameters(api: Api) -> List[str]:
    """The names of the parameters."""
    return [item.name.strip("*") for item in api.parameters]


def of_document(api: Api) -> List[str]:
    """The words of the first sentence of the documentation, and pairs of them that follow."""
    words = [_stem(word) for word in re.findall(r"[a-z]+", first_sentence(api.doc).lower())]
    kept = [word for word in words if word not in _COMMON]
    return kept + [f"{left} {right}" for left, right in zip(kept, kept[1:])]


def first_sentence(doc: str) -> str:
    """The first sentence below the line that repeats the signature."""
    lines = unmarked(doc).strip().splitlines()
    while lines and (not lines[0].strip() or _HEADING.match(lines[0])):
        lines.pop(0)
    return " ".join(_SENTENCE.split("\n".join(lines).strip(), maxsplit=1)[0].split())


def _stem(word: str) -> str:
    """A plain stem: plural and verb endings of English."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word

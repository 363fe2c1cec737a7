"""Relations of labels in natural language (Keeper, section 4.2).

The graph is WordNet's nouns as Debian's ``wordnet-base`` installs them
(wndb(5WN)).  Two labels are related when they share a meaning, when a
meaning of one is next to a meaning of the other, or when the two have a
neighbour in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path

FOLDER = Path("/usr/share/wordnet")
UNAVAILABLE = (
    f"related labels are unknown here: WordNet is not installed in {FOLDER}"
    " (apt install wordnet-base)"
)

_LINKS = frozenset({"@", "@i", "~", "~i", "#m", "#s", "#p", "%m", "%s", "%p"})
_PLURALS = (
    ("children", "child"),
    ("people", "person"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("geese", "goose"),
    ("mice", "mouse"),
    ("men", "man"),
    ("ies", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("es", ""),
    ("s", ""),
)
_HUB = 60
"""A meaning with more neighbours than this says too little of them."""


class NounGraph:
    """WordNet's noun graph, read where it is asked."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder

    def available(self) -> bool:
        """Return whether the graph is installed."""
        return all((self._folder / name).is_file() for name in ("index.noun", "data.noun"))

    def __call__(self, one: str, other: str) -> bool:
        """Return whether two labels are related; never, where WordNet is absent."""
        if not self.available():
            return False
        ours, theirs = self.meanings(one), self.meanings(other)
        if ours & theirs:
            return True
        around_ours, around_theirs = self._around(ours), self._around(theirs)
        if ours & around_theirs or theirs & around_ours:
            return True
        return any(len(self.neighbours(n)) <= _HUB for n in around_ours & around_theirs)

    def synonyms(self, label: str, names: Iterable[str]) -> list[str]:
        """Return the names that share a meaning with a label, the shortest in words first."""
        if not self.available():
            return []
        wanted = self.meanings(label)
        alike = {name: self.meanings(name) & wanted for name in names}
        found = [name for name, shared in alike.items() if shared and name != label]
        return sorted(found, key=lambda name: (len(name.split()), -len(alike[name]), name))

    @lru_cache(maxsize=65536)  # noqa: B019 one instance lives as long as the process
    def meanings(self, label: str) -> frozenset[int]:
        """Return the usual synsets of a label, or else of its head noun."""
        words = re.sub(r"\(.*?\)", " ", label).casefold().split()
        for start in (0, len(words) - 1) if words else ():
            forms = _forms("_".join(words[start:]))
            if found := frozenset[int]().union(*(self._synsets(form) for form in forms)):
                return found
        return frozenset()

    @lru_cache(maxsize=65536)  # noqa: B019 one instance lives as long as the process
    def neighbours(self, synset: int) -> frozenset[int]:
        """Return the synsets directly above, below, inside and around one."""
        line = self._data[synset : self._data.index(b"\n", synset)]
        fields = line.decode("ascii").split(" | ")[0].split()
        after_words = 4 + 2 * int(fields[3], 16)
        pointers = fields[after_words + 1 :]
        return frozenset(
            int(pointers[at + 1])
            for at in range(0, 4 * int(fields[after_words]), 4)
            if pointers[at] in _LINKS and pointers[at + 2] == "n"
        )

    def _around(self, synsets: frozenset[int]) -> frozenset[int]:
        return frozenset[int]().union(*(self.neighbours(synset) for synset in synsets))

    def _synsets(self, lemma: str) -> tuple[int, ...]:
        """Return the synsets that texts use, or else the two listed first."""
        fields = self._index.get(lemma.encode(), b"").split()
        if not fields:
            return ()
        offsets = fields[-int(fields[1]) :]
        used = int(fields[-len(offsets) - 1])
        return tuple(int(offset) for offset in offsets[: max(2, used)])

    @cached_property
    def _index(self) -> dict[bytes, bytes]:
        lines = (self._folder / "index.noun").read_bytes().splitlines()
        return dict(line.split(b" ", 1) for line in lines if not line.startswith(b" "))

    @cached_property
    def _data(self) -> bytes:
        return (self._folder / "data.noun").read_bytes()


def _forms(lemma: str) -> set[str]:
    """Return a lemma with its hyphens opened and its plural stripped."""
    forms = {lemma, lemma.replace("-", "_")}
    if len(lemma) > 3 and not lemma.endswith(("ss", "us", "is")):
        forms |= {
            lemma.removesuffix(plural) + singular
            for plural, singular in _PLURALS
            if lemma.endswith(plural)
        }
    return forms


related = NounGraph()
"""The graph that is installed on this machine."""

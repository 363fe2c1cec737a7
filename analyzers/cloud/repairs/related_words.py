"""Relations of labels in natural language (Keeper, section 4.2).

The graph is WordNet's nouns as Debian's ``wordnet-base`` installs them
(wndb(5WN)).  Two labels are related when they share a meaning, when a
meaning of one is next to a meaning of the other, when the two have a
neighbour in common, or when one is defined by the other ("a flower is a plant …").
Keeper asks Wikidata; where it says what causes, makes or has what (fire and ash, fire and
smoke), a cut of ConceptNet stands in: pairs of labels, in ``related_labels.tsv``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

FOLDER = Path("/usr/share/wordnet")
UNAVAILABLE = (
    f"related labels are unknown here: WordNet is not installed in {FOLDER}"
    " (apt install wordnet-base)"
)

PAIRS = "related_labels.tsv"
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
    *((f"{end}es", end) for end in ("s", "x", "z", "ch", "sh", "o")),
    ("s", ""),
)
_ENDINGS = re.compile(r"(?<=\w{4})(ings?|es|s)$")
_ABOVE = frozenset({"@", "@i"})
_ANYBODY = frozenset({"man", "men", "woman", "women", "person", "people", "child", "thing"})
"""Words of definitions that say little of what is defined."""
_HUB = 60
"""A meaning with more neighbours than this says too little of them."""


_Nearness = tuple[bool, bool, int, int, int, int]


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
        if any(len(self.neighbours(n)) <= _HUB for n in around_ours & around_theirs):
            return True
        return self._is_told(one, other)

    def synonyms(self, label: str, names: Iterable[str]) -> list[str]:
        """Return the names that share a stem or a meaning with a label, the nearest first."""
        found = self._nearest(label, frozenset(names))
        return [name for name, distance in found if not distance]

    def nearest(self, label: str, names: Iterable[str]) -> list[str]:
        """Return the synonyms among names and what a label is a kind of, the nearest first.

        Names of the label's own stem come first (``Clothing`` for ``clothes``), then names of
        one word whose usual meaning it is (``Waste`` for ``trash`` rather than ``Scrap``).
        """
        return [name for name, _ in self._nearest(label, frozenset(names))]

    @lru_cache(maxsize=256)  # noqa: B019 one instance lives as long as the process
    def _nearest(self, label: str, names: frozenset[str]) -> Sequence[tuple[str, int]]:
        """Return names with how many steps they are above a label: 0 or 1."""
        if not self.available():
            return []
        ours, forms = self._ranked(label), _label_forms(label)
        wider = {
            above: rank + 1 for meaning, rank in ours.items() for above in self._above(meaning)
        }
        found: list[tuple[_Nearness, str]] = []
        for name in names:
            theirs = self._ranked(name)
            ways = [
                (rank + known[meaning], rank, distance)
                for distance, known in enumerate((ours, wider))
                for meaning, rank in theirs.items()
                if meaning in known
            ]
            cost, rank, distance = min(ways, default=(0, 0, 0))
            spelled = "_".join(_plain(name).split()) in forms
            alike = spelled or _stem(name) == _stem(label)
            if name == label or not (alike or ways):
                continue
            if alike or not distance or self._is_told(label, name):
                order = (not spelled, not alike, len(name.split()), cost, rank)
                found.append(((*order, 0 if alike else distance), name))
        return [(name, key[-1]) for key, name in sorted(found)]

    def _is_told(self, one: str, other: str) -> bool:
        """Return whether ConceptNet relates two labels, or one is defined by the other."""
        return (
            _known_pair(one, other) or self._is_defined(one, other) or self._is_defined(other, one)
        )

    @lru_cache(maxsize=65536)  # noqa: B019 one instance lives as long as the process
    def meanings(self, label: str) -> frozenset[int]:
        """Return the usual synsets of a label, or else of its head noun."""
        return frozenset(self._ranked(label))

    @lru_cache(maxsize=65536)  # noqa: B019 one instance lives as long as the process
    def _ranked(self, label: str) -> Mapping[int, int]:
        """Return the meanings of a label, each with how many are more usual."""
        words = _plain(label).split()
        for start in (0, len(words) - 1) if words else ():
            found: dict[int, int] = {}
            for form in _forms("_".join(words[start:])):
                for rank, synset in enumerate(self._synsets(form)):
                    found[synset] = min(rank, found.get(synset, rank))
            if found:
                return found
        return {}

    @lru_cache(maxsize=65536)  # noqa: B019 one instance lives as long as the process
    def neighbours(self, synset: int) -> frozenset[int]:
        """Return the synsets directly above, below, inside and around one."""
        return self._linked(synset, _LINKS)

    def _above(self, synset: int) -> frozenset[int]:
        return self._linked(synset, _ABOVE)

    def _linked(self, synset: int, symbols: frozenset[str]) -> frozenset[int]:
        fields = self._line(synset)[0].split()
        after_words = 4 + 2 * int(fields[3], 16)
        pointers = fields[after_words + 1 :]
        return frozenset(
            int(pointers[at + 1])
            for at in range(0, 4 * int(fields[after_words]), 4)
            if pointers[at] in symbols and pointers[at + 2] == "n"
        )

    def _line(self, synset: int) -> tuple[str, str]:
        """Return the fields of a synset, and what is written of it."""
        line = self._data[synset : self._data.index(b"\n", synset)].decode("ascii")
        fields, _, written = line.partition(" | ")
        return fields, written

    def _is_defined(self, label: str, by: str) -> bool:
        """Return whether the definition of a meaning of a label has the other label as a word."""
        words = {form.replace("_", " ") for form in _label_forms(by)} - {""}
        return not words & _ANYBODY and any(
            not words.isdisjoint(self._defining(synset)) for synset in self.meanings(label)
        )

    @lru_cache(maxsize=4096)  # noqa: B019 one instance lives as long as the process
    def _defining(self, synset: int) -> frozenset[str]:
        """Return the words of a definition, and each two in a row, in any of their forms."""
        said = re.sub(r"\(.*?\)|\".*", " ", self._line(synset)[1]).casefold()
        found = re.findall(r"[a-z][a-z-]+", said)
        pairs = [f"{one} {other}" for one, other in pairwise(found)]
        return frozenset(form for word in (*found, *pairs) for form in _forms(word))

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


def _plain(label: str) -> str:
    """Return a label without case, and without what stands in parentheses."""
    return re.sub(r"\(.*?\)", " ", label).casefold()


def _stem(label: str) -> tuple[str, ...]:
    return tuple(_ENDINGS.sub("", word) for word in _plain(label).split())


def _known_pair(one: str, other: str) -> bool:
    ours, theirs = ({form.replace("_", " ") for form in _label_forms(x)} for x in (one, other))
    return any(frozenset((a, b)) in _pairs() for a in ours for b in theirs)


def _label_forms(label: str) -> set[str]:
    return _forms("_".join(_plain(label).split()))


@cache
def _pairs() -> frozenset[frozenset[str]]:
    """Return the pairs of labels that ConceptNet relates."""
    text = files("analyzers.catalogue").joinpath("vocabularies", PAIRS).read_text("utf-8")
    return frozenset(frozenset(line.split("\t")[:2]) for line in text.splitlines())


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

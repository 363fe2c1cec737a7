"""Label vocabularies, and how well a label fits one."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache, cached_property
from importlib.resources import files


class Grade(StrEnum):
    """The relation of a label to a vocabulary.

    ``SYNONYM``: another word for one of its labels, which takes a dictionary
    to say.  ``UNKNOWN`` is never proof that no answer carries the label: providers
    change their vocabularies without notice.
    """

    EXACT = "exact"
    CASE = "case-only"
    ALIAS = "alias"
    SYNONYM = "synonym"
    UNKNOWN = "unknown"


class Vocabulary:
    """The labels that an API is known to answer with.

    ``aliases`` maps another name of a label, in any case, to its name.
    """

    def __init__(self, name: str, labels: Iterable[str], aliases: Mapping[str, str]) -> None:
        self.name = name
        self.labels = frozenset(labels)
        self._aliases = {alias.casefold(): label for alias, label in aliases.items()}

    @cached_property
    def _folded(self) -> dict[str, str]:
        return {label.casefold(): label for label in sorted(self.labels)}

    @cached_property
    def _trigrams(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = {}
        for folded in self._folded:
            for gram in _grams(folded):
                index.setdefault(gram, []).append(folded)
        return index

    def grade(self, label: str) -> Grade:
        """Return how ``label`` stands to this vocabulary."""
        if label in self.labels:
            return Grade.EXACT
        if label.casefold() in self._folded:
            return Grade.CASE
        return Grade.ALIAS if label.casefold() in self._aliases else Grade.UNKNOWN

    def canonical(self, label: str) -> str | None:
        """Return the vocabulary's own name for ``label``; ``None`` where unknown."""
        if label in self.labels:
            return label
        folded = label.casefold()
        return self._folded.get(folded) or self._aliases.get(folded)

    def closest(self, label: str, count: int = 3) -> tuple[str, ...]:
        """At most ``count`` labels that are spelled most alike, best first."""
        folded = label.strip().casefold()
        shared = Counter(
            candidate for gram in _grams(folded) for candidate in self._trigrams.get(gram, ())
        )
        candidates = [candidate for candidate, _ in shared.most_common(200)]
        best = difflib.get_close_matches(folded, candidates, n=count, cutoff=0.5)
        return tuple(self._folded[candidate] for candidate in best)


def _grams(text: str) -> frozenset[str]:
    padded = f"  {text} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


@cache
def vocabulary(name: str) -> Vocabulary:
    """Return the vocabulary called ``name``, read on first use.  Raises ``KeyError``."""
    return _READERS[name]()


OUTSIDE_OPEN_IMAGES = ("Packaged goods", "2D barcode")
"""Names that Google's object localization gives and Open Images does not have."""


def _open_images() -> Vocabulary:
    """Return the names of Open Images V6; those of V1 are aliases by their MID."""
    current = _named("openimages_v6.tsv")
    former = _named("openimages_v1.tsv")
    aliases = {name: current.get(mid, name) for mid, name in former.items()}
    return Vocabulary("openimages", (*current.values(), *OUTSIDE_OPEN_IMAGES), aliases)


def _rekognition() -> Vocabulary:
    return Vocabulary("rekognition", _lines("rekognition_v3.txt"), {})


CATEGORIES = "google-content"
TOPS_OF_V2 = ("/Travel & Transportation",)
"""Categories of the second version at the root; the list of the others has no free copy."""


def _content_categories() -> Vocabulary:
    """Return the paths of Google's content categories; a part of a path is another name of it."""
    paths = [*_lines("google_content_v1.txt"), *TOPS_OF_V2]
    parts = {part: path for path in reversed(paths) for part in (path[1:], *path.split("/")[1:])}
    return Vocabulary(CATEGORIES, paths, parts)


def is_content_category(name: str) -> bool:
    """Return whether a text names a content category, by its path or a whole part of it.

    A path below a known root may be one of the second version.
    """
    names = (name, "/".join(name.split("/")[:2])) if name.startswith("/") else (name,)
    return any(vocabulary(CATEGORIES).grade(each) is not Grade.UNKNOWN for each in names)


def _named(file: str) -> dict[str, str]:
    rows = (line.split("\t", 1) for line in _lines(file))
    return {mid: name.strip() for mid, name in rows}


def _lines(file: str) -> list[str]:
    text = files("analyzers.catalogue").joinpath("vocabularies", file).read_text("utf-8")
    return [line for line in text.splitlines() if line.strip()]


_READERS = {
    "openimages": _open_images,
    "rekognition": _rekognition,
    CATEGORIES: _content_categories,
}

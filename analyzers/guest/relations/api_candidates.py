"""Candidate pairs of APIs, from names, parameters and documentation."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from .relation_types import LibraryApi

_ABBREVIATIONS = {
    "np": "numpy",
    "jnp": "jax.numpy",
    "lax": "jax.lax",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "Tensor": "torch.Tensor",
    "ops": "keras.ops",
    "random": "keras.random",
}
_ROLE = re.compile(
    r":(?:\w+:)?(?:func|meth|class|attr|code|ref|obj|mod):`~?([^`<]*?)(?:\s*<[^`]*>)?`"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class ApiNames:
    """The APIs of a library by all that they may be called.

    What is ambiguous is resolved near the API that names it: ``Tensor.abs``
    before ``torch.abs`` in the documentation of a method.
    """

    def __init__(self, apis: Iterable[LibraryApi]) -> None:
        self._canonical: Dict[str, str] = {}
        for api in apis:
            self._canonical[api.name] = api.name
            for other in api.others:
                self._canonical.setdefault(other, api.name)
        self._roots = sorted({name.split(".")[0] for name in self._canonical})

    def resolved(self, text: str, near: str = "") -> Optional[str]:
        """The canonical name of the API that a text names, in the documentation of ``near``."""
        name = text.strip().lstrip("~.!").rstrip("()").strip()
        if not name:
            return None
        return next(
            (
                self._canonical[item]
                for item in self._spellings(name, near)
                if item in self._canonical
            ),
            None,
        )

    def _spellings(self, name: str, near: str) -> List[str]:
        first, dot, rest = name.partition(".")
        found = [name]
        if first in _ABBREVIATIONS:
            found.append(f"{_ABBREVIATIONS[first]}{dot}{rest}")
        parts = near.split(".")
        found += [".".join([*parts[:count], name]) for count in range(len(parts) - 1, 0, -1)]
        return found + [f"{root}.{name}" for root in self._roots]


def unmarked(text: str) -> str:
    """Return documentation without its roles and back ticks."""
    return _ROLE.sub(r"\1", text).replace("``", "").replace("`", "")


def mentioned(text: str) -> List[str]:
    """Return the dotted names in a text and what its roles refer to, in order, each once."""
    found = [match.group(1) for match in _ROLE.finditer(text)]
    found += _DOTTED.findall(_ROLE.sub(" ", text))
    return list(dict.fromkeys(item.strip() for item in found if item.strip()))


SHORTEST, LONGEST = 2, 5
"""The lengths of the pieces of a name."""

_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_HEADING = re.compile(r"^\s*[\w.]+\(.*\)\s*(?:->.*)?$")
_COMMON = frozenset(("the", "a", "an", "and", "are", "as", "at", "be", "by", "for", "from")).union(
    ("in", "is", "it", "its", "of", "on", "or", "this", "to", "with")
)


def of_name(api: LibraryApi) -> List[str]:
    """Return the character 2- to 5-grams of an API's own name, with its ends."""
    text = f" {own_name(api.name)} "
    return [
        text[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(text) - length + 1)
    ]


def own_name(name: str) -> str:
    """Return the last part of a dotted name in small letters, without underscores.

    So ``abs_``, ``LeakyReLU`` and ``leaky_relu`` look like what they are near.
    """
    return name.rpartition(".")[2].replace("_", "").lower()


def of_parameters(api: LibraryApi) -> List[str]:
    """Return the names of the parameters."""
    return [item.name.strip("*") for item in api.parameters]


def of_document(api: LibraryApi) -> List[str]:
    """The words of the first sentence of the documentation, and pairs of them that follow."""
    words = [_stem(word) for word in re.findall(r"[a-z]+", first_sentence(api.doc).lower())]
    kept = [word for word in words if word not in _COMMON]
    return kept + [f"{left} {right}" for left, right in zip(kept, kept[1:])]


def first_sentence(doc: str) -> str:
    """Return the first sentence below the line that repeats the signature."""
    lines = unmarked(doc).strip().splitlines()
    while lines and (not lines[0].strip() or _HEADING.match(lines[0])):
        lines.pop(0)
    return " ".join(_SENTENCE.split("\n".join(lines).strip(), maxsplit=1)[0].split())


def _stem(word: str) -> str:
    """Return a plain stem: plural and verb endings of English."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_REFERS = re.compile(
    r"^(?:alias (?:for|of|to)|see(?: also)?|in-?place version of|out-of-place version of"
    r"|(?:this (?:function )?is )?(?:equivalent|identical|an alias|same as|deprecated alias))\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.).*$", re.MULTILINE)
_MOST_STEPS = 4
MOST = 12
"""How many of the APIs that a documentation names are candidates: long ones name many."""


def mentions(apis: Sequence[LibraryApi], names: ApiNames) -> Dict[str, List[str]]:
    """Return for each API those that its documentation names, in order, and never itself.

    Examples do not count: they are made of ``torch.randn`` and ``torch.tensor``.
    """
    return {api.name: _of(api, names)[:MOST] for api in apis}


def _of(api: LibraryApi, names: ApiNames) -> List[str]:
    prose = _EXAMPLE.sub("", api.doc)
    found = (names.resolved(text, api.name) for text in mentioned(prose))
    return [name for name in dict.fromkeys(found) if name is not None and name != api.name]


def references(apis: Sequence[LibraryApi], named: Mapping[str, List[str]]) -> Dict[str, str]:
    """Return APIs whose documentation does no more than refer to another one, and that one."""
    found: Dict[str, str] = {}
    for api in apis:
        if named[api.name] and _REFERS.match(first_sentence(api.doc)):
            found[api.name] = named[api.name][0]
    return found


def meant(name: str, referred: Mapping[str, str]) -> str:
    """Return the API at the end of the references: whose documentation speaks for both."""
    for _ in range(_MOST_STEPS):
        if name not in referred:
            break
        name = referred[name]
    return name


def families(referred: Mapping[str, str]) -> List[Set[str]]:
    """Return the sets of APIs that refer to the same one, which is among them."""
    members: Dict[str, Set[str]] = {}
    for name in referred:
        last = meant(name, referred)
        members.setdefault(last, {last}).add(name)
    return [members[last] for last in sorted(members)]


def cosines(documents: Sequence[Iterable[str]]) -> Any:
    """Return how alike the documents are by their terms: a symmetric float32 matrix, 0 to 1.

    Terms weigh ``(1 + log tf) * log(n / df)``.  Those of one document only
    count in its length, and so take no column.
    """
    import numpy

    counted = [Counter(terms) for terms in documents]
    spread = Counter(term for terms in counted for term in terms)
    columns = _columns(spread)
    vectors = numpy.zeros((len(counted), len(columns)), dtype=numpy.float32)
    for row, terms in enumerate(counted):
        weights = {term: _weight(terms[term], spread[term], len(counted)) for term in terms}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        shared = [term for term in terms if term in columns]
        vectors[row, [columns[term] for term in shared]] = [weights[t] / length for t in shared]
    return vectors @ vectors.T


def _columns(spread: Dict[str, int]) -> Dict[str, int]:
    shared: List[str] = sorted(term for term, count in spread.items() if count > 1)
    return {term: column for column, term in enumerate(shared)}


def _weight(count: int, spread: int, documents: int) -> float:
    return (1.0 + math.log(count)) * math.log((1 + documents) / spread)


NAMES, PARAMETERS, DOCUMENTS = 1.0, 0.1, 0.7
"""What each signal weighs: chosen on half of the known pairs (benchmarks/relations/recall)."""

Candidate = Tuple[str, str, float]


def candidates(apis: Sequence[LibraryApi], k: int = 10) -> List[Candidate]:
    """Return for each API the ``k`` most similar ones, and those that documentation relates to it.

    Triples of source, target and similarity (0 to 1), sources in the order
    given, best targets first; equal ones in the order of their names.
    """
    ordered = sorted(apis, key=lambda api: api.name)
    related = ApiSimilarity(ordered)
    scores = related.combined()
    place = {api.name: index for index, api in enumerate(ordered)}
    found: List[Candidate] = []
    for api in apis:
        row = scores[place[api.name]]
        near = nearest(row, place[api.name], k)
        named = {place[name] for name in related.beyond(api.name)} - set(near)
        every = near + sorted(named, key=lambda at: (-row[at], at))
        found += [(api.name, ordered[at].name, float(row[at])) for at in every]
    return found


def nearest(row: Any, own: int, k: int) -> List[int]:
    """Return the columns of the ``k`` largest values but its own, best first, then by place."""
    import numpy

    order = numpy.argsort(-row, kind="stable")
    return [int(at) for at in order[: k + 1] if at != own][:k]


class ApiSimilarity:
    """The signals between APIs, each a symmetric matrix in their order."""

    def __init__(self, apis: Sequence[LibraryApi]) -> None:
        self._apis = apis
        names = ApiNames(apis)
        self._named = mentions(apis, names)
        self._referred = references(apis, self._named)
        self._beyond = _both_ways(self._named, families(self._referred))

    def beyond(self, name: str) -> Set[str]:
        """The APIs that documentation relates to one: named in its, naming it, or both aliases."""
        return self._beyond.get(name, set())

    def names(self) -> Any:
        """Return cosines of character n-grams of the own names."""
        return cosines([of_name(api) for api in self._apis])

    def parameters(self) -> Any:
        """Return cosines of the parameters' names."""
        return cosines([of_parameters(api) for api in self._apis])

    def documents(self) -> Any:
        """Return cosines of the first sentences: an alias has that of what it refers to."""
        return cosines([of_document(api) for api in self._spoken_for()])

    def combined(self) -> Any:
        """Return the weighted mean of the three, rounded so that no machine orders otherwise."""
        import numpy

        whole = NAMES * self.names() + PARAMETERS * self.parameters()
        whole += DOCUMENTS * self.documents()
        return numpy.round(whole / (NAMES + PARAMETERS + DOCUMENTS), 4)

    def _spoken_for(self) -> Iterator[LibraryApi]:
        by_name = {api.name: api for api in self._apis}
        for api in self._apis:
            yield replace(api, doc=by_name[meant(api.name, self._referred)].doc)


def _both_ways(named: Mapping[str, List[str]], same: Sequence[Set[str]]) -> Dict[str, Set[str]]:
    found: Dict[str, Set[str]] = {}
    for source, targets in named.items():
        for target in targets:
            found.setdefault(source, set()).add(target)
            found.setdefault(target, set()).add(source)
    for family in same:
        for name in family:
            found.setdefault(name, set()).update(family - {name})
    return found

"""Candidate pairs of APIs, from names, parameters and documentation."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any, Iterable, Mapping, Optional, Sequence

from .relation_types import LibraryApi

_ABBREVIATIONS = {
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "Tensor": "torch.Tensor",
}
_ROLE = re.compile(
    r":(?:\w+:)?(?:func|meth|class|attr|code|ref|obj|mod):`~?([^`<]*?)(?:\s*<[^`]*>)?`"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class ApiNames:
    """The APIs of a library by all their names; ambiguous ones are resolved near who names them."""

    def __init__(self, apis: Iterable[LibraryApi]) -> None:
        self._canonical: dict[str, str] = {}
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
        first, dot, rest = name.partition(".")
        parts = near.split(".")
        spellings = [name, f"{_ABBREVIATIONS.get(first, first)}{dot}{rest}"]
        spellings += [".".join([*parts[:count], name]) for count in range(len(parts) - 1, 0, -1)]
        spellings += [f"{root}.{name}" for root in self._roots]
        return next((self._canonical[each] for each in spellings if each in self._canonical), None)


def unmarked(text: str) -> str:
    """Return documentation without its roles and back ticks."""
    return _ROLE.sub(r"\1", text).replace("``", "").replace("`", "")


def mentioned(text: str) -> list[str]:
    """Return the dotted names in a text and what its roles refer to, in order, each once."""
    found = [match.group(1) for match in _ROLE.finditer(text)]
    found += _DOTTED.findall(_ROLE.sub(" ", text))
    return list(dict.fromkeys(item.strip() for item in found if item.strip()))


SHORTEST, LONGEST = 2, 5
"""The lengths of the pieces of a name."""

_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_HEADING = re.compile(r"^\s*[\w.]+\(.*\)\s*(?:->.*)?$")
_ENDING = re.compile(r"(?<=\w\w\w)(?:ations|ation|ings|ing|ies|es|ed|s)$")
"""Plural and verb endings of English."""
_COMMON = frozenset(("the", "a", "an", "and", "are", "as", "at", "be", "by", "for", "from")).union(
    ("in", "is", "it", "its", "of", "on", "or", "this", "to", "with")
)


def of_name(api: LibraryApi) -> list[str]:
    """Return the character 2- to 5-grams of an API's own name, with its ends."""
    text = f" {own_name(api.name)} "
    return [
        text[start : start + length]
        for length in range(SHORTEST, LONGEST + 1)
        for start in range(len(text) - length + 1)
    ]


def own_name(name: str) -> str:
    """Return the last part of a dotted name without underscores: ``leakyrelu``."""
    return name.rpartition(".")[2].replace("_", "").lower()


def of_parameters(api: LibraryApi) -> list[str]:
    """Return the names of the parameters."""
    return [item.name.strip("*") for item in api.parameters]


def of_document(api: LibraryApi) -> list[str]:
    """The words of the first sentence of the documentation, and pairs of them that follow."""
    found = re.findall(r"[a-z]+", first_sentence(api.doc).lower())
    words = [_ENDING.sub("", word) for word in found]
    kept = [word for word in words if word not in _COMMON]
    return kept + [f"{left} {right}" for left, right in zip(kept, kept[1:])]


def first_sentence(doc: str) -> str:
    """Return the first sentence below the line that repeats the signature."""
    lines = unmarked(doc).strip().splitlines()
    while lines and (not lines[0].strip() or _HEADING.match(lines[0])):
        lines.pop(0)
    return " ".join(_SENTENCE.split("\n".join(lines).strip(), maxsplit=1)[0].split())


_REFERS = re.compile(
    r"^(?:alias (?:for|of|to)|see(?: also)?|in-?place version of|out-of-place version of"
    r"|(?:this (?:function )?is )?(?:equivalent|identical|an alias|same as|deprecated alias))\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"^\s*(?:>>>|\.\.\.).*$", re.MULTILINE)
_MOST_STEPS = 4
MOST = 12
"""How many of the APIs that a documentation names are candidates: long ones name many."""


def mentions(apis: Sequence[LibraryApi], names: ApiNames) -> dict[str, list[str]]:
    """Return for each API those that its documentation names outside of examples, in order."""
    named: dict[str, list[str]] = {}
    for api in apis:
        prose = _EXAMPLE.sub("", api.doc)
        found = dict.fromkeys(names.resolved(text, api.name) for text in mentioned(prose))
        named[api.name] = [name for name in found if name and name != api.name][:MOST]
    return named


def references(apis: Sequence[LibraryApi], named: Mapping[str, list[str]]) -> dict[str, str]:
    """Return APIs whose documentation does no more than refer to another one, and that one."""
    return {
        api.name: named[api.name][0]
        for api in apis
        if named[api.name] and _REFERS.match(first_sentence(api.doc))
    }


def meant(name: str, referred: Mapping[str, str]) -> str:
    """Return the API at the end of the references: whose documentation speaks for both."""
    for _ in range(_MOST_STEPS):
        if name not in referred:
            break
        name = referred[name]
    return name


def families(referred: Mapping[str, str]) -> list[set[str]]:
    """Return the sets of APIs that refer to the same one, which is among them."""
    members: dict[str, set[str]] = {}
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
    shared = sorted(term for term, count in spread.items() if count > 1)
    columns = {term: column for column, term in enumerate(shared)}
    vectors = numpy.zeros((len(counted), len(columns)), dtype=numpy.float32)
    for row, terms in enumerate(counted):
        weights = {
            term: (1.0 + math.log(terms[term])) * math.log((1 + len(counted)) / spread[term])
            for term in terms
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        shared = [term for term in terms if term in columns]
        vectors[row, [columns[term] for term in shared]] = [weights[t] / length for t in shared]
    return vectors @ vectors.T


NAMES, PARAMETERS, DOCUMENTS = 1.0, 0.1, 0.7
"""What each signal weighs: chosen on half of the known pairs (benchmarks/relations/recall)."""

Candidate = tuple[str, str, float]


def candidates(apis: Sequence[LibraryApi], k: int = 10) -> list[Candidate]:
    """Return for each API the ``k`` most similar ones, and those that documentation relates to it.

    Triples of source, target and similarity (0 to 1), sources in the order
    given, best targets first; equal ones in the order of their names.
    """
    ordered = sorted(apis, key=lambda api: api.name)
    related = ApiSimilarity(ordered)
    scores = related.combined()
    place = {api.name: index for index, api in enumerate(ordered)}
    found: list[Candidate] = []
    for api in apis:
        row = scores[place[api.name]]
        near = nearest(row, place[api.name], k)
        named = {place[name] for name in related.beyond(api.name)} - set(near)
        every = near + sorted(named, key=lambda at: (-row[at], at))
        found += [(api.name, ordered[at].name, float(row[at])) for at in every]
    return found


def nearest(row: Any, own: int, k: int) -> list[int]:
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

    def beyond(self, name: str) -> set[str]:
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
        by_name = {api.name: api for api in self._apis}
        speaking = [by_name[meant(api.name, self._referred)] for api in self._apis]
        return cosines([of_document(api) for api in speaking])

    def combined(self) -> Any:
        """Return the weighted mean of the three, rounded so that no machine orders otherwise."""
        import numpy

        whole = NAMES * self.names() + PARAMETERS * self.parameters()
        whole += DOCUMENTS * self.documents()
        return numpy.round(whole / (NAMES + PARAMETERS + DOCUMENTS), 4)


def _both_ways(named: Mapping[str, list[str]], same: Sequence[set[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for source, targets in named.items():
        for target in targets:
            found.setdefault(source, set()).add(target)
            found.setdefault(target, set()).add(source)
    for family in same:
        for name in family:
            found.setdefault(name, set()).update(family - {name})
    return found

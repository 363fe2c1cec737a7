"""Candidate pairs of APIs, from names, parameters and documentation."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Set, Tuple

from ..relation_types import LibraryApi
from .api_names import (
    ApiNames,
    families,
    meant,
    mentions,
    of_document,
    of_name,
    of_parameters,
    references,
)


def cosines(documents: Sequence[Iterable[str]]) -> Any:
    """How alike the documents are by their terms: a symmetric float32 matrix, 0 to 1.

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
    """For each API the ``k`` most similar ones, and those that documentation relates to it.

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
    """The columns of the ``k`` largest values but its own, best first, then by place."""
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
        """Cosines of character n-grams of the own names."""
        return cosines([of_name(api) for api in self._apis])

    def parameters(self) -> Any:
        """Cosines of the parameters' names."""
        return cosines([of_parameters(api) for api in self._apis])

    def documents(self) -> Any:
        """Cosines of the first sentences: an alias has that of what it refers to."""
        return cosines([of_document(api) for api in self._spoken_for()])

    def combined(self) -> Any:
        """The weighted mean of the three, rounded so that no machine orders otherwise."""
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

"""Candidate pairs of APIs, from names, parameters and documentation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Set, Tuple

from ..nouns import Api
from .frequencies import cosines
from .mentions import families, meant, mentions, references
from .names import Names
from .terms import of_document, of_name, of_parameters

NAMES, PARAMETERS, DOCUMENTS = 1.0, 0.1, 0.7
"""What each signal weighs: chosen on half of the known pairs (benchmarks/relations/recall)."""

Candidate = Tuple[str, str, float]


def candidates(apis: Sequence[Api], k: int = 10) -> List[Candidate]:
    """For each API the ``k`` most similar ones, and those that documentation relates to it.

    Triples of source, target and similarity (0 to 1), sources in the order
    given, best targets first; equal ones in the order of their names.
    """
    ordered = sorted(apis, key=lambda api: api.name)
    related = Related(ordered)
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


class Related:
    """The signals between APIs, each a symmetric matrix in their order."""

    def __init__(self, apis: Sequence[Api]) -> None:
        self._apis = apis
        names = Names(apis)
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

    def _spoken_for(self) -> Iterator[Api]:
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

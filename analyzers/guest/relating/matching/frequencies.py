"""Cosines of TF-IDF vectors (DeepREL, equations 5 to 7), on NumPy alone."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Dict, Iterable, List, Sequence


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

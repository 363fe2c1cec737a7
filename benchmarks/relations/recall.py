"""``python -m benchmarks.relations.recall``: are known relatives among the candidates?

Known pairs: all ordered pairs within the family of an operator of torch's own
test data: the function, its method, its in-place method, and its aliases with
theirs.  Families are split in two by a hash of their names; what the signals
weigh was chosen on the first half alone.  Exit status 1 where recall@10 on the
other half is below the issue's 0.85.
"""

from __future__ import annotations

import hashlib
import sys
import time
import types
import unittest
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from analyzers.guest.relations.api_candidates import (
    ApiSimilarity,
    candidates,
    cosines,
    nearest,
    of_document,
)
from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.relation_types import Library, LibraryApi

AIM = 0.85
DEPTHS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two APIs that are known to do the same, and the half (0 or 1) of their family."""

    source: str
    target: str
    half: int


def known_pairs(lib: Library) -> list[Pair]:
    """Ordered pairs of different APIs within the families."""
    return sorted(
        {
            Pair(source, target, _half(name))
            for name, family in families(lib).items()
            for source, target in permutations(sorted(family), 2)
        },
        key=lambda pair: (pair.source, pair.target),
    )


def families(lib: Library) -> dict[str, set[str]]:
    """By operator, the canonical names of its function, methods and aliases."""
    found: dict[str, set[str]] = {}
    for operator in _operators():
        names = {lib.named(function) for function in _forms(operator) if function is not None}
        found.setdefault(operator.name, set()).update(name for name in names if name)
    return found


def _operators() -> Sequence[Any]:
    if "expecttest" not in sys.modules:
        try:
            __import__("expecttest")
        except ImportError:
            stand_in = types.ModuleType("expecttest")
            stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
            sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415

    return op_db  # type: ignore[no-any-return]


def _forms(operator: Any) -> Iterator[Any]:
    import torch  # noqa: PLC0415

    yield from (operator.op, operator.method_variant, operator.inplace_variant)
    for name in [operator.name, *(alias.name for alias in operator.aliases)]:
        found: Any = torch
        for part in name.split("."):
            found = getattr(found, part, None)
        yield found
        if not name.startswith("nn."):
            own = name.rpartition(".")[2]
            yield getattr(torch.Tensor, own, None)
            yield getattr(torch.Tensor, f"{own}_", None)


def _half(name: str) -> int:
    return hashlib.sha256(name.encode()).digest()[-1] % 2


def ranks(scores: Any, apis: Sequence[LibraryApi], pairs: Iterable[Pair]) -> list[int]:
    """Where each pair's target is among the others by similarity to its source, from 0."""
    place = {api.name: index for index, api in enumerate(apis)}
    rows: dict[str, list[int]] = {}
    found = []
    for pair in pairs:
        if pair.source not in rows:
            at = place[pair.source]
            rows[pair.source] = nearest(scores[at], at, len(apis))
        found.append(rows[pair.source].index(place[pair.target]))
    return found


def show(label: str, at: Sequence[int], pairs: Sequence[Pair]) -> float:
    """Print a line; give recall@10 of the half that nothing was chosen on."""
    halves = [
        [rank for rank, pair in zip(at, pairs, strict=True) if pair.half == h] for h in (0, 1)
    ]
    told = "  ".join(f"{_within(at, depth):.3f}" for depth in DEPTHS)
    first, other = (_within(half, 10) for half in halves)
    print(f"{label:34} {told}    {first:.3f} / {other:.3f}")
    return other


def _within(at: Sequence[int], depth: int) -> float:
    return sum(rank < depth for rank in at) / max(len(at), 1)


def main() -> int:
    lib = library("torch")
    apis = sorted(lib.apis(), key=lambda api: api.name)
    present = {api.name for api in apis}
    pairs = [p for p in known_pairs(lib) if {p.source, p.target} <= present]
    began = time.perf_counter()
    pairwise = {(source, target) for source, target, _ in candidates(apis)}
    seconds = time.perf_counter() - began
    print(f"{lib.name} {lib.version}: {len(apis)} APIs, {len(pairs)} known pairs,", end=" ")
    print(f"{len(pairwise)} candidates in {seconds:.2f} s")
    print(f"{'signal':34} {'@1':5}  {'@5':5}  {'@10':5}    @10 chosen on / held out")
    related = ApiSimilarity(apis)
    signals = {
        "names": related.names(),
        "parameters": related.parameters(),
        "first sentences as written": cosines([of_document(api) for api in apis]),
        "first sentences, aliases resolved": related.documents(),
    }
    for label, scores in signals.items():
        show(label, ranks(scores, apis, pairs), pairs)
    held_out = show("combined", ranks(related.combined(), apis, pairs), pairs)
    mentioned = [0 if pair.target in related.beyond(pair.source) else 10 for pair in pairs]
    show("documents naming it, alone", mentioned, pairs)
    both = [0 if (pair.source, pair.target) in pairwise else 10 for pair in pairs]
    show("combined, and documents naming it", both, pairs)
    unnamed = [p for p, rank in zip(pairs, mentioned, strict=True) if rank]
    print(f"{len(unnamed)} pairs that no document names:")
    show("combined", ranks(related.combined(), apis, unnamed), unnamed)
    return int(held_out < AIM)


if __name__ == "__main__":
    raise SystemExit(main())

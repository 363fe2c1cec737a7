"""Models that training on ordinary inputs leads to NaN, and calls that use more each time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from analyzers.assembly.findings import Untrained, unsteady
from analyzers.assembly.inputs import recipe_of
from analyzers.assembly.telling import said
from analyzers.assembly.trying import Trier, detail_of
from analyzers.inference.exploring import agreed, exploring_of
from analyzers.inference.terms import NoTermsError
from analyzers.ports import Bench
from analyzers.vocabulary import Argument, Made, Probe, Returned, Target, Verdict

CONDITIONS = ("trains(5)", "settles(50)")
_MOST = 2
_FLOATS = re.compile(r"""tensor\((?P<shape>\([\d, ]*\))(?:, (?:dtype=)?["']float32["'])?[,)]""")


def unsteady_of(target: Target, bench: Bench) -> Iterator[Verdict]:
    """What does not stay as it should of a model whose forward is the target."""
    try:
        terms = agreed(target, bench)
    except NoTermsError:
        return
    explored = bench.explore(target, exploring_of(terms, target, bench))
    ordinary = dict.fromkeys(_key(each) for each in map(_ordinary, explored.passing))
    probes = [_probe(target, key) for key in ordinary]
    runs = bench.run(probes[: 3 * _MOST])
    usual = [p for p, r in zip(probes, runs, strict=False) if isinstance(r.ending, Returned)]
    for condition in CONDITIONS:
        found = _broken(condition, usual[:_MOST], bench)
        if found is not None:
            yield unsteady(found, target)


def unsteady_of_made(trier: Trier, given: str) -> Iterator[Verdict]:
    """What does not stay as it should of a model that the target makes, trained on an input."""
    for condition in (f"trains(5, inputs={recipe_of(given)!r})", "settles(50)"):
        found = _broken(condition, [trier.usual], trier.bench)
        if found is not None:
            yield unsteady(found, trier.target)


def _broken(condition: str, probes: list[Probe], bench: Bench) -> Untrained | None:
    """The first of some calls, where a condition holds of none of them."""
    asking = [replace(each, ensures=(condition,)) for each in probes]
    details = [detail_of(run) for run in bench.run(asking)]
    if not details or not all(details):
        return None
    return Untrained(asking[0], condition, said(details[0] or ""))


def _ordinary(probe: Probe) -> Probe:
    """The call with its float tensors full of ordinary numbers."""
    arguments = {name: _calm(each) for name, each in probe.arguments.items()}
    return replace(probe, arguments=arguments, ensures=())


def _calm(argument: Argument) -> Argument:
    if not isinstance(argument, Made):
        return argument
    found = _FLOATS.match(argument.recipe)
    return (
        argument if found is None else Made(f"tensor({found['shape']}, low=-1.0, high=1.0, seed=1)")
    )


Key = tuple[tuple[str, Argument], ...]


def _key(probe: Probe) -> Key:
    return tuple(sorted(probe.arguments.items()))


def _probe(target: Target, key: Key) -> Probe:
    return Probe(target.id, dict(key), ())

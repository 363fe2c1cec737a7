"""Inputs that are valid and odd (Keeper, section 4.1.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzers.cloud.crashes import Executed
from analyzers.cloud.examination import Examination
from analyzers.cloud.wishes import has_slot
from analyzers.vocabulary import Corner, Input, NotRun, Verdict, Wanted

CORNER_INPUTS = 3
ODD_INPUTS: Mapping[Corner, int] = {Corner.SEVERAL: 2, Corner.FOREIGN: 2, Corner.HUGE: 1}


def corners(look: Examination) -> Iterator[Verdict]:
    """Run inputs in which there is nothing to find; the crashes among them."""
    made = _run(look, Corner.NOTHING, CORNER_INPUTS, set())
    look.empty += [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]
    yield from look.ran([probe for probe, _ in made], [run for _, run in made])
    for reason in _reasons(made)[:1]:
        yield look.skipped(reason)


def oddities(look: Examination) -> Iterator[Verdict]:
    """Run inputs with several things, in other languages, or far larger than usual.

    Only the crashes among them tell anything.  A service may refuse what is
    too large for it; else what was not run is said once, unless the inputs
    before could not be run for the same reason.
    """
    heard = set(_reasons(look.executed))
    seen: set[str] = set()
    unsaid: list[str] = []
    for corner, count in ODD_INPUTS.items():
        if look.bench.remaining() <= 0:
            return
        made = _run(look, corner, count, seen)
        done = [(p, r) for p, r in made if not isinstance(r.ending, NotRun)]
        asked = [(p, r) for p, r in done if r.exchanges or corner is not Corner.HUGE]
        yield from look.ran([probe for probe, _ in asked], [run for _, run in asked])
        if corner is not Corner.HUGE:
            unsaid += [reason for reason in _reasons(made) if reason not in heard]
    for reason in unsaid[:1]:
        yield look.skipped(reason)


def _run(look: Examination, corner: Corner, count: int, seen: set[str]) -> list[Executed]:
    """Recorded runs of inputs for each API that is asked, no input twice."""
    items: list[Input] = []
    for api in look.asked if has_slot(look.template) else ():
        supply = look.bench.inputs(Wanted(api.name, None, corner=corner), count)
        items += [item for item in supply.inputs if item.digest not in seen]
        seen.update(item.digest for item in supply.inputs)
    probes = [look.template.with_input(item) for item in items]
    runs = look.bench.run(probes)
    return [(p.answered(r.exchanges), r) for p, r in zip(probes, runs, strict=True)]


def _reasons(made: list[Executed]) -> list[str]:
    return list(dict.fromkeys(r.ending.reason for _, r in made if isinstance(r.ending, NotRun)))

"""Run what the search found once more, and an everyday answer beside it."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.examination import Examination
from analyzers.cloud.ordinary import ordinary_script
from analyzers.vocabulary import Verdict


def witnesses(look: Examination) -> Iterator[Verdict]:
    """Replay the confirmed witnesses; no verdict yet: inputs come first."""
    known = {goal.id for goal in look.target.goals}
    found = [w for w in look.searched.witnesses if w.confirmed and w.goal in known]
    probes = [witness.probe for witness in found]
    runs = look.bench.run(probes)
    look.executed += zip(probes, runs, strict=True)
    ordinary = ordinary_script(look.asked)
    if ordinary is not None:
        everyday = look.template.answered(ordinary)
        look.executed += zip([everyday], look.bench.run([everyday]), strict=True)
    look.crashes.hear(look.executed)
    look.replayed += zip(found, runs, strict=True)
    yield from ()

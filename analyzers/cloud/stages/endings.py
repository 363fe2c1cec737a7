"""What the whole examination has shown of crashes, and what it left open."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.crashes import Executed, made_up
from analyzers.cloud.examination import Examination, place
from analyzers.cloud.ordinary import fully_modelled
from analyzers.vocabulary import Verdict

MOST_PLACES = 3


def crashes(look: Examination) -> Iterator[Verdict]:
    """The crashes on answers that an API might give, those of the search included."""
    yield from look.crashes.findings(_possible(look))
    yield from look.crashes.undecided(look.executed)


def _possible(look: Examination) -> list[Executed]:
    """What was run, and the search's crashes again, but for answers that no API might give."""
    probes = [probe for probe, _ in look.searched.crashes]
    again = zip(probes, look.bench.run(probes), strict=True)
    return [
        (probe, run)
        for probe, run in [*look.executed, *again]
        if not made_up(probe) or all(fully_modelled(e.api) for e in run.exchanges)
    ]


def unreached_goals(look: Examination) -> Iterator[Verdict]:
    """The goals of which nothing is known."""
    known = look.points | set(look.searched.exhausted) | look.proved
    missing = [
        g for g in look.target.goals if g.id not in known and g.decision_id not in look.closed
    ]
    if missing:
        places = sorted({place(goal) for goal in missing})
        rest = len(places) - MOST_PLACES
        more = f" and {rest} more" if rest > 0 else ""
        yield look.skipped(
            f"no answer was found that reaches {', '.join(places[:MOST_PLACES])}{more}"
        )

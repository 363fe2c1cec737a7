"""Rated texts of both polarities, and the branches that mix them."""

from __future__ import annotations

from collections.abc import Iterator

from analyzers.cloud.answers import NEGATIVE, POSITIVE
from analyzers.cloud.examination import Examination
from analyzers.cloud.judges.sentiment import mixed, poll, takes_text
from analyzers.cloud.repairs.thresholds import retuned
from analyzers.vocabulary import Verdict


def sentiment(look: Examination) -> Iterator[Verdict]:
    """Poll texts that people rated, where the target asks for their feeling."""
    apis = [api for api in look.asked if api.task == "sentiment"]
    if not apis or not takes_text(look.template):
        return
    polls = (
        poll(apis[0].name, POSITIVE, look.template, look.bench, look.inverter),
        poll(apis[0].name, NEGATIVE, look.template, look.bench, look.inverter),
    )
    for each in polls:
        yield from look.ran(each.probes, each.runs)
    shortfall = next((p.shortfall for p in polls if p.shortfall and not p.runs), None)
    if shortfall:
        yield look.skipped(shortfall)
    for finding in mixed(look.target, look.closed, polls, look.bench):
        yield retuned(finding, polls[0].runs, polls[1].runs, apis[0], look.bench)

"""The smallest input of a target that leads to a divergence, confirmed in a fresh process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ... import calls, worktime
from ...execution import execute
from ...exploring.plan import text_of
from ...exploring.trying import as_protocol
from ..fuzzing.findings import Finding
from ..nouns import CRASHED, HUNG
from ..running import Begin, Died, Done, Hung, Pool, Result
from .admitting import Admission
from .drawn import Report
from .judging import Judging
from .meetings import Met, met_of
from .request import Arguments, Request
from .simpler import recipes_of, simpler
from .watching import mark_of

MOST_DEATHS = 12
HANG_GRACE = 2.0


@dataclass
class Trying:
    """Runs one input after another until one leads to a divergence."""

    request: Request
    met: Met
    inputs: Sequence[Arguments]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Report the first that does."""
        del item
        admission = Admission(self.request)
        for step, arguments in enumerate(self.inputs):
            if step < start or not admission.admits(arguments):
                continue
            if worktime.now() > self.until:
                return
            judging = Judging(self.request, partial(begin, step))
            ran = judging.run(arguments)
            for found in judging.met(ran, arguments, self.met.at):
                if found.key == self.met.key and found.finding.call:
                    report(found.as_json())
                    return


def smallest(met: Met, request: Request, until: float) -> Met:
    """The divergence by the smallest input that was found before ``until`` (seconds of work)."""
    optional = frozenset(each["name"] for each in request.prepared.parameters if each["default"])
    tried = {text_of(met.arguments or {})}
    while worktime.now() < until:
        recipes = recipes_of(met.arguments or {})
        found = None if recipes is None else list(simpler(recipes, optional))
        inputs = [each for each in map(as_protocol, found or ()) if text_of(each) not in tried]
        tried.update(map(text_of, inputs))
        smaller = _first(Trying(request, met, inputs, until)) if inputs else None
        if smaller is None:
            break
        met = smaller
    return met


def _first(trying: Trying) -> Optional[Met]:
    """What the first input that leads to it shows."""
    seconds = trying.request.timeout + HANG_GRACE
    pool = Pool(trying.work, 1, seconds, workers=1, deaths=MOST_DEATHS)
    for _, result in pool:
        if isinstance(result, Done):
            return met_of(result.value)
        dead = ended(trying.met, result)
        if dead is not None:
            return dead
    return None


def ended(met: Met, result: Result) -> Optional[Met]:
    """The divergence as an input met it that the process did not survive; ``None``: another end."""
    if not isinstance(result, (Died, Hung)):
        return None
    mark, outcome = mark_of(result.text), met.finding.disagreement.outcome
    if mark.at is None or mark.judging or mark.at[:3] != met.at[:3]:
        return None
    if isinstance(result, Died):
        same = outcome.status == CRASHED and outcome.signal == result.signal
    else:
        same = outcome.status == HUNG
    if not same:
        return None
    call = mark.call or met.finding.call
    finding = Finding(call, met.finding.disagreement)
    return replace(met, finding=finding, at=mark.at, arguments=dict(mark.arguments))


def confirmed(met: Met, request: Request) -> Optional[Dict[str, Any]]:
    """A row of ``reached``: how its input ends in a fresh process, where it ends as it should."""

    def work(item: int, start: int, begin: Begin, report: Report) -> None:
        if start == 0:
            begin(item, text_of(met.arguments or {}))
            report(_ending(met, request))

    seconds = request.timeout + HANG_GRACE
    end: Dict[str, Any] = {}
    for _, result in Pool(work, 1, seconds, workers=1, deaths=1):
        if isinstance(result, Done):
            end = {"ending": result.value}
        elif isinstance(result, Died):
            end = {"signal": result.signal}
        elif isinstance(result, Hung):
            end = {"ending": {"kind": "timed-out", "seconds": request.timeout}}
    if not _is_as(met, end):
        return None
    return {**met.told(), "arguments": met.arguments, "ensures": met.ensures, **end}


def _ending(met: Met, request: Request) -> Mapping[str, Any]:
    arguments = met.arguments or {}
    ensures: List[str] = met.ensures
    return execute(request.prepared, arguments, calls.Nothing(), request.timeout, ensures).ending


def _is_as(met: Met, end: Mapping[str, Any]) -> bool:
    """Whether an end is that of the divergence."""
    outcome = met.finding.disagreement.outcome
    if "signal" in end:
        return outcome.status == CRASHED and end["signal"] == outcome.signal
    kind = end.get("ending", {}).get("kind")
    if met.ensures:
        return bool(kind == "violated")
    return bool(kind == ("timed-out" if outcome.status == HUNG else "raised"))

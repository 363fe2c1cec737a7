"""Inputs of the target, those given and those drawn by its contract, with their calls judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Set, Tuple

from ... import worktime
from ...exploring.drawing import Enough, draw
from ...exploring.plan import Plan, text_of
from ...exploring.trying import as_protocol
from ..running import Begin
from .judging import Judging
from .meetings import Key
from .request import Request
from .watching import Ran

EXAMPLES = 100
STALE = 25
"""After so many inputs in a row whose calls are of known kinds no more are drawn."""
INPUTS_A_SITE = 4
_TELL_EVERY = 20
Report = Callable[[Any], None]


@dataclass
class Inputs:
    """The first stage.  Item 0 begins with the inputs given; each draws by a seed of its own."""

    request: Request
    plan: Optional[Plan]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Run inputs from number ``start`` on while there is time."""
        stage = _Stage(self, start, begin, report)
        try:
            for arguments in self.request.probes if item == 0 else ():
                stage.look(arguments)
            if self.plan is not None:
                seed = self.request.seed + item
                draw(self.plan.strategy, lambda each: stage.look(as_protocol(each)), EXAMPLES, seed)
        except Enough:
            pass
        stage.tell()


class _Stage:
    """One process of the stage."""

    def __init__(self, inputs: Inputs, start: int, begin: Begin, report: Report) -> None:
        self._inputs = inputs
        self._start = start
        self._begin = begin
        self._report = report
        self._step = -1
        self._executions = 0
        self._stale = 0
        self._texts: Set[str] = set()
        self._keys: Set[Key] = set()
        self._sites: Dict[Tuple[Any, ...], int] = Counter()
        self._judging = Judging(inputs.request, self._mark)

    def _mark(self, text: str) -> None:
        self._begin(self._step, text)

    def look(self, arguments: Mapping[str, Any]) -> None:
        """Run an input that did not run yet."""
        if worktime.now() >= self._inputs.until or self._stale >= STALE:
            raise Enough
        text = text_of(arguments)
        if text in self._texts:
            return
        self._texts.add(text)
        self._step += 1
        if self._step < self._start:
            return
        ran = self._judging.run(arguments)
        self._executions += 1
        self._note_sites(ran, arguments)
        judged = self._judging.judged
        for met in self._judging.met(ran, arguments):
            if met.key not in self._keys and met.finding.call:
                self._keys.add(met.key)
                self._report(met.as_json())
        self._stale = 0 if self._judging.judged > judged else self._stale + 1
        if self._executions >= _TELL_EVERY:
            self.tell()

    def _note_sites(self, ran: Ran, arguments: Mapping[str, Any]) -> None:
        places = {tuple(self._judging.place(seen)) for seen in ran.calls}
        for place in sorted(places, key=repr):
            self._sites[place] += 1
            if self._sites[place] <= INPUTS_A_SITE:
                self._report({"site": list(place), "arguments": arguments})

    def tell(self) -> None:
        """Report how many inputs ran since it was last told."""
        self._report({"executions": self._executions})
        self._executions = 0

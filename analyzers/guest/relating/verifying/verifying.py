"""Sources verified against all of their candidates (DeepREL, sections 4.3 and 4.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import (
    Any,
    Callable,
    Container,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ...generation.recipes import BadRecipe
from ..libraries.library import Library
from ..matching import Names
from ..nouns import Api, Live
from ..running import Anew, Begin
from ..synthesis import assigned, documented
from ..told import told
from .inputs import Inputs
from .pairs import Pair, Verdict
from .settings import settings_of
from .steadiness import unsteadiness
from .trying import STEADY, UNSAFE, Texts, live_of

LENT = 12
"""How many calls are lent to an API that has none."""


@dataclass
class Verifying:
    """Work of a pool: an item is one of ``sources``, its steps are templates of its candidates.

    ``calls`` are valid calls by API; what has some is covered.  ``excluded``
    are never compared.  ``avoided`` are texts of calls that killed their
    process, by API; whoever listens adds to both.

    Reports ``{"relation": {source, target, template, holds, inputs}}``,
    ``{"lent": target, "calls": [texts]}`` for what was not covered, and
    ``{"excluded": target, "status": …}`` for such an API with which nothing
    can be compared.  Sources in ``lending`` only lend: their relations are known.
    """

    sources: Sequence[str]
    apis: Mapping[str, Api]
    names: Names
    candidates: Mapping[str, Sequence[str]]
    calls: Texts
    library: Library
    excluded: Container[str] = ()
    lending: Container[str] = ()
    avoided: Dict[str, List[str]] = field(default_factory=dict)
    seed: int = 0

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Verify the templates from ``start`` on; steps count from 1."""
        source = self.apis[self.sources[item]]
        step = 1
        inputs = self._inputs(source, lambda text: begin(step - 1, text))
        settings = settings_of(self.library)
        before = settings()
        for step, (target, template) in enumerate(self._templates(source), 1):
            if step < start or not self._is_wanted(source.name, target):
                continue
            pair = Pair(inputs, template, partial(begin, step))
            for found in self._compared(pair, source.name, target, template):
                report(found)
            if settings() != before:
                report({"excluded": target, "status": UNSAFE})
                begin(step, template)
                raise Anew

    def _is_wanted(self, source: str, target: str) -> bool:
        known = target in self.apis and target not in self.excluded
        return known and (source not in self.lending or not self.calls.get(target))

    def _inputs(self, source: Api, begin: Callable[[str], None]) -> Inputs:
        lives = [(live_of(text, self.library), text) for text in self.calls[source.name]]
        calls = [(live, text) for live, text in lives if live is not None]
        avoided = self.avoided.get(source.name, [])
        return Inputs(source, calls, self.library, begin, avoided, self.seed)

    def _templates(self, source: Api) -> Iterator[Tuple[str, str]]:
        """Each template once, with its target: of documentation first, as it knows more.

        They are the same in every process: what is excluded meanwhile keeps its place.
        """
        seen = set()
        for target, template in [*documented(source, self.names), *self._assigned(source)]:
            if target != source.name and template not in seen:
                seen.add(template)
                yield target, template

    def _assigned(self, source: Api) -> Iterator[Tuple[str, str]]:
        for target in self.candidates.get(source.name, ()):
            template = assigned(source, self.apis[target])
            if template is not None:
                yield target, template

    def _compared(self, pair: Pair, source: str, target: str, template: str) -> Iterator[Any]:
        is_covered = bool(self.calls.get(target))
        try:
            verdict = pair.verified(until_falsified=is_covered)
        except BadRecipe:
            return
        if not is_covered and verdict.lent:
            lives = [pair.called(live) for live in verdict.lent[:LENT]]
            status = self._unsteady(lives)
            if status is not None:
                yield {"excluded": target, "status": status}
                return
            texts = [told(live, self.library) for live in lives]
            yield {"lent": target, "calls": [text for text in texts if text]}
        if verdict.holds is not None and source not in self.lending:
            yield {"relation": _row(source, target, template, verdict)}

    def _unsteady(self, lives: Sequence[Live]) -> Optional[str]:
        found = (unsteadiness(live, self.library) for live in lives[:STEADY])
        return next((status for status in found if status is not None), None)


def _row(source: str, target: str, template: str, verdict: Verdict) -> Dict[str, Any]:
    return {
        "source": source,
        "target": target,
        "template": template,
        "holds": verdict.holds,
        "inputs": verdict.inputs,
    }

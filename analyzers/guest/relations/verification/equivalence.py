"""Value and status equivalence of two APIs (DeepREL, sections 3 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Callable, Container, Iterator, Mapping, Optional, Sequence

from ...inputs.recipes import BadRecipe
from ..api_candidates import ApiNames
from ..library_calls import call_source, copy_call
from ..process_pool import Begin, ReplaceProcess
from ..relation_types import CRASHED, STATUS, VALUE, Library, LibraryApi, LiveCall
from ..synthesis.call_templates import apply_template
from ..synthesis.documented_templates import templates_in_documentation
from ..synthesis.parameter_matching import TemplateInapplicable, assignment_template
from .call_validity import (
    STEADY,
    UNSAFE,
    CallRun,
    Texts,
    live_call_of,
    nondeterminism,
    plain,
    run_call,
    settings_reader,
)
from .source_inputs import BeginCall, SourceInputs, ValidCall

FEW = 3
"""So many inputs must give equal values, unless both have one name: fewer may by chance."""


@dataclass
class PairVerdict:
    """Verdict on a pair: ``value``, ``status``, or nothing holds.

    ``inputs`` were compared: the source's own, and for ``value`` the harder ones
    too on which both succeed.  ``lent`` are the calls of the target that
    succeeded, with the values of the source's calls.
    """

    holds: Optional[str] = None
    inputs: int = 0
    lent: list[LiveCall] = field(default_factory=list)


class CandidatePair:
    """A source with its inputs, and a template that says how a target is called with them."""

    def __init__(self, inputs: SourceInputs, template: str, begin: BeginCall) -> None:
        self._inputs = inputs
        self._library = inputs.library
        self._template = template
        self._begin = begin
        target = template.partition("(")[0]
        self._lenient = target.endswith("_") and not inputs.api.name.endswith("_")
        self._namesakes = _own(target) == _own(inputs.api.name)
        self._results: list[CallRun] = []
        self._accepted: list[ValidCall] = []

    def verified(self, *, until_falsified: bool) -> PairVerdict:
        """Compare on the valid inputs, then on harder ones.

        ``until_falsified`` stops where it is clear that nothing holds; otherwise
        all inputs are tried, as what succeeds is lent to the target.  Raises
        ``BadRecipe`` where the template says nothing.

        Where an in-place target refuses what a source takes that is not in
        place, the input tells nothing, as its memory must fit the result; but
        what refuses most of them is no relative.
        """
        verdict, same, refused = PairVerdict(), True, 0
        for tried in self._inputs.valid:
            found, own = self._run(tried)
            if found is None:
                continue
            if found.succeeded:
                verdict.inputs += 1
                verdict.lent.append(tried.live)
                self._accepted.append(tried)
                same = same and not tried.differs(own, found, self._library)
                self._results.append(found)
                continue
            refused += 1
            if until_falsified and not self._lenient:
                return verdict
        if verdict.inputs and self._permits(refused, verdict.inputs):
            self._decide(verdict, same=same)
        return verdict

    def _permits(self, refused: int, accepted: int) -> bool:
        """Return whether so many refusals leave a relation."""
        if not self._lenient:
            return not refused
        return self._namesakes or refused <= accepted

    def _decide(self, verdict: PairVerdict, *, same: bool) -> None:
        verdict.holds = STATUS
        if same and self._holds_harder() and (self._namesakes or len(self._results) >= FEW):
            verdict.holds, verdict.inputs = VALUE, len(self._results)

    def called(self, live: LiveCall) -> LiveCall:
        """Return the target's call with the values of one of the source's."""
        return apply_template(self._template, self._inputs.api, live, self._library)

    def _run(self, tried: ValidCall) -> Any:
        self._begin(f"{self._template} for {tried.text}")
        own = copy_call(tried.live, self._library)
        try:
            target = self.called(own)
        except TemplateInapplicable:
            return None, own
        return run_call(target, self._library), own

    def _holds_harder(self) -> bool:
        """Return whether results are equal on harder inputs too, and say something."""
        before = len(self._results)
        if not self._holds_on(self._inputs.harder):
            return False
        if len(self._results) < before + FEW:
            more = self._inputs.harder_than(self._accepted)
            if not self._holds_on(more):
                return False
        return _say_something(self._results, self._inputs)

    def _holds_on(self, harder: Iterator[ValidCall]) -> bool:
        for tried in harder:
            found, own = self._run(tried)
            if found is None:
                continue
            if found.status == CRASHED:
                return False
            if found.succeeded:
                if tried.differs(own, found, self._library):
                    return False
                self._results.append(found)
        return True


def _own(name: str) -> str:
    """Return what forms of an API share: ``PixelShuffle`` and ``functional.pixel_shuffle``."""
    return name.rpartition(".")[2].replace("_", "").lower()


def _say_something(results: list[CallRun], inputs: SourceInputs) -> bool:
    """Return whether results could have been others: elements, or not the same word each time."""
    words = set()
    for found in results:
        if any(item[2].size for item in plain(found.value, inputs.library)):
            return True
        words.add(repr(found.value) if isinstance(found.value, (bool, int, float)) else "")
    return len(words) > 1


LENT = 12
"""How many calls are lent to an API that has none."""


@dataclass
class RelationVerification:
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
    apis: Mapping[str, LibraryApi]
    names: ApiNames
    candidates: Mapping[str, Sequence[str]]
    calls: Texts
    library: Library
    excluded: Container[str] = ()
    lending: Container[str] = ()
    avoided: dict[str, list[str]] = field(default_factory=dict)
    seed: int = 0

    def on(self, item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        """Verify the templates from ``start`` on; steps count from 1."""
        source = self.apis[self.sources[item]]
        step = 1
        inputs = self._inputs(source, lambda text: begin(step - 1, text))
        settings = settings_reader(self.library)
        before = settings()
        for step, (target, template) in enumerate(self._templates(source), 1):
            if step < start or not self._is_wanted(source.name, target):
                continue
            pair = CandidatePair(inputs, template, partial(begin, step))
            for found in self._compared(pair, source.name, target, template):
                report(found)
            if settings() != before:
                report({"excluded": target, "status": UNSAFE})
                begin(step, template)
                raise ReplaceProcess

    def _is_wanted(self, source: str, target: str) -> bool:
        known = target in self.apis and target not in self.excluded
        return known and (source not in self.lending or not self.calls.get(target))

    def _inputs(self, source: LibraryApi, begin: Callable[[str], None]) -> SourceInputs:
        lives = [(live_call_of(text, self.library), text) for text in self.calls[source.name]]
        calls = [(live, text) for live, text in lives if live is not None]
        avoided = self.avoided.get(source.name, [])
        return SourceInputs(source, calls, self.library, begin, avoided, self.seed)

    def _templates(self, source: LibraryApi) -> Iterator[tuple[str, str]]:
        """Yield each template once, with its target, documented ones first, in a fixed order."""
        seen = set()
        for target, template in [
            *templates_in_documentation(source, self.names),
            *(
                (target, assignment_template(source, self.apis[target]))
                for target in self.candidates.get(source.name, ())
            ),
        ]:
            if template is not None and target != source.name and template not in seen:
                seen.add(template)
                yield target, template

    def _compared(
        self, pair: CandidatePair, source: str, target: str, template: str
    ) -> Iterator[Any]:
        is_covered = bool(self.calls.get(target))
        try:
            verdict = pair.verified(until_falsified=is_covered)
        except BadRecipe:
            return
        if not is_covered and verdict.lent:
            lives = [pair.called(live) for live in verdict.lent[:LENT]]
            found = (nondeterminism(live, self.library) for live in lives[:STEADY])
            status = next((status for status in found if status is not None), None)
            if status is not None:
                yield {"excluded": target, "status": status}
                return
            texts = [call_source(live, self.library) for live in lives]
            yield {"lent": target, "calls": [text for text in texts if text]}
        if verdict.holds is not None and source not in self.lending:
            ends = {"holds": verdict.holds, "inputs": verdict.inputs}
            yield {"relation": {"source": source, "target": target, "template": template, **ends}}

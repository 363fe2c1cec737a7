"""Value and status equivalence of two APIs (DeepREL, sections 3 and 4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Optional

from ..calls import copied
from ..nouns import CRASHED, STATUS, VALUE, Live
from ..synthesis import Inapplicable, applied
from .inputs import Begin, Inputs, Tried
from .runs import Ran, plain, ran

FEW = 3
"""So many inputs must give equal values, unless both have one name: fewer may by chance."""


@dataclass
class Verdict:
    """What holds of a pair: ``value``, ``status``, or nothing.

    ``inputs`` were compared: the source's own, and for ``value`` the harder ones
    too on which both succeed.  ``lent`` are the calls of the target that
    succeeded, with the values of the source's calls.
    """

    holds: Optional[str] = None
    inputs: int = 0
    lent: List[Live] = field(default_factory=list)


class Pair:
    """A source with its inputs, and a template that says how a target is called with them."""

    def __init__(self, inputs: Inputs, template: str, begin: Begin) -> None:
        self._inputs = inputs
        self._library = inputs.library
        self._template = template
        self._begin = begin
        target = template.partition("(")[0]
        self._lenient = target.endswith("_") and not inputs.api.name.endswith("_")
        self._namesakes = _own(target) == _own(inputs.api.name)
        self._results: List[Ran] = []
        self._accepted: List[Tried] = []

    def verified(self, *, until_falsified: bool) -> Verdict:
        """Compare on the valid inputs, then on harder ones.

        ``until_falsified`` stops where it is clear that nothing holds; otherwise
        all inputs are tried, as what succeeds is lent to the target.  Raises
        ``BadRecipe`` where the template says nothing.

        Where an in-place target refuses what a source takes that is not in
        place, the input tells nothing, as its memory must fit the result; but
        what refuses most of them is no relative.
        """
        verdict, same, refused = Verdict(), True, 0
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
        """Whether so many refusals leave a relation."""
        if not self._lenient:
            return not refused
        return self._namesakes or refused <= accepted

    def _decide(self, verdict: Verdict, *, same: bool) -> None:
        verdict.holds = STATUS
        if same and self._holds_harder() and (self._namesakes or len(self._results) >= FEW):
            verdict.holds, verdict.inputs = VALUE, len(self._results)

    def called(self, live: Live) -> Live:
        """The target's call with the values of one of the source's."""
        return applied(self._template, self._inputs.api, live, self._library)

    def _run(self, tried: Tried) -> Any:
        """What the target comes to, and the copies it ran on; no run where none is possible."""
        self._begin(f"{self._template} for {tried.text}")
        own = copied(tried.live, self._library)
        try:
            target = self.called(own)
        except Inapplicable:
            return None, own
        return ran(target, self._library), own

    def _holds_harder(self) -> bool:
        """Whether it is equal, too, wherever both succeed on harder inputs, and says something.

        Where the template says little of those that are made for all pairs, more
        are made of what was accepted.
        """
        before = len(self._results)
        if not self._holds_on(self._inputs.harder):
            return False
        if len(self._results) < before + FEW:
            more = self._inputs.harder_than(self._accepted)
            if not self._holds_on(more):
                return False
        return _say_something(self._results, self._inputs)

    def _holds_on(self, harder: Iterator[Tried]) -> bool:
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
    """What forms of an API share: ``PixelShuffle`` and ``functional.pixel_shuffle``."""
    return name.rpartition(".")[2].replace("_", "").lower()


def _say_something(results: List[Ran], inputs: Inputs) -> bool:
    """Whether results could have been other ones: elements, or not the same word each time.

    Text says how values are shown to people, and nothing of them.
    """
    words = set()
    for found in results:
        if any(item[2].size for item in plain(found.value, inputs.library)):
            return True
        words.add(repr(found.value) if isinstance(found.value, (bool, int, float)) else "")
    return len(words) > 1

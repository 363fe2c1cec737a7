"""From a library call that fails to inputs of the target that lead to it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ... import worktime
from ...exploring.plan import text_of
from ...generation.recipes import BadRecipe, Recipe, parse
from ..agreeing import disagreements
from ..calls import made, read
from ..libraries.library import Library
from ..nouns import Api, Live
from ..outcomes import outcome_of
from ..running import Begin
from .admitting import Admission
from .asking import asked, concerns
from .drawn import Report
from .judging import Judging
from .meetings import Key, Met, key_of
from .mutated import Site
from .origins import Path, origins, part, slots
from .request import Request
from .respelling import replaced, respelled
from .watching import Mark, Ran

MOST_ATTEMPTS = 40
MOST_ROTATIONS = 6


@dataclass
class Lifting:
    """The third stage; an item is a divergence of a call, and the site where it may be met.

    What is ``reached`` already is let be.
    """

    request: Request
    waiting: Sequence[Tuple[Met, Site]]
    until: float
    reached: Mapping[Key, Met]

    @cached_property
    def apis(self) -> Mapping[str, Api]:
        """The library's callables by name."""
        return {api.name: api for api in self.request.library.apis()}

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Verify the call by itself (step 0), then try inputs until one leads there."""
        met, site = self.waiting[item]
        if met.key in self.reached or worktime.now() > self.until:
            return
        library = self.request.library
        try:
            live = made(read(met.finding.call, library), library)
        except Exception:
            return
        if start == 0:
            begin(0, Mark(at=site.place, call=met.finding.call).text())
            if self._holds(live, met):
                report({"verified": True})
        judging = Judging(self.request, partial(begin, max(1, start)))
        attempts = self._attempts(live, site, judging)
        for step, arguments in enumerate(itertools.islice(attempts, MOST_ATTEMPTS), 1):
            if step < start:
                continue
            if worktime.now() > self.until:
                return
            again = Judging(self.request, partial(begin, step))
            ran = again.run(arguments)
            report({"executions": 1})
            for found in again.met(ran, arguments, site.place):
                if found.key == met.key and found.finding.call:
                    report(found.as_json())
                    return

    def _holds(self, live: Live, met: Met) -> bool:
        """Whether the call by itself fails as it is said to."""
        library = self.request.library
        if met.finding.ends_process:
            outcome_of(live.run, library)
            return False
        found = disagreements(live, library, self.request.of_source(live.api), asked())
        return any(
            key_of(each, met.at) == met.key and concerns(each, live, library) for each in found
        )

    def _attempts(
        self, live: Live, site: Site, judging: Judging
    ) -> Iterator[Dict[str, Dict[str, Any]]]:
        """Arguments of the target that meet its contract, with values of the call in them."""
        admission = Admission(self.request)
        wanted = slots(live, self.apis.get(live.api))
        known: Set[str] = set()
        for given in site.inputs:
            for arguments in self._changed(given, wanted, site, judging):
                text = text_of(arguments)
                if text not in known and admission.admits(arguments):
                    known.add(text)
                    yield arguments

    def _changed(
        self,
        given: Dict[str, Any],
        wanted: Mapping[Any, Any],
        site: Site,
        judging: Judging,
    ) -> Iterator[Dict[str, Dict[str, Any]]]:
        ran = judging.run(given)
        for seen in judging.at(ran, site.place):
            if seen.given is None:
                continue
            there = slots(seen.given, self.apis.get(seen.api))
            paths = origins(there, ran.values)
            shared = {slot: path for slot, path in paths.items() if slot in wanted}
            for first in (None, *range(MOST_ROTATIONS)):
                values = {
                    path: self._value(wanted[slot], there[slot], first)
                    for slot, path in shared.items()
                }
                news = _news(values, ran, self.request.library)
                for chosen in _choices(news):
                    changed = _with(given, chosen)
                    if changed is not None:
                        yield changed

    def _value(self, value: Any, like: Any, first: Optional[int]) -> Any:
        """A value as it is, or an array in the shape and dtype that it had.

        That has the elements from number ``first`` on: of many only one may be at fault.
        """
        arrays = self.request.library.is_array
        if first is not None and arrays(value) and arrays(like) and value.numel():
            return _cast(value, like, first)
        return value


def _news(values: Mapping[Path, Any], ran: Ran, library: Library) -> Dict[Path, Recipe]:
    """New recipes for parts of the target's arguments."""
    found: Dict[Path, Recipe] = {}
    for path, value in values.items():
        try:
            found[path] = respelled(value, part(ran.values, path), library)
        except (BadRecipe, ValueError, TypeError, OverflowError):
            continue
    return found


def _cast(value: Any, like: Any, first: int = 0) -> Any:
    """The elements of an array, from one on, in one of the shape and dtype that another one has."""
    flat, count = value.detach().reshape(-1), like.numel()
    rotated = flat.roll(-first) if first else flat
    repeated = rotated.repeat(-(-count // flat.numel()))[:count]
    return repeated.to(like.dtype).reshape(like.shape)


def _choices(news: Mapping[Path, Recipe]) -> Iterator[Mapping[Path, Recipe]]:
    """All changes together, then each by itself."""
    if news:
        yield news
    if len(news) > 1:
        for path, recipe in news.items():
            yield {path: recipe}


def _with(
    given: Mapping[str, Mapping[str, Any]], news: Mapping[Path, Recipe]
) -> Optional[Dict[str, Dict[str, Any]]]:
    """Arguments with other parts; ``None`` where they cannot be put there."""
    changed = {name: dict(each) for name, each in given.items()}
    try:
        for (name, *inside), recipe in news.items():
            old = _recipe(changed[name])
            new = replaced(old, tuple(inside), recipe).source()
            changed[name] = {"kind": "made", "recipe": new}
    except (BadRecipe, KeyError, IndexError):
        return None
    return changed


def _recipe(argument: Mapping[str, Any]) -> Recipe:
    source: List[str] = [argument[word] for word in ("recipe", "source") if word in argument]
    if not source:
        raise BadRecipe("it is not made by a recipe")
    return parse(source[0])

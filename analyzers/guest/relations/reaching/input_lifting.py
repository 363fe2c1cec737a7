"""From a library call that fails to inputs of the target that lead to it."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any, Iterator, Mapping, Optional, Sequence

from ...inputs.exploration.exploration_plan import text_of
from ...inputs.recipes import (
    BadRecipe,
    CallRecipe,
    DisplayRecipe,
    LiteralRecipe,
    PairsRecipe,
    Recipe,
    literal,
    parse,
)
from ...runtime import time_limits
from ..agreement import disagreements
from ..library_calls import apis_by_name, live_call, outcome_of, parse_call
from ..process_pool import Begin
from ..relation_types import Library, LiveCall
from .argument_origins import Path, origins, part, slots
from .call_judging import (
    CallJudge,
    DivergenceKey,
    LocatedDivergence,
    concerns_project,
    divergence_key,
    project_oracles,
)
from .search_stages import Admission, LibraryCallSite, Report
from .target_calls import InFlight, RelateRequest, TargetRun

MOST_ELEMENTS = 64
"""A larger array is told only where most of its elements are the same."""
_MAKERS = {"torch": "tensor", "numpy": "array", "jax": "jax_array"}


def recipe_like(value: Any, like: Any, library: Library) -> Recipe:
    """Return the recipe of a value as an array of ``like``'s kind; raises :class:`BadRecipe`."""
    if not library.is_array(value):
        return literal(value)
    kind = _kind(like)
    dtype, shape, elements = library.plain(value)
    if kind is None:
        if elements.size != 1:
            raise BadRecipe("an array is no number")
        return literal(elements.item())
    keywords = _contents(shape, elements)
    if dtype != "float32":
        keywords.insert(0, ("dtype", LiteralRecipe(dtype)))
    if kind == "torch" and getattr(like, "requires_grad", False):
        keywords.append(("requires_grad", LiteralRecipe(value=True)))
    return CallRecipe(_MAKERS[kind], (literal(tuple(shape)),), tuple(keywords))


def _kind(like: Any) -> Any:
    if not (hasattr(like, "dtype") and hasattr(like, "shape")):
        return None
    name = type(like).__module__.partition(".")[0]
    return {"torch": "torch", "numpy": "numpy", "jaxlib": "jax", "jax": "jax"}.get(name)


def _contents(shape: tuple[int, ...], elements: Any) -> list[tuple[str, Recipe]]:
    """Return the element that is there most, and where there are others."""
    import numpy

    if 0 in shape:
        return []
    flat = elements.reshape(-1).tolist()
    texts = [repr(each) for each in flat]
    most, count = Counter(texts).most_common(1)[0]
    if len(flat) - count > MOST_ELEMENTS:
        raise BadRecipe("the array is too large to be told")
    fill = flat[texts.index(most)]
    found: list[tuple[str, Recipe]] = [] if most in ("0", "0.0") else [("fill", literal(fill))]
    others = [
        (literal(tuple(int(n) for n in numpy.unravel_index(place, shape))), literal(each))
        for place, each in enumerate(flat)
        if texts[place] != most
    ]
    return [*found, ("at", PairsRecipe(tuple(others)))] if others else found


def replace_at(recipe: Recipe, path: tuple[Any, ...], new: Recipe) -> Recipe:
    """Return a recipe with another at a path of indices and keys; raises :class:`BadRecipe`."""
    if not path:
        return new
    if isinstance(recipe, DisplayRecipe) and isinstance(path[0], int):
        items = list(recipe.items)
        items[path[0]] = replace_at(items[path[0]], path[1:], new)
        return DisplayRecipe(recipe.kind, tuple(items))
    if isinstance(recipe, PairsRecipe):
        key = literal(path[0])
        pairs = [(k, replace_at(v, path[1:], new) if k == key else v) for k, v in recipe.items]
        return PairsRecipe(tuple(pairs))
    raise BadRecipe("it is no part of a display")


MOST_ATTEMPTS = 40
MOST_ROTATIONS = 6


@dataclass
class LiftingStage:
    """The third stage; an item is a divergence of a call, and the site where it may be met."""

    request: RelateRequest
    waiting: Sequence[tuple[LocatedDivergence, LibraryCallSite]]
    until: float
    reached: Mapping[DivergenceKey, LocatedDivergence]

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Verify the call by itself (step 0), then try inputs until one leads there."""
        met, site = self.waiting[item]
        if met.key in self.reached or time_limits.now() > self.until:
            return
        library = self.request.library
        try:
            live = live_call(parse_call(met.finding.call, library), library)
        except Exception:
            return
        if start == 0:
            begin(0, InFlight(at=site.place, call=met.finding.call).text())
            if self._holds(live, met):
                report({"verified": True})
        judging = CallJudge(self.request, partial(begin, max(1, start)))
        attempts = self._attempts(live, site, judging)
        for step, arguments in enumerate(itertools.islice(attempts, MOST_ATTEMPTS), 1):
            if step < start:
                continue
            if time_limits.now() > self.until:
                return
            again = CallJudge(self.request, partial(begin, step))
            ran = again.run(arguments)
            report({"executions": 1})
            for found in again.met(ran, arguments, site.place):
                if found.key == met.key and found.finding.call:
                    report(found.as_json())
                    return

    def _holds(self, live: LiveCall, met: LocatedDivergence) -> bool:
        """Return whether the call by itself fails as it is said to."""
        library = self.request.library
        if met.finding.ends_process:
            outcome_of(live.run)
            return False
        found = disagreements(live, library, self.request.of_source(live.api), project_oracles())
        return any(
            divergence_key(each, met.at) == met.key and concerns_project(each, live, library)
            for each in found
        )

    def _attempts(
        self, live: LiveCall, site: LibraryCallSite, judging: CallJudge
    ) -> Iterator[dict[str, dict[str, Any]]]:
        """Yield arguments of the target that meet its contract, with values of the call in them."""
        admission = Admission(self.request)
        wanted = slots(live, apis_by_name(self.request.library).get(live.api))
        known: set[str] = set()
        for given in site.inputs:
            for arguments in self._changed(given, wanted, site, judging):
                text = text_of(arguments)
                if text not in known and admission.admits(arguments):
                    known.add(text)
                    yield arguments

    def _changed(
        self,
        given: dict[str, Any],
        wanted: Mapping[Any, Any],
        site: LibraryCallSite,
        judging: CallJudge,
    ) -> Iterator[dict[str, dict[str, Any]]]:
        ran = judging.run(given)
        for seen in judging.at(ran, site.place):
            if seen.given is None:
                continue
            there = slots(seen.given, apis_by_name(self.request.library).get(seen.api))
            paths = origins(there, ran.values)
            shared = {slot: path for slot, path in paths.items() if slot in wanted}
            for first in (None, *range(MOST_ROTATIONS)):
                values = {
                    path: self._value(wanted[slot], there[slot], first)
                    for slot, path in shared.items()
                }
                news = _news(values, ran, self.request.library)
                alone = [{path: recipe} for path, recipe in news.items()]
                for chosen in [news, *alone] if len(alone) > 1 else alone:
                    changed = _with(given, chosen)
                    if changed is not None:
                        yield changed

    def _value(self, value: Any, like: Any, first: Optional[int]) -> Any:
        """Return a value as it is, or its elements from ``first`` on in the former shape."""
        arrays = self.request.library.is_array
        if first is not None and arrays(value) and arrays(like) and value.numel():
            flat, count = value.detach().reshape(-1), like.numel()
            rotated = flat.roll(-first) if first else flat
            repeated = rotated.repeat(-(-count // flat.numel()))[:count]
            return repeated.to(like.dtype).reshape(like.shape)
        return value


def _news(values: Mapping[Path, Any], ran: TargetRun, library: Library) -> dict[Path, Recipe]:
    found: dict[Path, Recipe] = {}
    for path, value in values.items():
        try:
            found[path] = recipe_like(value, part(ran.values, path), library)
        except (BadRecipe, ValueError, TypeError, OverflowError):
            continue
    return found


def _with(
    given: Mapping[str, Mapping[str, Any]], news: Mapping[Path, Recipe]
) -> Optional[dict[str, dict[str, Any]]]:
    """Return arguments with other parts; ``None`` where they cannot be put there."""
    changed = {name: dict(each) for name, each in given.items()}
    try:
        for (name, *inside), recipe in news.items():
            old = _recipe(changed[name])
            new = replace_at(old, tuple(inside), recipe).source()
            changed[name] = {"kind": "made", "recipe": new}
    except (BadRecipe, KeyError, IndexError):
        return None
    return changed


def _recipe(argument: Mapping[str, Any]) -> Recipe:
    source: list[str] = [argument[word] for word in ("recipe", "source") if word in argument]
    if not source:
        raise BadRecipe("it is not made by a recipe")
    return parse(source[0])

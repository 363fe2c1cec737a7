"""Arguments of a target that are smaller in one way: fewer, of fewer elements, plainer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Iterator, Mapping, Optional, Sequence

from ...inputs.exploration.exploration_plan import text_of
from ...inputs.exploration.input_runs import as_protocol
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
from ...protocol import api_calls
from ...runtime import time_limits
from ...runtime.execution import execute
from ..fuzzing.fuzz_findings import FuzzFinding
from ..process_pool import Begin, ItemReport, ProcessDied, ProcessHung, ProcessPool, Result
from ..relation_types import CRASHED, HUNG
from .call_judging import CallJudge, LocatedDivergence, parse_divergence
from .search_stages import Admission, Report
from .target_calls import Arguments, RelateRequest, parse_in_flight

ARRAYS = ("tensor", "array", "jax_array")
Recipes = Mapping[str, Recipe]
Cost = tuple[int, int, int]


def cost(recipes: Recipes) -> Cost:
    """Return how much there is to read: arguments, characters, and what their digits are."""
    texts = [recipe.source() for recipe in recipes.values()]
    digits = sum("0123456789".find(letter) + 1 for text in texts for letter in text)
    return len(texts), sum(map(len, texts)), digits


def recipes_of(arguments: Mapping[str, Mapping[str, Any]]) -> Optional[Recipes]:
    """Return the recipes of arguments; ``None`` where one has none."""
    try:
        return {
            name: parse(given["recipe"] if given["kind"] == "made" else given["source"])
            for name, given in arguments.items()
        }
    except (BadRecipe, KeyError):
        return None


def argument_simplifications(
    recipes: Recipes, optional: frozenset[str]
) -> Iterator[dict[str, Recipe]]:
    """Arguments of less :func:`cost`, the boldest first; those that are ``optional`` may go."""
    most = cost(recipes)
    for found in _changed(recipes, optional):
        if cost(found) < most:
            yield found


def _changed(recipes: Recipes, optional: frozenset[str]) -> Iterator[dict[str, Recipe]]:
    for name in recipes:
        if name in optional:
            yield {each: recipe for each, recipe in recipes.items() if each != name}
    sizes = {size for recipe in recipes.values() for size in _shape(recipe) or ()}
    for size in sorted(sizes, reverse=True):
        for new in _fewer(size):
            yield {name: _resized(recipe, size, new) for name, recipe in recipes.items()}
    for name, recipe in recipes.items():
        for found in _simpler(recipe):
            yield {**recipes, name: found}


def _fewer(size: int) -> list[int]:
    return sorted({new for new in (1, 2, size // 2, size - 1) if 0 < new < size})


def _simpler(recipe: Recipe) -> Iterator[Recipe]:
    if isinstance(recipe, LiteralRecipe):
        yield from _plainer(recipe)
    elif isinstance(recipe, DisplayRecipe):
        yield from _of_display(recipe)
    elif isinstance(recipe, CallRecipe) and _shape(recipe) is not None:
        yield from _of_array(recipe)


def _plainer(recipe: LiteralRecipe) -> Iterator[Recipe]:
    value = recipe.value
    if type(value) is bool:
        yield LiteralRecipe(value=False)
    elif type(value) in (int, float):
        kind = type(value)
        yield from (LiteralRecipe(kind(plain)) for plain in (0, 1, -1, 2))
        if kind is float and math.isfinite(value):
            yield LiteralRecipe(float(round(value)))
        if kind is int:
            yield LiteralRecipe(int(value / 2))


def _of_display(recipe: DisplayRecipe) -> Iterator[Recipe]:
    items = recipe.items
    if recipe.kind == "list" and len(items) > 1:
        yield DisplayRecipe("list", items[:1])
        for number in range(len(items)):
            yield DisplayRecipe("list", items[:number] + items[number + 1 :])
    for number, item in enumerate(items):
        for found in _simpler(item):
            yield DisplayRecipe(recipe.kind, (*items[:number], found, *items[number + 1 :]))


# --------------------------------------------------------------------- arrays


def _shape(recipe: Recipe) -> Optional[tuple[int, ...]]:
    if not (isinstance(recipe, CallRecipe) and recipe.function in ARRAYS and recipe.arguments):
        return None
    shape = recipe.arguments[0]
    if not (isinstance(shape, DisplayRecipe) and len(recipe.arguments) == 1):
        return None
    sizes = [each.value for each in shape.items if isinstance(each, LiteralRecipe)]
    return tuple(sizes) if len(sizes) == len(shape.items) else None


def _resized(recipe: Recipe, size: int, new: int) -> Recipe:
    """Return an array with ``new`` wherever its shape has ``size``, also inside displays."""
    if isinstance(recipe, DisplayRecipe):
        return DisplayRecipe(recipe.kind, tuple(_resized(item, size, new) for item in recipe.items))
    shape = _shape(recipe)
    if shape is None or not isinstance(recipe, CallRecipe):
        return recipe
    return _shaped(recipe, tuple(new if each == size else each for each in shape))


def _shaped(recipe: CallRecipe, shape: tuple[int, ...]) -> CallRecipe:
    """An array of another shape; elements beyond it go to its first place where none is left."""
    given = dict(recipe.keywords)
    at = given.pop("at", None)
    if isinstance(at, PairsRecipe):
        kept = tuple(pair for pair in at.items if _is_in(pair[0], shape))
        if not kept and 0 not in shape:
            kept = ((literal((0,) * len(shape)), at.items[0][1]),)
        given["at"] = PairsRecipe(kept)
    return CallRecipe(recipe.function, (literal(shape),), tuple(given.items()))


def _is_in(place: Recipe, shape: tuple[int, ...]) -> bool:
    items = place.items if isinstance(place, DisplayRecipe) else ()
    numbers = [each.value for each in items if isinstance(each, LiteralRecipe)]
    inside = all(-size <= number < size for number, size in zip(numbers, shape))
    return len(numbers) == len(shape) and inside


def _of_array(recipe: CallRecipe) -> Iterator[Recipe]:
    given = dict(recipe.keywords)
    shape = _shape(recipe) or ()
    for axis, size in enumerate(shape):
        for new in _fewer(size):
            yield _shaped(recipe, (*shape[:axis], new, *shape[axis + 1 :]))
    for name in ("contiguous", "seed", "values", "low", "high", "at", "fill"):
        if name in given:
            yield _with(recipe, {name: None})
    if "seed" in given:
        drawn = {"seed": None, "low": None, "high": None, "values": None}
        for fill in (None, literal(1), given.get("low"), given.get("high")):
            yield _with(recipe, {**drawn, "fill": fill})
    at, filling = given.get("at"), given.get("fill")
    if isinstance(at, PairsRecipe):
        yield from _of_elements(recipe, at)
    if isinstance(filling, LiteralRecipe):
        for plain in _plainer(filling):
            yield _with(recipe, {"fill": plain})


def _of_elements(recipe: CallRecipe, at: PairsRecipe) -> Iterator[Recipe]:
    pairs = at.items
    for _, element in pairs:
        yield _with(recipe, {"at": None, "fill": element})
    for number, (place, element) in enumerate(pairs):
        others = (*pairs[:number], *pairs[number + 1 :])
        if others:
            yield _with(recipe, {"at": PairsRecipe(others)})
        for found in _simpler(element):
            yield _with(
                recipe, {"at": PairsRecipe((*pairs[:number], (place, found), *pairs[number + 1 :]))}
            )


def _with(recipe: CallRecipe, changes: Mapping[str, Optional[Recipe]]) -> CallRecipe:
    """Return with other keywords; ``None`` leaves one out."""
    given = {**dict(recipe.keywords), **changes}
    keywords = tuple((name, each) for name, each in given.items() if each is not None)
    return CallRecipe(recipe.function, recipe.arguments, keywords)


MOST_DEATHS = 12
HANG_GRACE = 2.0


@dataclass
class DivergenceSearch:
    """Search among inputs for the first that leads to a divergence."""

    request: RelateRequest
    met: LocatedDivergence
    inputs: Sequence[Arguments]
    until: float

    def work(self, item: int, start: int, begin: Begin, report: Report) -> None:
        """Report the first that does."""
        del item
        admission = Admission(self.request)
        for step, arguments in enumerate(self.inputs):
            if step < start or not admission.admits(arguments):
                continue
            if time_limits.now() > self.until:
                return
            judging = CallJudge(self.request, partial(begin, step))
            ran = judging.run(arguments)
            for found in judging.met(ran, arguments, self.met.at):
                if found.key == self.met.key and found.finding.call:
                    report(found.as_json())
                    return


def smallest_divergence(
    met: LocatedDivergence, request: RelateRequest, until: float
) -> LocatedDivergence:
    """The divergence by the smallest input that was found before ``until`` (seconds of work)."""
    optional = frozenset(each["name"] for each in request.prepared.parameters if each["default"])
    tried = {text_of(met.arguments or {})}
    while time_limits.now() < until:
        recipes = recipes_of(met.arguments or {})
        found = None if recipes is None else list(argument_simplifications(recipes, optional))
        inputs = [each for each in map(as_protocol, found or ()) if text_of(each) not in tried]
        tried.update(map(text_of, inputs))
        smaller = _first(DivergenceSearch(request, met, inputs, until)) if inputs else None
        if smaller is None:
            break
        met = smaller
    return met


def _first(trying: DivergenceSearch) -> Optional[LocatedDivergence]:
    """Return what the first input that leads to it shows."""
    seconds = trying.request.timeout + HANG_GRACE
    pool = ProcessPool(trying.work, 1, seconds, workers=1, deaths=MOST_DEATHS)
    for _, result in pool:
        if isinstance(result, ItemReport):
            return parse_divergence(result.value)
        dead = ended(trying.met, result)
        if dead is not None:
            return dead
    return None


def ended(met: LocatedDivergence, result: Result) -> Optional[LocatedDivergence]:
    """The divergence as an input met it that the process did not survive; ``None``: another end."""
    if not isinstance(result, (ProcessDied, ProcessHung)):
        return None
    mark, outcome = parse_in_flight(result.text), met.finding.disagreement.outcome
    if mark.at is None or mark.judging or mark.at[:3] != met.at[:3]:
        return None
    if isinstance(result, ProcessDied):
        same = outcome.status == CRASHED and outcome.signal == result.signal
    else:
        same = outcome.status == HUNG
    if not same:
        return None
    call = mark.call or met.finding.call
    finding = FuzzFinding(call, met.finding.disagreement)
    return replace(met, finding=finding, at=mark.at, arguments=dict(mark.arguments))


def confirmed_row(met: LocatedDivergence, request: RelateRequest) -> Optional[dict[str, Any]]:
    """A row of ``reached``: how its input ends in a fresh process, where it ends as it should."""

    def work(item: int, start: int, begin: Begin, report: Report) -> None:
        if start == 0:
            begin(item, text_of(met.arguments or {}))
            answers = api_calls.EmptyAnswers()
            given = met.arguments or {}
            ran = execute(request.prepared, given, answers, request.timeout, met.ensures)
            report(ran.ending)

    seconds = request.timeout + HANG_GRACE
    end: dict[str, Any] = {}
    for _, result in ProcessPool(work, 1, seconds, workers=1, deaths=1):
        if isinstance(result, ItemReport):
            end = {"ending": result.value}
        elif isinstance(result, ProcessDied):
            end = {"signal": result.signal}
        elif isinstance(result, ProcessHung):
            end = {"ending": {"kind": "timed-out", "seconds": request.timeout}}
    if not _is_as(met, end):
        return None
    return {**met.told(), "arguments": met.arguments, "ensures": met.ensures, **end}


def _is_as(met: LocatedDivergence, end: Mapping[str, Any]) -> bool:
    outcome = met.finding.disagreement.outcome
    if "signal" in end:
        return outcome.status == CRASHED and end["signal"] == outcome.signal
    kind = end.get("ending", {}).get("kind")
    if met.ensures:
        return bool(kind == "violated")
    return bool(kind == ("timed-out" if outcome.status == HUNG else "raised"))

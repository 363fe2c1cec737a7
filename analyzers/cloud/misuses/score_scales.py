"""Scores compared with thresholds, or with scores, of another scale.

A threshold is wrong where it lies off the scale that the provider documents,
the comparison has one outcome over all of it, and scores beyond the scale turn
it: so it is the score that is compared, and no answer that turns it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud.conditions.condition_comparisons import Comparison, comparisons
from analyzers.cloud.conditions.static_facts import constant
from analyzers.cloud.messages import score_range, two_score_ranges
from analyzers.cloud.misuses.misuse import Misuse, MisuseContext, constant_comparison
from analyzers.cloud.source_edits import Splice
from analyzers.vocabulary import Exchange, Finding, Json, JsonObject, Probe, Suggestion

_SCORE = re.compile(r"score|confidence|probability|salience", re.IGNORECASE)
UNBOUNDED = frozenset({"google.vision.web_detection", "google.vision.product_search"})
"""APIs whose scores have no scale that the provider documents."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the best score."""

    low: float
    high: float

    def at(self, share: float) -> float:
        """Return the score at a share of the scale: 0 its least, 1 its best."""
        return self.low + (self.high - self.low) * share


Place = tuple[int, int, str, Scale]
"""A score's place: number of the answer, of the element, its API, and its scale."""
Choose = Callable[[Place], float]


def _all_at(share: float) -> Choose:
    return lambda place: place[3].at(share)


LEVELS: tuple[Choose, ...] = (
    *map(_all_at, (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)),
    lambda place: place[3].at(place[0] % 2),
    lambda place: place[3].at(1 - place[0] % 2),
    lambda place: place[3].at(place[1] % 2),
    lambda place: place[3].at(1 - place[1] % 2),
)
"""All scores alike; answers that differ; elements of one answer that differ."""


def over_the_scale(probe: Probe, floored: frozenset[str]) -> list[Probe]:
    """Return the probe with scores from the least to the best.

    ``floored``: APIs whose answers hold no score under their ``lowest``.
    """
    return [_scored(probe, choose, floored) for choose in LEVELS]


def beyond_the_scale(probe: Probe, api: Api, threshold: float) -> list[Probe]:
    """Return the probe with scores on both sides of a threshold off the scale."""

    def at(level: float) -> Choose:
        return lambda place: level if place[2] == api.name else place[3].at(0.5)

    levels = (0.0, threshold / 2, threshold * 2, -threshold * 2)
    return [_scored(probe, at(level), frozenset()) for level in levels]


def on_the_scale_of(probe: Probe, changed: str, other: Api) -> list[Probe]:
    """Return the probe with the scores of the API ``changed`` on another's scale."""
    scale = Scale(0.0, other.highest)

    def rescaled(choose: Choose) -> Choose:
        return lambda place: choose((*place[:3], scale) if place[2] == changed else place)

    return [_scored(probe, rescaled(choose), frozenset()) for choose in LEVELS]


def off_the_scale(probe: Probe, floored: frozenset[str]) -> bool:
    """Return whether an answer, made up by the search, has a score lower than its API gives."""
    return any(
        isinstance(score, int | float) and score < api.lowest
        for api in scored_apis(probe)
        if api.name in floored and api.score_at
        for each in probe.script or ()
        if each.api == api.name
        for score in values_at(each.answer, api.score_at)
    )


def scored_apis(probe: Probe) -> list[Api]:
    """Return the APIs that a probe's answers are of and that have scores with a scale."""
    apis = catalogue.load_catalogue().apis
    names = dict.fromkeys(exchange.api for exchange in probe.script or ())
    return [apis[name] for name in names if name in apis and name not in UNBOUNDED]


def scale_of(api: Api, floored: frozenset[str]) -> Scale:
    """Return the scale of an API's own score."""
    if has_feeling(api):
        return Scale(-api.highest, api.highest)
    return Scale(api.lowest if api.name in floored else 0.0, api.highest)


def has_feeling(api: Api) -> bool:
    """Return whether the API's score says a feeling: it goes below zero as far as above."""
    return any(meaning.clear is not None for meaning in api.says)


def _scored(probe: Probe, choose: Choose, floored: frozenset[str]) -> Probe:
    known = {api.name: api for api in scored_apis(probe)}
    script = tuple(
        each.answering(_rated(known[each.api], number, each, choose, floored))
        if each.api in known
        else each
        for number, each in enumerate(probe.script or ())
    )
    return replace(probe, script=script)


def _rated(
    api: Api, number: int, exchange: Exchange, choose: Choose, floored: frozenset[str]
) -> JsonObject:
    """Return the exchange's answer with the scores that ``choose`` says."""
    own = api.score_at

    def walk(value: Json, path: str, element: int) -> Json:
        if isinstance(value, Mapping):
            return {name: walk(v, f"{path}.{name}", element) for name, v in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [walk(inner, f"{path}[]", at) for at, inner in enumerate(value)]
        if isinstance(value, bool | str) or value is None or not _is_score(path):
            return value
        scale = scale_of(api, floored if path[1:] == own else frozenset())
        if "sentiment" in path:
            scale = Scale(-api.highest, api.highest)
        return choose((number, element, api.name, scale))

    changed = walk(exchange.answer, "", 0)
    assert isinstance(changed, Mapping)
    return changed


def _is_score(path: str) -> bool:
    """Return whether a number is a score, by its name or by that of what holds it."""
    return any(_SCORE.search(step) for step in path.split(".")[-2:])


KIND = "score-scale"
PERCENT = 100.0
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def wrong_scales(case: MisuseContext) -> Iterator[Finding]:
    """Yield findings for comparisons of scores that no answer turns."""
    for comparison in comparisons(case.target, case.bench):
        bases = case.askers(comparison.goal) if isinstance(comparison.operator, _ORDER) else []
        if not bases:
            continue
        apis = list({api.name: api for base in bases for api in scored_apis(base)}.values())
        floored = _floored(case, apis)
        heard = [each for each in case.executed if not off_the_scale(each[0], floored)]
        given = replace(case, executed=heard)
        probes = [probe for base in bases for probe in over_the_scale(base, floored)]
        misuse = _off_scale(given, comparison, apis, floored, bases, probes)
        misuse = misuse or _two_scales(given, comparison, apis, bases, probes)
        if misuse is not None:
            yield constant_comparison(case.target, misuse)


def _floored(case: MisuseContext, apis: list[Api]) -> frozenset[str]:
    """Return the APIs that the target asks for no scores below their usual lowest."""
    paths = {case.target.path, *case.target.files, *(call.path for call in case.target.calls)}
    texts = [case.bench.source(path) for path in sorted(paths)]
    return frozenset(api.name for api in apis if not any(_lowered(api, text) for text in texts))


def _lowered(api: Api, text: str) -> bool:
    """Return whether a text may ask an API for scores below its usual lowest."""
    name = api.floored_by or "\0"
    asked = re.findall(rf"{re.escape(name)}['\"]?\s*[=:]\s*(\d+(?:\.\d+)?)\s*[,)}}]", text)
    return len(asked) < text.count(name) or any(float(least) < api.lowest for least in asked)


def _off_scale(
    case: MisuseContext,
    comparison: Comparison,
    apis: list[Api],
    floored: frozenset[str],
    bases: list[Probe],
    probes: list[Probe],
) -> Misuse | None:
    """Return the misuse of comparing a score with a constant off its scale."""
    for side, _ in comparison.sides:
        threshold = constant(side, comparison.names)
        if threshold is None or isinstance(threshold, str):
            continue
        for api in apis:
            scale = scale_of(api, floored)
            if not _is_off(threshold, scale):
                continue
            always = case.unmoved(comparison, probes)
            beyond = [p for base in bases for p in beyond_the_scale(base, api, threshold)]
            if always is not None and case.moved(always, beyond):
                reason = score_range(api.name, scale.low, scale.high)
                patch = _rescaled(comparison, side, threshold, api)
                return Misuse(KIND, api.name, comparison, reason, always, probes, patch)
    return None


LEAST_MEANT = 0.05
"""The least share of a scale that a threshold moved to it is taken to mean."""


def _is_off(threshold: float, scale: Scale) -> bool:
    """Return whether a threshold belongs to another scale.

    One that only stands at an end of it (``score >= 0``) does not, nor does 1,
    with which code tells a share from a percentage.
    """
    return abs(threshold) > scale.high or (scale.low > 1 > threshold > 0)


def _two_scales(
    case: MisuseContext,
    comparison: Comparison,
    apis: list[Api],
    bases: list[Probe],
    probes: list[Probe],
) -> Misuse | None:
    """Return the misuse of comparing the scores of two APIs with different scales."""
    if any(constant(side, comparison.names) is not None for side, _ in comparison.sides):
        return None
    pairs = [(one, other) for one in apis for other in apis if one.highest < other.highest]
    for one, other in pairs:
        always = case.unmoved(comparison, probes)
        alike = [
            [p for base in bases for p in on_the_scale_of(base, changed.name, scale)]
            for changed, scale in ((one, other), (other, one))
        ]
        if always is not None and all(case.moved(always, p) for p in alike):
            reason = two_score_ranges(one.name, one.highest, other.name, other.highest)
            return Misuse(KIND, one.name, comparison, reason, always, probes)
    return None


def _rescaled(
    comparison: Comparison, side: ast.expr, threshold: float, api: Api
) -> Suggestion | None:
    """Return the threshold on the API's scale, where a percentage and a share were confused."""
    if isinstance(side, ast.Name) or has_feeling(api):
        return None
    meant = threshold * PERCENT if api.highest >= PERCENT else threshold / PERCENT
    if not LEAST_MEANT * api.highest <= meant < api.highest:
        return None
    source, goal = comparison.source, comparison.goal
    edit = source.edited([Splice(*source.span(side), f"{round(meant, 6):g}")])
    if edit is None:
        return None
    return Suggestion(goal.path, edit.start_line, edit.end_line, edit.replacement)

"""Answers over the whole scale of an API's scores, and beyond it.

The scales are the catalogue's: the providers' documentation gives a score's
highest value, and for some APIs the least one that an answer has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.catalogue.paths import values
from analyzers.vocabulary import Exchange, Json, JsonObject, Probe

_SCORE = re.compile(r"score|confidence|probability|salience", re.IGNORECASE)
UNBOUNDED = frozenset({"google.vision.web_detection", "google.vision.product_search"})
"""APIs whose scores have no scale that the provider documents."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The least and the best score."""

    low: float
    high: float

    def at(self, share: float) -> float:
        """The score at a share of the scale: 0 its least, 1 its best."""
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
    """The probe with scores from the least to the best.

    ``floored``: APIs whose answers hold no score under their ``lowest``.
    """
    return [_scored(probe, choose, floored) for choose in LEVELS]


def beyond_the_scale(probe: Probe, api: Api, threshold: float) -> list[Probe]:
    """The probe with scores of an API on both sides of a threshold that no answer crosses."""

    def at(level: float) -> Choose:
        return lambda place: level if place[2] == api.name else place[3].at(0.5)

    levels = (0.0, threshold / 2, threshold * 2, -threshold * 2)
    return [_scored(probe, at(level), frozenset()) for level in levels]


def on_the_scale_of(probe: Probe, changed: str, other: Api) -> list[Probe]:
    """The probe with the scores of the API ``changed`` on another's scale."""
    scale = Scale(0.0, other.highest)

    def rescaled(choose: Choose) -> Choose:
        return lambda place: choose((*place[:3], scale) if place[2] == changed else place)

    return [_scored(probe, rescaled(choose), frozenset()) for choose in LEVELS]


def off_the_scale(probe: Probe, floored: frozenset[str]) -> bool:
    """Whether an answer, made up by the search, has a score lower than its API gives."""
    return any(
        isinstance(score, int | float) and score < api.lowest
        for api in scored_apis(probe)
        if api.name in floored and api.score_at
        for each in probe.script or ()
        if each.api == api.name
        for score in values(each.answer, api.score_at)
    )


def scored_apis(probe: Probe) -> list[Api]:
    """The APIs that a probe's answers are of and that have scores with a scale."""
    apis = catalogue.load().apis
    names = dict.fromkeys(exchange.api for exchange in probe.script or ())
    return [apis[name] for name in names if name in apis and name not in UNBOUNDED]


def scale_of(api: Api, floored: frozenset[str]) -> Scale:
    """The scale of an API's own score."""
    if has_feeling(api):
        return Scale(-api.highest, api.highest)
    return Scale(api.lowest if api.name in floored else 0.0, api.highest)


def has_feeling(api: Api) -> bool:
    """Whether the API's score says a feeling: it goes below zero as far as above."""
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
    """The exchange's answer with the scores that ``choose`` says."""
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
    """Whether a number is a score, by its name or by that of what holds it."""
    return any(_SCORE.search(step) for step in path.split(".")[-2:])

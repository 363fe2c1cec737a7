"""Scores compared with thresholds, or with scores, of another scale.

A threshold is wrong where it lies off the scale that the provider documents,
the comparison has one outcome over all of it, and scores beyond the scale turn
it: so it is the score that is compared, and no answer that turns it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from analyzers.catalogue import Api
from analyzers.cloud.conditions.comparisons import Comparison, comparisons
from analyzers.cloud.conditions.literals import constant
from analyzers.cloud.editing.source import Splice
from analyzers.cloud.misuses.scores import (
    Scale,
    beyond_the_scale,
    has_feeling,
    off_the_scale,
    on_the_scale_of,
    over_the_scale,
    scale_of,
    scored_apis,
)
from analyzers.cloud.misuses.shared import Case, Misuse, constant_comparison
from analyzers.vocabulary import Finding, Probe, Suggestion

KIND = "score-scale"
PERCENT = 100.0
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def wrong_scales(case: Case) -> Iterator[Finding]:
    """Findings for comparisons of scores that no answer turns."""
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


def _floored(case: Case, apis: list[Api]) -> frozenset[str]:
    """The APIs that the target asks for no scores below their usual lowest."""
    paths = {case.target.path, *case.target.files, *(call.path for call in case.target.calls)}
    texts = [case.bench.source(path) for path in sorted(paths)]
    return frozenset(api.name for api in apis if not any(_lowered(api, text) for text in texts))


def _lowered(api: Api, text: str) -> bool:
    """Whether a text may ask an API for scores below its usual lowest."""
    name = api.floored_by or "\0"
    asked = re.findall(rf"{re.escape(name)}['\"]?\s*[=:]\s*(\d+(?:\.\d+)?)\s*[,)}}]", text)
    return len(asked) < text.count(name) or any(float(least) < api.lowest for least in asked)


def _off_scale(
    case: Case,
    comparison: Comparison,
    apis: list[Api],
    floored: frozenset[str],
    bases: list[Probe],
    probes: list[Probe],
) -> Misuse | None:
    """A score against a constant off its scale."""
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
                reason = f"{api.name} gives scores from {scale.low:g} to {scale.high:g}."
                patch = _rescaled(comparison, side, threshold, api)
                return Misuse(KIND, api.name, comparison, reason, always, probes, patch)
    return None


LEAST_MEANT = 0.05
"""The least share of a scale that a threshold moved to it is taken to mean."""


def _is_off(threshold: float, scale: Scale) -> bool:
    """Whether a threshold belongs to another scale.

    One that only stands at an end of it (``score >= 0``) does not, nor does 1,
    with which code tells a share from a percentage.
    """
    return abs(threshold) > scale.high or (scale.low > 1 > threshold > 0)


def _two_scales(
    case: Case, comparison: Comparison, apis: list[Api], bases: list[Probe], probes: list[Probe]
) -> Misuse | None:
    """Scores of two APIs with different scales against one another."""
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
            reason = (
                f"{one.name} gives scores up to {one.highest:g}, {other.name} up to "
                f"{other.highest:g}."
            )
            return Misuse(KIND, one.name, comparison, reason, always, probes)
    return None


def _rescaled(
    comparison: Comparison, side: ast.expr, threshold: float, api: Api
) -> Suggestion | None:
    """The threshold on the API's scale, where a percentage and a share were confused."""
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

"""Count the tested targets, and group the reasons of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analyzers.vocabulary import DriverCounts, Tested, TestedTarget

MOST_NAMES = 5


def read_target(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a target of a stored report as a tested one; older reports count runs alone."""
    return {"tested": Tested.YES if document["executions"] else Tested.NO, **document}


def counts_of(tests: Sequence[TestedTarget]) -> dict[str, int]:
    """Return how many targets there are, and how many of each answer."""
    counted = Counter(each.tested for each in tests)
    return {"targets": len(tests), **{answer.value: counted[answer] for answer in Tested}}


def all_tested(tests: Sequence[TestedTarget]) -> bool:
    """Return whether every target was wholly tested."""
    return all(each.tested is Tested.YES for each in tests)


def tested_sentence(tests: Sequence[TestedTarget]) -> str:
    """Return ``2 of 5 functions tested``, how many more were partly, how many are unchanged."""
    counted = Counter(each.tested for each in tests)
    noun = "function" if len(tests) == 1 else "functions"
    partly = f", {counted[Tested.PARTLY]} partly" if counted[Tested.PARTLY] else ""
    unchanged = sum(each.cached for each in tests)
    before = f" ({unchanged} unchanged, with the last result)" if unchanged else ""
    return f"{counted[Tested.YES]} of {len(tests)} {noun} tested{partly}{before}"


def comparison_sentence(tests: Sequence[TestedTarget]) -> str:
    """Return in how many variations of the project's own examples results are as on base.

    Functions share them: the number is that of the function that most of them reach.  Where
    all that they reach is new, there is nothing to compare.
    """
    driven = [each.driven for each in tests]
    places = {place for each in driven for place in each.places}
    most = max(driven, key=lambda each: each.same, default=DriverCounts())
    examples = "1 usage example" if len(places) == 1 else f"{len(places)} usage examples"
    if (any(each.different for each in driven) and not most.same) or not places:
        return ""
    share = (
        f"{most.same:,} of {most.same + most.different:,}" if most.different else f"{most.same:,}"
    )
    result = f"same results in {share} variations of {examples}"
    changed, covered = sum(e.changed for e in driven), sum(e.covered for e in driven)
    lines = "all" if covered == changed else f"{covered} of {changed}"
    said = f", {lines} changed lines covered" if changed else ""
    return f"{result if most.same else f'{examples} ran'}{said}"


def untested(tests: Sequence[TestedTarget]) -> list[tuple[str, str]]:
    """Return each reason for which targets were not wholly tested, and which they are."""
    by_reason: dict[str, list[str]] = {}
    for each in tests:
        for reason in each.reasons if each.tested is not Tested.YES else ():
            by_reason.setdefault(reason, []).append(each.id)
    grouped = sorted(by_reason.items(), key=lambda item: -len(item[1]))
    return [(reason, _named(names)) for reason, names in grouped]


def is_reason(tests: Sequence[TestedTarget], target: str, reason: str) -> bool:
    """Return whether something is said already of a target, as why it was not tested."""
    return any(each.id == target and reason in each.reasons for each in tests)


def _named(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {rest} more" if rest > 0 else "")

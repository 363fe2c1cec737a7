"""What the arguments were when the project's own tests called the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analyzers.guest.annotations.nouns import Constraint
from analyzers.guest.annotations.rendering import render
from analyzers.vocabulary.contracts import ObservedCall

from .generalising import exact, widened
from .nouns import Confidence, Fact, Inferred, Source, Subject
from .wording import constraint


def facts(subject: Subject, calls: Sequence[ObservedCall]) -> Iterator[Fact]:
    """Constraints that hold of what was recorded; calls that raised say nothing."""
    names = {each.arg for each in subject.parameters}
    good = [each for each in calls if each.function == subject.function and not each.raised]
    read = [_constraints(each, names) for each in good]
    distinct = list({_key(each): each for each in read if each}.values())
    if not distinct:
        return
    where = good[0].test
    for name in dict.fromkeys(name for call in distinct for name in call):
        values = exact([call[name] for call in distinct if name in call])
        if values is not None:
            yield Inferred(name, values, Source.TEST, Confidence.STRONG, where)
    for name, found, _ in widened(distinct):
        if exact([found]) is None:
            yield Inferred(name, found, Source.TEST, _sure(name, found, distinct), where)


def _constraints(call: ObservedCall, names: set[str]) -> dict[str, Constraint]:
    found = {name: constraint(text) for name, text in call.arguments.items() if name in names}
    return {name: each for name, each in found.items() if each is not None}


def _key(call: dict[str, Constraint]) -> str:
    return repr([(name, render(each)) for name, each in call.items()])


def _sure(name: str, found: Constraint, calls: Sequence[dict[str, Constraint]]) -> Confidence:
    """Two calls that differ say that what lies between them is valid; numbers less so."""
    texts = {render(call[name]) for call in calls if name in call}
    if texts == {render(found)} or (found.kind not in ("ints", "floats") and len(texts) > 1):
        return Confidence.STRONG
    return Confidence.LIKELY

"""Calls of the function in the project's code, its tests, its documents and notebooks.

Whatever stands around a call is interpreted as far as it can be: constants,
variables, loops, arrays that library functions make.  The values of one call
are valid as they are; what several have in common is likely to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .generalising import exact, widened
from .nouns import Confidence, Fact, Inferred, Source, Subject
from .sites import Site, sites


def facts(subject: Subject) -> Iterator[Fact]:
    """The values that calls give, and what they have in common."""
    found = list(sites(subject))
    for source in (Source.TEST, Source.CALL, Source.DOCUMENT):
        yield from _facts([each for each in found if each.source is source], source)


def _facts(found: Sequence[Site], source: Source) -> Iterator[Fact]:
    calls = [each.arguments for each in found]
    names = dict.fromkeys(name for call in calls for name in call)
    for name in names:
        seen = [each for each in found if name in each.arguments]
        values = exact([each.arguments[name] for each in seen])
        if values is not None:
            yield Inferred(name, values, source, Confidence.STRONG, seen[0].where)
    for name, found_, more in widened(calls):
        if exact([found_]) is None:
            where = next(each.where for each in found if name in each.arguments)
            sure = Confidence.LIKELY if more else Confidence.STRONG
            yield Inferred(name, found_, source, sure, where)

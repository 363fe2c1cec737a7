"""Programs that use one registered definition by its name, made to use another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from analyzers.drivers.usage_programs import DOCUMENTS, Driver
from analyzers.vocabulary.test_files import is_test_file

MOST_NAMES, MOST_PROGRAMS = 4, 3
_QUOTED = re.compile(r"(['\"])(\w+)\1")
_DECORATED = re.compile(
    r"^@([\w.]+)(?:\(.*\))?[ \t]*\n((?:@.*\n)*)(?:def|class) (\w+)", re.MULTILINE
)
_LISTED = re.compile(r"^(\w+) = list\([\w.]+\(.*\)\)\[0\]$", re.MULTILINE)
Names = Mapping[str, Collection[str]]


def registered_names(texts: Mapping[str, str], changed: Collection[str]) -> Names:
    """Return, of each changed definition, others of its decorator that programs name in quotes."""
    found: dict[str, set[str]] = {}
    for path, text in texts.items():
        if path.endswith(".py") and "\n@" in text:
            for decorator, more, name in _DECORATED.findall(text):
                for each in (decorator, *re.findall(r"^@([\w.]+)", more, re.MULTILINE)):
                    found.setdefault(each, set()).add(name)
    groups = {each: [g for g in found.values() if each in g] for each in changed}
    siblings = {each: set[str]().union(*of) - {*changed} for each, of in groups.items() if of}
    known = set[str]().union(*siblings.values())
    used = Counter(
        name
        for path, text in (texts.items() if known else ())
        if is_test_file(path) or path.lower().endswith(DOCUMENTS)
        for _, name in _QUOTED.findall(text)
        if name in known
    )
    common = {name for name, _ in used.most_common(MOST_NAMES)}
    return {each: near for each, names in siblings.items() if (near := names & common)}


def registered_programs(registered: Names, drivers: Sequence[Driver]) -> Iterator[Driver]:
    """Yield the shortest programs that name another definition, with a changed one's name.

    A test of everything that a call lists is one, too.
    """
    ordered = sorted(drivers, key=lambda each: len(each.source))
    for changed, names in registered.items():
        places: set[str] = set()
        for driver in ordered:
            found = _renamed(driver.source, names, changed)
            if found is None or driver.place in places or len(places) == MOST_PROGRAMS:
                continue
            places.add(driver.place)
            source, what = found
            says = ", ".join(filter(None, [driver.says, f"`{what}` is `{changed!r}`"]))
            yield replace(driver, source=source, says=says, guessed=True, uses=changed)


def _renamed(source: str, names: Collection[str], changed: str) -> tuple[str, str] | None:
    """Return a program with a changed definition's name, and what this replaces."""
    quoted = next((name for _, name in _QUOTED.findall(source) if name in names), None)
    if quoted is not None:
        return re.sub(rf"(['\"]){quoted}\1", repr(changed), source), repr(quoted)
    listed = _LISTED.search(source)
    if listed is None:
        return None
    return _LISTED.sub(rf"\1 = {changed!r}", source, count=1), listed[1]

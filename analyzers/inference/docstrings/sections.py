"""The entries of a docstring that describe parameters."""

# ruff: noqa: E501 - patterns stand on one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(
    r"(args|arguments|parameters|params|inputs?|keyword args|keyword arguments|shapes?):?$", re.I
)
_OTHER = re.compile(
    r"(returns?|yields?|raises|examples?|notes?|references|outputs?|see also|attributes|warnings?):?$",
    re.I,
)
_GOOGLE = re.compile(
    r"[-*]?\s*`{0,2}\*{0,2}(?P<names>\w+(?:\s*,\s*\*{0,2}\w+)*)`{0,2}\s*(?:\((?P<type>.*?)\))?\s*(?::|--|-)\s+(?P<text>.*)$"
)
_GOOGLE_NESTED = re.compile(
    r"[-*]?\s*`{0,2}\*{0,2}(?P<names>\w+)`{0,2}\s*\((?P<type>.*)\)\s*:\s*(?P<text>.*)$"
)
_NUMPY = re.compile(
    r"`{0,2}\*{0,2}(?P<names>\w+(?:\s*,\s*\*{0,2}\w+)*)`{0,2}\s*(?::\s*(?P<type>.+))?$"
)
_PARAM = re.compile(r":param\s+(?:(?P<type>[^:]+?)\s+)?\*{0,2}(?P<name>\w+)\s*:\s*(?P<text>.*)$")
_TYPE = re.compile(r":type\s+(?P<name>\w+)\s*:\s*(?P<type>.*)$")
_EPYDOC = re.compile(r"@param\s+(?P<name>\w+)\s*:\s*(?P<text>.*)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One description: the parameters it is of, the type as written, the rest."""

    names: tuple[str, ...]
    type: str
    text: str


def entries(docstring: str) -> Iterator[Entry]:
    """The descriptions of parameters in a docstring of any of the styles."""
    lines = docstring.expandtabs().splitlines()
    found = list(_fields(lines))
    for numpy, block in _blocks(lines):
        found += _numpy(block) if numpy else _google(block)
    yield from found or _google(lines)


def _fields(lines: list[str]) -> Iterator[Entry]:
    """Sphinx: ``:param int n: ...`` and ``:type n: int``."""
    texts: dict[str, str] = {}
    types: dict[str, str] = {}
    last = ""
    for line in lines:
        stripped = line.strip()
        param = _PARAM.match(stripped) or _EPYDOC.match(stripped)
        typed = _TYPE.match(stripped)
        if param is not None:
            last = param["name"]
            texts[last] = param["text"]
            given = param.groupdict().get("type")
            if given:
                types[last] = given
        elif typed is not None:
            types[typed["name"]], last = typed["type"], ""
        elif stripped.startswith((":", "@")):
            last = ""
        elif last and stripped:
            texts[last] += f" {stripped}"
    for name in {**texts, **types}:
        yield Entry((name,), types.get(name, ""), texts.get(name, ""))


def _blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """The blocks under a heading for parameters, and whether it is underlined."""
    number = 0
    while number < len(lines):
        heading = lines[number].strip()
        if not _HEADING.match(heading):
            number += 1
            continue
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        numpy = len(after) > 2 and set(after) <= {"-", "="}
        if not numpy and not heading.endswith(":"):
            number += 1
            continue
        start = number + (2 if numpy else 1)
        end = _end(lines, start, _indent(lines[number]), numpy=numpy)
        yield numpy, lines[start:end]
        number = max(end, start)


def _end(lines: list[str], start: int, margin: int, *, numpy: bool) -> int:
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if _indent(line) <= margin and (
            _OTHER.match(line.strip()) or _HEADING.match(line.strip()) or not numpy
        ):
            return number
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _numpy(block: list[str]) -> Iterator[Entry]:
    margin = min((_indent(line) for line in block if line.strip()), default=0)
    yield from _entries(block, margin, _NUMPY)


def _google(block: list[str]) -> Iterator[Entry]:
    margin = min((_indent(line) for line in block if line.strip()), default=0)
    yield from _entries(block, margin, _GOOGLE_NESTED, _GOOGLE)


def _entries(block: list[str], margin: int, *patterns: re.Pattern[str]) -> Iterator[Entry]:
    """The entries that begin at the margin, with the lines that belong to each."""
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in block:
        stripped = line.strip()
        head = _first(patterns, stripped) if stripped and _indent(line) == margin else None
        if head is not None:
            found.append((head, []))
        elif found and stripped:
            found[-1][1].append(stripped)
    for head, rest in found:
        names = tuple(name.strip(" *") for name in head["names"].split(","))
        text = " ".join([head.groupdict().get("text") or "", *rest])
        yield Entry(names, head["type"] or "", text.strip())


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.match(text))), None)

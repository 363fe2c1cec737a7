"""Poetry's way to write versions and dependencies, as PEP 508 writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from packaging.specifiers import SpecifierSet

from worker.environments.declarations.nouns import specifiers
from worker.environments.declarations.tree import table, texts

_ELSEWHERE = ("git", "url", "path", "file")
_PART = re.compile(r"(\^|~(?!=)|[<>=!~]=?=?)?\s*([\w.*!+-]+)\Z", re.ASCII)


def version_sets(text: str) -> list[SpecifierSet]:
    """The alternatives of a constraint like ``^3.9 || ~2.7``; those that can be read."""
    found = [specifiers(",".join(_parts(part))) for part in text.split("||")]
    return [each for each in found if each is not None]


def _parts(text: str) -> Iterator[str]:
    for part in re.split(r"[,\s]+(?=[\^~<>=!\d*])", text.strip()):
        match = _PART.match(part.strip())
        if match is None:
            yield part.strip()
        elif match[2] != "*":
            yield from _bounds(match[1] or "==", match[2])


def _bounds(operator: str, version: str) -> Iterator[str]:
    if operator not in {"^", "~"}:
        operator = "==" if operator == "=" else operator
        wild = version.endswith(".*") and operator not in {"==", "!="}
        yield operator + (version[:-2] if wild else version)
        return
    numbers = [int(part) for part in re.findall(r"\d+", version)][:3] or [0]
    yield f">={version}"
    yield f"<{'.'.join(map(str, _next(operator, numbers)))}"


def _next(operator: str, numbers: list[int]) -> list[int]:
    """The first version that is not compatible any more."""
    if operator == "~":
        at = min(1, len(numbers) - 1)
    else:
        at = next((i for i, number in enumerate(numbers) if number), len(numbers) - 1)
    return [*numbers[:at], numbers[at] + 1]


def requirement_of(name: str, value: Any) -> tuple[str, str] | None:
    """A poetry or Pipfile dependency as a requirement and a marker.

    ``None`` where it does not come from an index.
    """
    about = table(value)
    if not about.keys().isdisjoint(_ELSEWHERE):
        return None
    version = str(about.get("version", "*") if about else value)
    sets = version_sets(version)
    extras = f"[{','.join(texts(about.get('extras')))}]" if about.get("extras") else ""
    marker = about.get("markers")
    return f"{name}{extras}{sets[0] if sets else version}", marker if marker else ""

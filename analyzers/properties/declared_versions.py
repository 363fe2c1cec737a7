"""Which versions of a package a project's declarations allow, told from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import basename

from packaging.version import InvalidVersion, Version

_DECLARING = re.compile(
    r"(requirements|constraints|environment|conda)[^/]*\.(txt|in|ya?ml)\Z"
    r"|(pyproject\.toml|setup\.cfg|setup\.py|Pipfile(\.lock)?|poetry\.lock|uv\.lock)\Z"
)
_ITEM = (
    r"(?<![\w.-]){name}(?![\w-])(?:\[[^\]\n]*\])?"
    r"(?:[\"']?\s*[=:]\s*\{{[^}}\n]*?version[\"']?\s*[=:]\s*[\"']([^\"'\n]*)"
    r"|[\"']?\s*[=:]\s*[\"']([^\"'\n]*)|[\"']\s*\n\s*version\s*=\s*[\"']([^\"'\n]*)"
    r"|([ \t(]*[<>=!~^][^\"';#\n]*|[ \t]+\d[\w.*]*))"
)
_BOUND = re.compile(r"(===|==|~=|<=|>=|!=|<|>|\^|=|~|)\s*v?(\d[\w.*]*)")
_PINS = {"tensorflow": "2.6", "keras": "2.6", "torch": "1.10", "numpy": "1.22", "python": "3.8"}
_ALSO = {
    "tensorflow": ("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tf-nightly"),
    "torch": ("torch", "pytorch"),
    "jax": ("jax", "jaxlib"),
    "pillow": ("pillow", "Pillow", "PIL"),
    "python": ("python", "python_requires", "requires-python", "python_version"),
}


def declarations(paths: Sequence[str]) -> list[str]:
    """The files among a project's that declare packages."""
    return [
        path
        for path in paths
        if _DECLARING.search(basename(path)) or re.search(r"(^|/)requirements/[^/]+\.txt\Z", path)
    ]


def allows(package: str, since: str, texts: Mapping[str, str]) -> bool:
    """Whether a project may be used with a version from ``since`` on.

    Every declaration must allow it.  Where none names the package, what else
    is pinned to versions long gone tells that the project is of their time.
    """
    bounds = list(_bounds(package, texts))
    if bounds:
        return all(_reaches(operator, version, since) for operator, version in bounds)
    if any(_names(package, text) for text in texts.values()):
        return True
    return all(
        _reaches(operator, version, oldest)
        for other, oldest in _PINS.items()
        for operator, version in _bounds(other, texts)
    )


def _bounds(package: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for text in texts.values():
        for name in _ALSO.get(package, (package,)):
            for match in re.finditer(_ITEM.format(name=re.escape(name)), text, re.IGNORECASE):
                said = next((group for group in match.groups() if group is not None), "")
                yield from _BOUND.findall(said)


def _names(package: str, text: str) -> bool:
    names = "|".join(map(re.escape, _ALSO.get(package, (package,))))
    return re.search(rf"(?<![\w.-])({names})(?![\w-])", text, re.IGNORECASE) is not None


def _reaches(operator: str, version: str, since: str) -> bool:
    """Whether a bound allows a version that is at least ``since``."""
    numbers = [int(part) for part in re.findall(r"\d+", version.partition("*")[0])]
    try:
        wanted = Version(since)
        bound = Version(".".join(map(str, numbers)))
    except InvalidVersion:
        return True
    match operator:
        case ">=" | ">" | "!=":
            return True
        case "<":
            return bound > wanted
        case "<=":
            return bound >= wanted
        case "~=" | "~" | "^":
            return _next(operator, numbers) > wanted
        case _:
            same = list(wanted.release[: len(numbers)]) == numbers
            return bound >= wanted or (same and (operator == "=" or "*" in version))


def _next(operator: str, numbers: list[int]) -> Version:
    """The first version that a compatible release excludes."""
    if operator == "^":
        place = next((n for n, number in enumerate(numbers) if number), 0)
    else:
        place = max(len(numbers) - 2, 0) if operator == "~=" else min(len(numbers) - 1, 1)
    return Version(".".join(map(str, [*numbers[:place], numbers[place] + 1])))

"""What a layer's docstring says of its parameters: kinds, defaults, ranges, choices."""

from __future__ import annotations

import inspect
import re
from typing import Any

from .survey_models import Bounds

_SECTION = re.compile(r"^\s*(Args|Arguments|Parameters|Keyword args|Keyword Args)\s*:+\s*$")
_ENTRY = re.compile(r"^\s+(?:\*\*|``)?([A-Za-z_]\w*)(?:\*\*|``)?\s*(?:\(([^)]*)\))?\s*:(?!\w)(.*)$")
_NUMBER = r"(-?(?:\d+\.?\d*|\.\d+|inf))"
_BRACKETS = re.compile(
    r"(?:in|range|within|interval)\s+(?:the range\s+)?"
    rf"([\[(])\s*{_NUMBER}\s*,\s*{_NUMBER}\s*([\])])"
)
_BETWEEN = re.compile(rf"(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_NUMBER}")
_POSITIVE = re.compile(
    r"(?:must|should|has to|need(?:s)? to) be (?:a )?(?:strictly )?(?:positive|greater than 0|> ?0)"
    r"|positive (?:integer|number|value)"
)
_NONNEGATIVE = re.compile(
    r"non-?negative|(?:must|should|has to) be (?:>= ?0|no less than zero|at least 0)"
    r"|no less than zero"
)
_ONLY = re.compile(rf"{_NUMBER} and {_NUMBER} are the only supported values")
_PROBABILITY = re.compile(r"\bprobability\b|\bdropout value\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\b(?:number|size|stride|spacing|divisor|padding|factor)s?\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^\s*(?:the |total )*(?:number|dimension|size) of\b", re.IGNORECASE)
_QUOTED = re.compile(r"``?'([\w-]+)'``?|``\"([\w-]+)\"``")
_DEFAULT = re.compile(
    r"[Dd]efault(?:s)?(?: value)?(?: to| is)?\s*[:=]?\s*`*:?(?:math:)?`*([^\s`,;)]+)"
)
_WORDS = {
    "int": ("int", "integer"),
    "float": ("float", "number"),
    "bool": ("bool",),
    "str": ("str", "string"),
    "ints": ("tuple", "list", "torch.size"),
    "none": ("none",),
    "module": ("module",),
}


def described(documented: Any) -> str:
    """The first sentence of a documentation, in one line."""
    text = inspect.getdoc(documented) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    plain = re.sub(r":\w+:`([^`]*)`", r"\1", paragraph)
    return re.split(r"(?<=[.])\s", plain, maxsplit=1)[0][:300]


def entries(documented: Any) -> dict[str, tuple[str, str]]:
    """For each documented parameter what stands in brackets behind it, and its text."""
    lines = (inspect.getdoc(documented) or "").splitlines()
    found: dict[str, tuple[str, list[str]]] = {}
    inside, indent, name = False, 0, ""
    for line in lines:
        if _SECTION.match(line):
            inside, indent = True, 0
            continue
        if not inside or not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        if depth == 0:
            inside = False
            continue
        entry = _ENTRY.match(line)
        indent = indent or depth
        if entry and depth == indent:
            name = entry.group(1)
            found[name] = (entry.group(2) or "", [entry.group(3)])
        elif name:
            found[name][1].append(line)
    return {name: (told, " ".join(" ".join(text).split())) for name, (told, text) in found.items()}


def kinds(told: str, text: str) -> tuple[str, ...]:
    """The kinds that the words in brackets name, or else the words of the text."""
    words = set(re.findall(r"[a-z.]+", told.lower()))
    found = {kind for kind, names in _WORDS.items() if words & set(names)}
    if not found and re.match(r"\s*(?:a boolean|if ``true``|when true|if ``false``)", text.lower()):
        found = {"bool"}
    if not found and _PROBABILITY.search(text):
        found = {"float"}
    if not found and _NUMBERED.search(text):
        found = {"int"}
    return tuple(sorted(found))


def default(text: str) -> str | None:
    """The default that a text tells, as it is written there."""
    found = _DEFAULT.search(text)
    return found.group(1).rstrip(".") if found else None


def choices(text: str) -> tuple[str, ...]:
    """The quoted words of a text, each once, as sources."""
    words = [single or double for single, double in _QUOTED.findall(text)]
    return tuple(dict.fromkeys(repr(word) for word in words))


def bounds(text: str, numeric: str) -> Bounds | None:
    """The legal range that a text tells of a number."""
    plain = re.sub(r":\w+:`([^`]*)`", r"\1", text)
    for reader in (_only, _bracketed, _between, _signed, _chance, _counted):
        found = reader(plain, numeric)
        if found is not None:
            return found
    return None


def _only(text: str, _: str) -> Bounds | None:
    found = _ONLY.search(text)
    if found is None:
        return None
    return Bounds(choices=(found.group(1), found.group(2)), quote=_sentence(text, found))


def _bracketed(text: str, _: str) -> Bounds | None:
    found = _BRACKETS.search(text)
    if found is None:
        return None
    left, low, high, right = found.groups()
    return Bounds(float(low), float(high), left == "(", right == ")", quote=_sentence(text, found))


def _between(text: str, _: str) -> Bounds | None:
    found = _BETWEEN.search(text)
    if found is None:
        return None
    return Bounds(float(found.group(1)), float(found.group(2)), quote=_sentence(text, found))


def _signed(text: str, numeric: str) -> Bounds | None:
    found = _NONNEGATIVE.search(text)
    if found is not None:
        return Bounds(0.0, quote=_sentence(text, found))
    found = _POSITIVE.search(text)
    if found is None:
        return None
    if numeric == "int":
        return Bounds(1.0, quote=_sentence(text, found))
    return Bounds(0.0, open_low=True, quote=_sentence(text, found))


def _chance(text: str, numeric: str) -> Bounds | None:
    found = _PROBABILITY.search(text) if numeric == "float" else None
    return None if found is None else Bounds(0.0, 1.0, quote=_sentence(text, found))


def _counted(text: str, numeric: str) -> Bounds | None:
    found = _COUNT.search(text) if numeric == "int" else None
    return None if found is None else Bounds(0.0, quote=_sentence(text, found), firm=False)


def _sentence(text: str, found: re.Match[str]) -> str:
    """The sentence of a text in which something was found."""
    begin = max(text.rfind(". ", 0, found.start()) + 1, 0)
    end = text.find(". ", found.end())
    return text[begin : len(text) if end < 0 else end + 1].strip()[:200]

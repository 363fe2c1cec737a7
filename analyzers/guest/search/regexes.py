"""Texts that a regular expression matches."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any, Callable, Dict, List, Tuple

parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")

_ANY = "a1 B"
_CLASSES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_NOT_DIGIT": "aB ",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a7B",
    "CATEGORY_WORD": "aBcXyZ7",
    "CATEGORY_NOT_WORD": " -",
}
_LONGEST = 3


def examples(pattern: str, count: int, seed: int = 0) -> List[str]:
    """At most ``count`` different texts that ``pattern`` should match.

    Look-arounds are passed over, so a text may fail to match; nothing comes
    from a pattern that does not compile.
    """
    try:
        tree = parser.parse(pattern)
    except Exception:
        return []
    rng = random.Random(seed)
    found: Dict[str, None] = {}
    for _ in range(count * 2):
        found[_Writer(rng).write(tree)] = None
    return list(found)[:count]


class _Writer:
    """Writes one text for a parsed pattern."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._share = rng.random() if rng.random() < 0.3 else None
        self._groups: Dict[int, str] = {}
        self._makers: Dict[str, Callable[[Any], str]] = {
            "LITERAL": chr,
            "NOT_LITERAL": lambda code: "x" if code != ord("x") else "y",
            "ANY": lambda _: self._pick(_ANY),
            "IN": self._chosen,
            "CATEGORY": lambda name: self._pick(_CLASSES.get(str(name), "a")),
            "RANGE": lambda ends: chr(rng.randint(*ends)),
            "BRANCH": lambda value: self.write(rng.choice(value[1])),
            "SUBPATTERN": self._group,
            "GROUPREF": lambda number: self._groups.get(number, ""),
            "MAX_REPEAT": self._repeated,
            "MIN_REPEAT": self._repeated,
            "POSSESSIVE_REPEAT": self._repeated,
            "ATOMIC_GROUP": self.write,
        }

    def write(self, tree: Any) -> str:
        """A text for a sequence of parsed parts."""
        return "".join(self._makers.get(str(kind), lambda _: "")(value) for kind, value in tree)

    def _pick(self, options: str) -> str:
        """One of the options; in some texts always the same one."""
        if self._share is None:
            return self._rng.choice(options)
        return options[int(self._share * len(options))]

    def _chosen(self, options: List[Tuple[Any, Any]]) -> str:
        if str(options[0][0]) == "NEGATE":
            return self._other(options[1:])
        kind, value = self._rng.choice(options)
        return self._makers[str(kind)](value)

    def _other(self, options: List[Tuple[Any, Any]]) -> str:
        for candidate in "ax7B -_.:":
            if not any(_covers(kind, value, candidate) for kind, value in options):
                return candidate
        return "~"

    def _group(self, value: Any) -> str:
        number, text = value[0], self.write(value[-1])
        if number is not None:
            self._groups[number] = text
        return text

    def _repeated(self, value: Any) -> str:
        low, high, part = value
        times = self._rng.randint(int(low), max(int(low), min(int(high), int(low) + _LONGEST)))
        return "".join(self.write(part) for _ in range(min(times, 200)))


def _covers(kind: Any, value: Any, character: str) -> bool:
    if str(kind) == "LITERAL":
        return chr(value) == character
    if str(kind) == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    name = str(value)
    return {
        "CATEGORY_DIGIT": character.isdigit(),
        "CATEGORY_SPACE": character.isspace(),
        "CATEGORY_WORD": character.isalnum() or character == "_",
        "CATEGORY_NOT_DIGIT": not character.isdigit(),
        "CATEGORY_NOT_SPACE": not character.isspace(),
        "CATEGORY_NOT_WORD": not (character.isalnum() or character == "_"),
    }.get(name, False)

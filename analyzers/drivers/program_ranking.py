"""The order in which texts and their programs are read: the likeliest to use a change first."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from posixpath import basename
from typing import NamedTuple

from analyzers.drivers.usage_programs import LONGEST, holds_programs
from analyzers.inference.facts import parse_module
from analyzers.vocabulary import Target
from analyzers.vocabulary.test_files import is_test_file

MOST_READ = 1_200_000
"""Characters of texts that are read for programs; a large project has tens of millions."""
OUTER, CALLER, OWN, NEAR, MODULE = 12.0, 6.0, 4.0, 2.0, 1.0
MOST_NEAR, MORE = 8.0, 0.5
"""The most that names near a function count, and the part of each name of its own but the first."""
MOST_USERS, RARE = 8, 0.25
"""So many programs, or that part of all, may use a word that tells something."""
Weights = Mapping[str, float]


def weights_of(target: Target, before: str, *, shared: bool = False) -> dict[str, float]:
    """Return the names by which programs use a function, with their weights.

    ``before`` is the text of its file on base, whose other definitions are near.  A name that is
    ``shared`` with other files tells little: those that use the function there weigh more.
    """
    parts = [part for part in target.function.split(".") if part.isidentifier()]
    own = [part for part in parts if not part.startswith("__")]
    tree = parse_module(before) or ast.Module([], [])
    near = {
        node.name: NEAR for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    module = basename(target.path).removesuffix(".py")
    module = "" if module.startswith("__") else module
    outer = dict.fromkeys(own[:1], NEAR if shared else OUTER)
    callers = dict.fromkeys(callers_of(target, before), OUTER if shared else CALLER)
    flags = dict.fromkeys(flags_of(target, before), OUTER)
    found = {**near, module: MODULE, **callers, **dict.fromkeys(own, OWN), **outer, **flags}
    return {word: weight for word, weight in found.items() if word}


def callers_of(target: Target, before: str) -> list[str]:
    """Return the definitions of a function's file that name it or its class, or one that does."""
    own = target.function.split(".")[0]
    used = _uses(before).definitions
    found, waiting = dict[str, None](), [own]
    while waiting:
        called = waiting.pop()
        new = [n for n, names in used.items() if called in names and n not in found and n != called]
        found.update(dict.fromkeys(new))
        waiting += new
    return [name for name in found if name != own]


def flags_of(target: Target, before: str) -> list[str]:
    """Return the names in conditions of a function's file under which it or its class is named."""
    own = target.function.split(".")[0]
    under = (tested for tested, names in _uses(before).conditions if own in names)
    found = dict.fromkeys(name for tested in under for name in tested)
    return [name for name in found if name not in ("self", own)]


class _Uses(NamedTuple):
    """The names that each definition of a file uses, and those in and under each condition."""

    definitions: dict[str, set[str]]
    conditions: list[tuple[list[str], set[str]]]


@lru_cache(maxsize=16)
def _uses(text: str) -> _Uses:
    tree = parse_module(text) or ast.Module([], [])
    kinds = (ast.FunctionDef, ast.ClassDef)
    conditions = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    return _Uses(
        {e.name: set(_names(e)) for e in tree.body if isinstance(e, kinds)},
        [(_names(e.test), {n for each in e.body for n in _names(each)}) for e in conditions],
    )


def _names(node: ast.AST) -> list[str]:
    return [name for name in map(_name, ast.walk(node)) if name]


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def ranked(weights: Sequence[Weights], used: Sequence[set[str]], kinds: Sequence[int]) -> list[int]:
    """Return the places of what uses some of the words, the likeliest for each in turn.

    Of the words ``used`` at each place those near a function count together less than its own.
    """
    orders = dict.fromkeys(tuple(_ranks(each, used, kinds)) for each in weights)
    mixed = (place for group in zip_longest(*orders) for place in group if place is not None)
    return list(dict.fromkeys(mixed))


def _ranks(words: Weights, used: Sequence[set[str]], kinds: Sequence[int]) -> list[int]:
    weighed: list[tuple[float, int, int]] = []
    for place, (named, kind) in enumerate(zip(used, kinds, strict=True)):
        found = [weight for word, weight in words.items() if word in named]
        near = sum(weight for weight in found if weight < OWN)
        own = [weight for weight in found if weight >= OWN]
        score = min(MOST_NEAR, near) + max(own, default=0) + MORE * sum(own)
        if score:
            weighed.append((-score, kind, place))
    return [place for *_, place in sorted(weighed)]


def rare_words(words: Collection[str], used: Sequence[set[str]]) -> set[str]:
    """Return those of some words that some programs use, and few: what all use tells nothing."""
    times = Counter(word for each in used for word in each if word in words)
    most = max(MOST_USERS, RARE * len(used))
    return {word for word, number in times.items() if number <= most}


def texts_to_read(texts: Mapping[str, str], weights: Sequence[Weights]) -> list[str]:
    """Return the paths of the texts whose programs may use the words, the likeliest first.

    Together they have no more than ``MOST_READ`` characters.
    """
    words = {word for each in weights for word in each}
    paths = [p for p, text in texts.items() if len(text) <= LONGEST and holds_programs(p, text)]
    used = [words.intersection(re.findall(r"\w+", texts[path])) for path in paths]
    found: list[str] = []
    left = MOST_READ
    for place in ranked(weights, used, [not is_test_file(path) for path in paths]):
        left -= len(texts[paths[place]])
        if left < 0:
            break
        found.append(paths[place])
    return found

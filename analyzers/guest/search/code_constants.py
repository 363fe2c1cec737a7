"""The constants of the code under test, from which answers are made."""

from __future__ import annotations

import ast
import datetime
import importlib
import itertools
import random
import re
import sys
import types
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..instrumentation.goals import Decision, decisions
from ..runtime.execution import PreparedTarget

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
    """Return up to ``count`` different texts that ``pattern`` matches, look-arounds passed over."""
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
        return "".join(self._makers.get(str(kind), lambda _: "")(value) for kind, value in tree)

    def _pick(self, options: str) -> str:
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


LONGEST = 80
MOST_STRINGS = 400
_PATTERN_CALLS = {
    "compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split",
}  # fmt: skip
ORDINARY = ("Building", "Plant", "Sky", "Furniture", "Vehicle")
SAMPLES = ("hello", "AB", "123", "12345", "12.50", "2024-05-17", "10:30")
_DAYS = (datetime.datetime(2024, 5, 17, 10, 30), datetime.datetime(1999, 12, 28, 23, 59))


class ConstantPool:
    """Strings and numbers worth trying, the nearest to the target first.

    ``raw`` are constants as written, ``close`` those of the target itself; ``near`` and ``strings``
    add what is made of them; ``numbers`` are thresholds with their neighbours.
    """

    def __init__(
        self,
        raw: Iterable[str],
        patterns: Iterable[str],
        numbers: Iterable[float],
        nearest: int = 0,
    ) -> None:
        self.raw = [text for text in dict.fromkeys(raw) if text.strip()][:MOST_STRINGS]
        self.patterns = list(dict.fromkeys(patterns))[:40]
        self.close = self.raw[:nearest] or self.raw[:20]
        self.near = _distinct(self.close, self._matching(), _variants(self.close), SAMPLES)
        made = _distinct(self.raw, self.near, _variants(self.raw))
        self.strings = made[: 4 * MOST_STRINGS]
        known = (*self.raw, *ORDINARY, *SAMPLES)
        self.words = {word.casefold() for text in known for word in text.split()}
        near: Dict[float, None] = {}
        given = list(dict.fromkeys(numbers))
        for number in dict.fromkeys([*given, *(-n for n in given if 0 < n <= 1)]):
            if abs(number) < 1e6:
                for step in (0.0, 0.01, -0.01, 0.1, -0.1, 1.0, -1.0):
                    near[round(number + step, 4)] = None
        self.numbers = list(near)
        self.counts = sorted({int(n) for n in self.numbers if 0 <= n <= 60 and n == int(n)})
        short = [text for text in self.close if len(text) <= 40][:16]
        pairs = itertools.permutations(short, 2)
        self.joined = [between.join(pair) for pair in pairs for between in (" ", "", "\n")]

    def pick(self, rng: random.Random) -> str:
        """A string, most often one from near the target."""
        return rng.choice(self.near if rng.random() < 0.7 else self.strings)

    def example(self, rng: random.Random) -> str:
        """A new text that one of the patterns matches, or :meth:`pick`."""
        if self.patterns:
            found = examples(rng.choice(self.patterns[:8]), 1, rng.randrange(1 << 30))
            if found:
                return found[0]
        return self.pick(rng)

    def _matching(self) -> Iterator[str]:
        for pattern in self.patterns:
            for text in examples(pattern, 6):
                yield text
                for constant in self.close[:12]:
                    if len(constant) < len(text):
                        yield constant + text[len(constant) :]
                        yield text[: -len(constant)] + constant


def collect_constants(
    sources: Mapping[str, str],
    path: str,
    function: str,
    goals: Sequence[str],
    namespace: Mapping[str, Any],
    root: str,
) -> ConstantPool:
    """Read constants of the target, the functions of ``goals``, files and the module."""
    nearby = {(path, function)} | {_home(goal) for goal in goals}
    near, far = _Constants(), _Constants()
    for name, source in sources.items():
        module = ast.parse(source.lstrip("\ufeff"))
        for qualified, node in functions(module):
            (near if (name, qualified) in nearby else far).read(node)
        if path == name:
            far.read(module)
    for name in near.names:
        near.take(_leaves(namespace.get(name), 0))
    far.take(_bound_values(namespace, root))
    nearest = sum(1 for text in near.strings if text.strip())
    return ConstantPool(
        [*near.strings, *far.strings],
        [*near.patterns, *far.patterns],
        [*near.numbers, *far.numbers],
        nearest,
    )


def constants_in(text: str) -> List[str]:
    """The string constants of an expression but for keys, as they are written."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return []
    keys = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in keys]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return list(dict.fromkeys(n.value for n in nodes if isinstance(n.value, str) and n.value))


class _Constants:
    def __init__(self) -> None:
        self.strings: Dict[str, None] = {}
        self.patterns: Dict[str, None] = {}
        self.numbers: Dict[float, None] = {}
        self.names: Dict[str, None] = {}

    def read(self, tree: ast.AST) -> None:
        skipped = _skipped(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in skipped:
                self._constant(node.value)
            elif isinstance(node, ast.Name):
                self.names[node.id] = None
            elif isinstance(node, ast.Attribute) and node.attr.isupper():
                self._constant(node.attr)
            elif isinstance(node, ast.Call) and _called(node) in _PATTERN_CALLS:
                for argument in node.args[:1]:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        self.patterns[argument.value] = None

    def take(self, values: Iterable[Any]) -> None:
        for value in values:
            if isinstance(value, re.Pattern):
                self.patterns[value.pattern] = None
            else:
                self._constant(value)

    def _constant(self, value: Any) -> None:
        if isinstance(value, str) and 0 < len(value) <= LONGEST:
            self.strings[value] = None
            if re.search(r"%[dmyYHMSBb]", value):
                self.strings.update(dict.fromkeys(day.strftime(value) for day in _DAYS))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self.numbers[float(value)] = None


def _skipped(tree: ast.AST) -> Set[int]:
    """The docstrings below a node, and what says how to open a file."""
    skipped: Set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(id(node.value))
        elif isinstance(node, ast.Call) and _called(node) == "open":
            skipped.update(map(id, node.args))
    return skipped


def _called(node: ast.Call) -> Optional[str]:
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def _home(goal: str) -> Any:
    path, _, rest = goal.partition("::")
    return path, rest.partition("#")[0]


def functions(tree: ast.AST, prefix: str = "") -> Iterator[Any]:
    """The functions of a module with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node
            yield from functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif not isinstance(node, ast.expr):
            yield from functions(node, prefix)


def _bound_values(namespace: Mapping[str, Any], root: str) -> Iterator[Any]:
    for name, value in list(namespace.items()):
        if name.startswith("__"):
            continue
        if isinstance(value, types.ModuleType):
            file = getattr(value, "__file__", None) or ""
            if file.startswith(root) and "site-packages" not in file:
                for inner, member in list(vars(value).items()):
                    if not inner.startswith("__"):
                        yield from _leaves(member, 0)
        else:
            yield from _leaves(value, 0)


def _leaves(value: Any, depth: int) -> Iterator[Any]:
    kind = type(value)
    if kind in (int, float) or (kind is str and 0 < len(value) <= LONGEST) or _is_pattern(value):
        yield value
    elif depth < 3 and kind in (list, tuple, set, frozenset):
        items = sorted(value, key=repr) if kind in (set, frozenset) else value
        for item in itertools.islice(items, MOST_STRINGS):
            yield from _leaves(item, depth + 1)
    elif depth < 3 and kind is dict:
        for key, item in itertools.islice(value.items(), MOST_STRINGS):
            yield from _leaves(key, depth + 1)
            yield from _leaves(item, depth + 1)


def _is_pattern(value: Any) -> bool:
    return isinstance(value, re.Pattern) and isinstance(value.pattern, str)


def _distinct(*texts: Iterable[str]) -> List[str]:
    return list(dict.fromkeys(text for text in itertools.chain(*texts) if text))


def _variants(raw: Sequence[str]) -> Iterator[str]:
    for text in raw:
        yield from (text.strip(), text.lower(), text.upper(), text.title(), text.capitalize())
        yield text[::-1]
    for text in raw:
        yield from text.split()
        if len(text) <= 8 and not text.isalnum():
            yield from text


MOST = 50


def constants_near(prepared: PreparedTarget, goals: Sequence[str]) -> Dict[str, List[str]]:
    """Return by goal the strings in its clause, those that its names are bound to included."""
    wanted = set(goals)
    found: Dict[str, List[str]] = {}
    for path, source in prepared.sources.items():
        for decision in decisions(source):
            points = decision.points(path)
            for point, (clause, member, _) in zip(points, decision.outcomes):
                if point in wanted:
                    strings = _strings(prepared.namespace, decision, clause, member)
                    if strings:
                        found[point] = strings[:MOST]
    return found


def _strings(
    namespace: Mapping[str, Any], decision: Decision, clause: Any, member: Any
) -> List[str]:
    if member is not None:
        value = ast.literal_eval(member)
        return [value] if isinstance(value, str) else []
    text = decision.text if clause is None else decision.clauses[clause].text
    return list(dict.fromkeys([*constants_in(text), *_named(namespace, text)]))


def _named(namespace: Mapping[str, Any], text: str) -> List[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return []
    strings: List[str] = []
    for node in ast.walk(tree):
        value = namespace.get(node.id) if isinstance(node, ast.Name) else None
        if type(value) is str:
            strings.append(value)
        elif type(value) in (list, tuple, set, frozenset, dict):
            strings += sorted(item for item in value if type(item) is str)  # type: ignore[union-attr]
    return strings

"""Exceptions of values that the search only made up.

A template fills what the input leaves open: other parameters, other fields of a
request, other words of the command line.  Code that trips over such a value
shows nothing about itself.  Which values a failing expression takes is read
from the text: names are followed through assignments, and from a function to
the call of it.  Not followed is what other calls return: what ML APIs answer
does not come from what they are given.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..protocol import input_paths
from .bindings import FUNCTIONS, Asked, asks_service, assigned, bindings

Range = Tuple[int, int, int, int]
Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_PASSES_ON = frozenset(
    ("int", "float", "str", "bool", "bytes", "len", "list", "tuple", "dict", "set", "sorted", "min",
     "max", "sum", "abs", "round", "range", "enumerate", "zip", "reversed", "iter", "next", "map",
     "filter", "loads", "fromisoformat", "strptime", "b64decode", "Decimal", "Path", "get", "join",
     "getattr", "divmod", "basename", "splitext")
)  # fmt: skip
_QUESTION = "input"
_SENT = "request"


@dataclass(frozen=True)
class SyntheticValues:
    """The parts of a call's arguments that are made up, by position.

    ``names`` are parameters and roots of which everything is made up but for
    ``inputs``, the places of the input itself as the code spells them.  Of
    ``paths`` only the name is made up, not what lies there.  ``asks``: one
    text is typed for several questions.  ``learned``: values were made to get
    through the code, so that what any function makes of them is made up too.
    """

    names: FrozenSet[str]
    inputs: FrozenSet[str]
    paths: FrozenSet[str] = frozenset()
    asks: bool = False
    learned: bool = False

    @classmethod
    def of(cls, arguments: Mapping[str, Mapping[str, Any]]) -> SyntheticValues:
        """The fillings of arguments as the protocol has them."""
        names: Set[str] = set()
        inputs: Set[str] = set()
        paths: Set[str] = set()
        for key, given in arguments.items():
            place = input_paths.parse(key)
            root = _SENT if place.root == input_paths.REQUEST else place.root
            is_path = given.get("form") == "path"
            told = given.get("kind") == "content" and not is_path
            if given.get("kind") == "content":
                (paths if is_path else inputs).add(str(input_paths.InputPath(root, place.steps)))
            if place.steps or not told:
                names.add(root)
        asks = input_paths.INPUT in arguments
        learned = any(given.get("kind") == "made" for given in arguments.values())
        return cls(frozenset(names), frozenset(inputs), frozenset(paths), asks, learned)


@dataclass(frozen=True)
class ExceptionStep:
    """A call on the way to an exception: its file's tree, its line, the failing expression.

    ``path`` is that of the file, and ``asked`` the calls in it that led to an ML API.
    """

    tree: ast.Module
    line: int
    where: Optional[Range]
    path: str = ""
    asked: Asked = frozenset()


def takes_synthetic_value(steps: Sequence[ExceptionStep], fillings: SyntheticValues) -> bool:
    """Return whether the expression that failed in the last step takes a synthetic value."""
    looked_at: List[ast.AST] = list(expressions(steps[-1]))
    for call in [node for node in looked_at if isinstance(node, ast.Call)]:
        given = (*call.args, *(each.value for each in call.keywords))
        looked_at += [each for each in given if ast.unparse(each) not in fillings.paths]
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        function = function_around(step.tree, step.line)
        seen = _Slice(step.tree if function is None else function, fillings, looked_at, step)
        outermost = all(function_around(s.tree, s.line) is function for s in steps[:number])
        if seen.asks_again() or seen.outside():
            return True
        if outermost:
            return bool(seen.free & fillings.names)
        if function_around(steps[number - 1].tree, steps[number - 1].line) is not function:
            looked_at = list(_given(steps[number - 1], function, seen.free))
    return False


@functools.lru_cache(maxsize=256)
def expressions(step: ExceptionStep) -> Tuple[ast.AST, ...]:
    """The outermost expressions that lie in the failing one, else the statement's own."""
    return tuple(_expressions(step))


def _expressions(step: ExceptionStep) -> Iterator[ast.AST]:
    statement: Optional[ast.stmt] = None
    for node in ast.walk(step.tree):
        if isinstance(node, ast.stmt) and node.lineno <= step.line <= (node.end_lineno or 0):
            statement = node
    if statement is None:
        return
    waiting: List[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr) and lies_in(node, step.where):
            yield node
        else:
            inner = ast.iter_child_nodes(node)
            waiting += [each for each in inner if step.where or not isinstance(each, ast.stmt)]


def lies_in(node: ast.expr, where: Optional[Range]) -> bool:
    """Return whether an expression is within a range; everything is within ``None``."""
    if where is None:
        return True
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return (where[0], where[2]) <= start and end <= (where[1], where[3])


def function_around(tree: ast.Module, line: int) -> Optional[ast.AST]:
    """The innermost function around a line."""
    found: Optional[ast.AST] = None
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno <= line <= (node.end_lineno or 0):
            found = node
    return found


def _given(step: ExceptionStep, function: Optional[ast.AST], free: Set[str]) -> Iterator[ast.AST]:
    if not isinstance(function, Function):
        return
    named = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    calls = [c for e in expressions(step) for c in ast.walk(e) if isinstance(c, ast.Call)]
    for call in (c for c in calls if _last(c.func) == function.name):
        own = named[1:] if named[:1] in (["self"], ["cls"]) else named
        yield from (value for name, value in zip(own, call.args) if name in free)
        yield from (each.value for each in call.keywords if each.arg in free)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


class _Slice:
    """The sources of a function's expressions as far as its text shows; ``free`` are its names."""

    def __init__(
        self,
        scope: ast.AST,
        fillings: SyntheticValues,
        looked_at: Sequence[ast.AST],
        step: ExceptionStep,
    ) -> None:
        self._fillings = fillings
        self._step = step
        self._made = _made(scope)
        self._questions = sum(_is_question(node) for node in ast.walk(scope))
        self._asked = False
        self._roots: Set[str] = set()
        self.free: Set[str] = set()
        waiting = list(looked_at)
        while waiting:
            for name in self._names(waiting.pop()):
                if name not in self.free:
                    self.free.add(name)
                    waiting += self._made.get(name, ())

    def asks_again(self) -> bool:
        return self._asked and self._fillings.asks and self._questions > 1

    def outside(self) -> bool:
        """Return whether words of the command line, or fields of a request, take part."""
        return bool(self._roots & self._fillings.names)

    def _passes_on(self, call: ast.Call) -> bool:
        """Return whether what a call returns may come from what it is given."""
        if _last(call.func) in _PASSES_ON:
            return True
        return self._fillings.learned and not asks_service(call, self._step.path, self._step.asked)

    def _names(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            spelled = ast.unparse(node)
            if spelled in self._fillings.inputs:
                return
            self._roots.update([input_paths.ARGUMENTS] if spelled == input_paths.ARGUMENTS else ())
        if isinstance(node, ast.Name):
            self._roots.update([_SENT] if node.id == _SENT else ())
            yield node.id
        elif isinstance(node, ast.Call):
            self._asked = self._asked or _is_question(node)
            if isinstance(node.func, ast.Attribute):
                yield from self._names(node.func.value)
            if self._passes_on(node):
                for given in (*node.args, *(each.value for each in node.keywords)):
                    yield from self._names(given)
        else:
            for inner in ast.iter_child_nodes(node):
                yield from self._names(inner)


def _is_question(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == _QUESTION


def _made(scope: ast.AST) -> Dict[str, List[ast.AST]]:
    found: Dict[str, List[ast.AST]] = {}
    for node in ast.walk(scope):
        for target, value in assigned(node):
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    found.setdefault(name.id, []).extend([value] if value is not None else [])
    return found


_CALLS = re.compile(
    r"^(?:io\.)?open$|^(?:os\.)?getenv$|^os\.(?:environ\.\w+|listdir|scandir|popen|walk)$"
    r"|^(?:glob\.)?i?glob$|\.(?:read_text|read_bytes|iterdir|rglob)$|^(?:getpass|socket|sqlite3)\.\w+$"
    r"|^(?:requests|httpx|urllib3|session)\.\w+$|^(?:urllib\.)?(?:request\.)?urlopen$"
    r"|^subprocess\.\w+$|^(?:st|streamlit)\.(?!session_state)\w+$|^st\.secrets\.\w+$"
)
_VALUES = re.compile(r"^(?:os\.)?environ$|^(?:st|streamlit)\.secrets$")


def takes_outside(
    nodes: Sequence[ast.AST], scope: ast.AST, path: str, asked: Asked, inputs: FrozenSet[str]
) -> bool:
    """Return whether expressions take values from outside, but for ``inputs`` and API answers."""
    known = bindings(scope) if isinstance(scope, (*FUNCTIONS, ast.Module)) else {}
    return any(_is_outside(node, inputs) for node in _reached(nodes, known, path, asked))


def _reached(
    nodes: Sequence[ast.AST], known: Dict[str, List[Any]], path: str, asked: Asked
) -> Iterator[ast.AST]:
    seen: Set[str] = set()
    waiting: List[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) or (
            isinstance(node, (ast.Call, ast.Await)) and asks_service(node, path, asked)
        ):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += [each.value for each in known.get(node.id, ()) if each.value is not None]


def _is_outside(node: ast.AST, inputs: FrozenSet[str]) -> bool:
    if isinstance(node, ast.Call):
        given = {ast.unparse(each) for each in (node, *node.args)}
        return _CALLS.search(ast.unparse(node.func)) is not None and not given & inputs
    return isinstance(node, (ast.Name, ast.Attribute)) and bool(_VALUES.search(ast.unparse(node)))

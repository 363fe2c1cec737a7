"""Reads in the code where inputs may come from: parts of parameters, and the outside."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from ..protocol import input_paths
from ..protocol.input_paths import InputPath
from .code_constants import functions

MOST_FUNCTIONS = 40
_KEYED = ("get", "pop", "getlist", "getall")
_PARTS = {"get_json": "json", "json": "json", "form": "form", "body": "body", "get_data": "data"}
_RAW = ("data", "body")
_CALLS = {
    "input": InputPath(input_paths.INPUT),
    "raw_input": InputPath(input_paths.INPUT),
    "parse_args": InputPath(input_paths.ARGUMENTS).item(1),
}


def places_in(
    sources: Mapping[str, str], path: str, function: str, parameters: Sequence[str]
) -> List[InputPath]:
    """The places that a function and those it calls read, in the order of the text.

    Of parameters only the parts are given, and only of the target's own.
    """
    found: Dict[InputPath, None] = {}
    for number, (tree, node) in enumerate(_reached(sources, path, function)):
        names = {name: InputPath(name) for name in parameters} if number == 0 else {}
        reader = _Reader({**_requests(tree), **names})
        reader.visit(node)
        found.update(reader.found)
    return [place for place in found if place.steps or not place.is_parameter]


def _reached(sources: Mapping[str, str], path: str, function: str) -> Iterator[Any]:
    """The target's node with its module, then those of the functions that it calls."""
    trees = {name: ast.parse(text.lstrip("\ufeff")) for name, text in sources.items()}
    known: Dict[str, List[Any]] = {}
    start: Any = trees[path], trees[path]
    for name, tree in trees.items():
        for qualified, node in functions(tree):
            known.setdefault(node.name, []).append((tree, node))
            if (name, qualified) == (path, function):
                start = tree, node
    waiting, seen = [start], {id(start[1])}
    while waiting and len(seen) <= MOST_FUNCTIONS:
        tree, node = waiting.pop(0)
        yield tree, node
        for called in _called(node):
            for each in known.get(called, ()):
                if id(each[1]) not in seen:
                    seen.add(id(each[1]))
                    waiting.append(each)


def _called(node: ast.AST) -> Iterator[str]:
    for call in _own(node):
        if isinstance(call, ast.Call):
            yield getattr(call.func, "attr", getattr(call.func, "id", ""))


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node; of a module not what its functions hold."""
    for child in ast.iter_child_nodes(node):
        defines = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not (defines and isinstance(node, ast.Module)):
            yield child
            yield from _own(child)


def _requests(tree: ast.Module) -> Dict[str, InputPath]:
    """The names that a module has for Flask's request and for the command line."""
    named: Dict[str, InputPath] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("flask", "sys"):
            for alias in node.names:
                root = f"{node.module}.{alias.name}"
                if root in input_paths.OUTSIDE:
                    named[alias.asname or alias.name] = InputPath(root)
    return named


class _Reader(ast.NodeVisitor):
    """Follows names from a place to what is read of it."""

    def __init__(self, names: Dict[str, InputPath]) -> None:
        self._names = names
        self.found: Dict[InputPath, None] = {}

    def visit(self, node: ast.AST) -> None:
        """Note the place that an expression reads, or look inside."""
        place = self._place(node) if isinstance(node, ast.expr) else None
        if place is not None:
            self.found[place] = None
            return
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._bind(node.targets[0], self._place(node.value))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self._draw(node.target, node.iter)
        elif isinstance(node, ast.Compare):
            self._contained(node)
        self._within(node)

    def _within(self, node: ast.AST) -> None:
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for generator in node.generators:
                self.visit(generator)
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.Module) and isinstance(child, _DEFINITIONS)):
                self.visit(child)

    def _bind(self, target: ast.expr, place: Optional[InputPath]) -> None:
        if isinstance(target, ast.Name):
            if place is None:
                self._names.pop(target.id, None)
            else:
                self._names[target.id] = place

    def _draw(self, target: ast.expr, source: ast.expr) -> None:
        """The elements that a loop draws from a parameter."""
        if isinstance(source, ast.Call) and source.args:
            wrapping = getattr(source.func, "id", "")
            if wrapping == "enumerate" and isinstance(target, ast.Tuple):
                target = target.elts[-1]
            if wrapping in ("enumerate", "sorted", "list", "reversed", "tqdm", "set"):
                source = source.args[0]
        place = self._place(source)
        if place is not None and place.is_parameter:
            self._bind(target, place.item(0))
            self.found[place.item(0)] = None

    def _contained(self, node: ast.Compare) -> None:
        """``'image' in request.files``."""
        key = getattr(node.left, "value", None)
        place = self._place(node.comparators[0])
        asks = isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(key, str)
        if asks and place and place.steps and place.steps[-1][1] in input_paths.WEB:
            self.found[place.item(str(key))] = None

    def _place(self, node: Optional[ast.AST]) -> Optional[InputPath]:
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Await):
            return self._place(node.value)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            key = input_paths.constant(node)
            place = self._place(node.value)
            return place if place is None or key is None else place.item(key)
        return self._called(node) if isinstance(node, ast.Call) else None

    def _attribute(self, node: ast.Attribute) -> Optional[InputPath]:
        root = ast.unparse(node) if isinstance(node.value, ast.Name) else ""
        if root in (input_paths.REQUEST, input_paths.ARGUMENTS):
            return InputPath(root)
        if root == "sys.stdin":
            return InputPath(input_paths.INPUT)
        place = self._place(node.value)
        return place if place is None or _is_whole(place) else place.attribute(node.attr)

    def _called(self, node: ast.Call) -> Optional[InputPath]:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in _CALLS:
            return _CALLS[name]
        if name == "loads" and node.args:
            return _parsed(self._place(node.args[0]))
        place = self._place(getattr(node.func, "value", None))
        key = getattr(node.args[0], "value", None) if node.args else None
        if place is None or _is_whole(place):
            return place
        if name in _KEYED and isinstance(key, str):
            return place.item(key)
        return place.attribute(_PARTS[name]) if name in _PARTS else place


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_whole(place: InputPath) -> bool:
    """Whether what is read of a place is no place of its own: typed text, an upload."""
    if place.root in (input_paths.INPUT, input_paths.ARGUMENTS):
        return place.root == input_paths.INPUT or bool(place.steps)
    return len(place.steps) > 1 and str(place.steps[0][1]).lower() == "files"


def _parsed(place: Optional[InputPath]) -> Optional[InputPath]:
    """The document in the body of a request."""
    if place is None or not place.steps or place.steps[-1][1] not in _RAW:
        return None
    return InputPath(place.root, place.steps[:-1]).attribute("json")

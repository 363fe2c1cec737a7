"""Definitions of a project: classes, functions, their parameters, and values given by keyword."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from analyzers.inference.facts import parse_module
from analyzers.vocabulary.test_files import is_test_file

MOST_BASES = 8
MOST_DEPTH = 3
LONGEST_VALUE = 60
LONGEST_FILE = 400_000
MOST_READ = 2_000_000
Function = ast.FunctionDef | ast.AsyncFunctionDef
_DEFINED = re.compile(r"^([ \t]*)(?:async )?(?:def|class) (\w+)", re.MULTILINE)
_BASES = re.compile(r"^[ \t]*class \w+\(([^)]*)\)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a callable: its default, and the function that reads it."""

    name: str
    default: ast.expr | None
    function: Function | ast.ClassDef


@dataclass(slots=True)
class Definitions:
    """The definitions of a project by simple name; ``corpus`` has values by keyword.

    ``homes`` are the paths of functions by the identity of their nodes, ``tables`` the names of
    functions that a dictionary holds, ``libraries`` the outermost names of what is imported.
    """

    classes: dict[str, ast.ClassDef] = field(default_factory=dict[str, ast.ClassDef])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    methods: dict[str, list[Function]] = field(default_factory=dict[str, list[Function]])
    owners: dict[int, ast.ClassDef] = field(default_factory=dict[int, ast.ClassDef])
    corpus: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    homes: dict[int, str] = field(default_factory=dict[int, str])
    tables: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    libraries: set[str] = field(default_factory=set[str])

    @classmethod
    def of(cls, texts: Mapping[str, str], added: Iterable[str] = ()) -> Definitions:
        """Return the definitions in Python files; those of tests only give values.

        Of the sources ``added`` those count that have a name which no other definition has.
        """
        found = cls()
        for path, text in texts.items():
            tree = parse_module(text) if len(text) <= LONGEST_FILE else None
            if path.endswith(".py") and tree is not None:
                nodes = list(ast.walk(tree))
                found.feed(nodes)
                if not is_test_file(path):
                    found._define(nodes)
                    found.homes |= {id(n): path for n in nodes if isinstance(n, Function)}
        known = {*found.classes, *found.functions}
        for tree in filter(None, map(parse_module, added)):
            found._define([each for each in tree.body if getattr(each, "name", "") not in known])
        return found

    def _define(self, nodes: Sequence[ast.AST]) -> None:
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, node)
                for each in node.body:
                    if isinstance(each, Function):
                        self.methods.setdefault(each.name, []).append(each)
                        self.owners[id(each)] = node
        for node in nodes:
            if isinstance(node, Function) and id(node) not in self.owners:
                self.functions.setdefault(node.name, node)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                held = [each.id for each in node.value.values if isinstance(each, ast.Name)]
                for target in node.targets if held else ():
                    if isinstance(target, ast.Name):
                        self.tables.setdefault(target.id, held)

    def feed(self, nodes: Iterable[ast.AST]) -> None:
        """Learn the values that calls give by keyword, and what is imported."""
        for node in nodes:
            if isinstance(node, ast.Import):
                self.libraries |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                self.libraries.add(node.module.partition(".")[0])
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg and _is_plain(keyword.value):
                    text = ast.unparse(keyword.value)
                    if len(text) <= LONGEST_VALUE:
                        self.corpus.setdefault(keyword.arg, Counter())[text] += 1

    def bases(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """Return a class and the project's classes that it inherits from, the nearest first."""
        found: list[ast.ClassDef] = []
        waiting = [node]
        while waiting and len(found) < MOST_BASES:
            each = waiting.pop(0)
            if each in found:
                continue
            found.append(each)
            names = (getattr(b, "id", None) or getattr(b, "attr", "") for b in each.bases)
            waiting += [self.classes[name] for name in names if name in self.classes]
        return found

    def method(self, node: ast.ClassDef, name: str) -> Function | None:
        """Return the method of a class, inherited or not."""
        own = (each for base in self.bases(node) for each in base.body)
        return next((e for e in own if isinstance(e, Function) and e.name == name), None)

    def parameters(self, callee: Function | ast.ClassDef, depth: int = 0) -> list[Parameter]:
        """Return what a call takes by name, where ``**kwargs`` are handed on too."""
        if isinstance(callee, ast.ClassDef):
            made = self.method(callee, "__init__")
            return list(_fields(callee)) if made is None else self.parameters(made, depth)
        found = [each for each in _own(callee) if each.name not in ("self", "cls")]
        if callee.args.kwarg is not None and depth < MOST_DEPTH:
            known = {each.name for each in found}
            for each in self._handed_on(callee, callee.args.kwarg.arg, depth):
                if each.name not in known:
                    known.add(each.name)
                    found.append(each)
        return found

    def _handed_on(self, function: Function, name: str, depth: int) -> Iterator[Parameter]:
        owner = self.owners.get(id(function))
        for call in ast.walk(function):
            if not isinstance(call, ast.Call):
                continue
            given = [keyword.value for keyword in call.keywords if keyword.arg is None]
            if not any(isinstance(each, ast.Name) and each.id == name for each in given):
                continue
            to = call.func
            if isinstance(to, ast.Attribute) and to.attr == "__init__" and owner is not None:
                parents = self.bases(owner)[1:]
                for parent in parents[:1]:
                    yield from self._optional(parent, depth)
            else:
                for called in self._called(function, to):
                    callee = self.classes.get(called) or self.functions.get(called)
                    if callee is not None and callee is not function:
                        yield from self._optional(callee, depth)

    def _called(self, function: Function, to: ast.expr) -> list[str]:
        """Return the names that an expression may call: one, or all of a table of functions."""
        if isinstance(to, ast.Name):
            bound = (e for e in ast.walk(function) if isinstance(e, ast.Assign))
            values = [e.value for e in bound if to.id in map(ast.unparse, e.targets)]
            tables = [each for value in values if (each := self._table(value))]
            return tables[0] if tables else [to.id]
        return self._table(to) or [str(getattr(to, "attr", ""))]

    def _table(self, value: ast.expr) -> list[str]:
        """Return the functions of the table that an item is taken from."""
        match value:
            case ast.Subscript(value=ast.Name(id=name)):
                return self.tables.get(name, [])
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get")):
                return self.tables.get(name, [])
            case _:
                return []

    def _optional(self, callee: Function | ast.ClassDef, depth: int) -> Iterator[Parameter]:
        for each in self.parameters(callee, depth + 1):
            if each.default is not None:
                yield each


def relevant_texts(
    texts: Mapping[str, str], used: Collection[str], near: Collection[str]
) -> dict[str, str]:
    """Return the texts that define what programs use, and the tests that name what is near.

    Classes that others inherit from are used too.  Of a large project those are taken that
    define the most outside classes, as far as ``MOST_READ``.
    """
    sources = {path: text for path, text in texts.items() if path.endswith(".py")}
    defined = {path: _DEFINED.findall(text) for path, text in sources.items()}
    close = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(near)))})\b")
    found: dict[str, int] = {}
    wanted = set(used)
    for _ in range(MOST_DEPTH):
        for path, text in sources.items():
            names = defined[path] if not is_test_file(path) else ()
            known = [inside for inside, name in names if name in wanted]
            if path not in found and (known or close.search(text)):
                found[path] = known.count("")
        headers = (each for path in found for each in _BASES.findall(sources[path]))
        wanted |= {name for each in headers for name in re.findall(r"\w+", each)}
    likeliest = sorted(found, key=lambda path: -found[path])
    sizes = accumulate(len(sources[path]) for path in likeliest)
    taken = {path for path, size in zip(likeliest, sizes, strict=True) if size <= MOST_READ}
    return {path: sources[path] for path in found if path in taken}


def _own(function: Function) -> Iterator[Parameter]:
    spec = function.args
    placed = [*spec.posonlyargs, *spec.args]
    without = len(placed) - len(spec.defaults)
    defaults: list[ast.expr | None] = [*[None] * without, *spec.defaults]
    for arg, default in zip(placed, defaults, strict=True):
        yield Parameter(arg.arg, default, function)
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        yield Parameter(arg.arg, default, function)


def _fields(node: ast.ClassDef) -> Iterator[Parameter]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield Parameter(each.target.id, each.value, node)


_PLAIN = (
    ast.Constant | ast.Tuple | ast.List | ast.UnaryOp | ast.unaryop | ast.expr_context | ast.keyword
)


def _is_plain(node: ast.expr) -> bool:
    """Return whether an expression means the same anywhere: literals and names of torch."""
    if isinstance(node, ast.Attribute | ast.Call) and ast.unparse(node).startswith("torch."):
        return True
    return all(isinstance(each, _PLAIN) for each in ast.walk(node))

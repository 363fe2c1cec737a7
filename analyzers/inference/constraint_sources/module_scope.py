"""Meanings of names in a file of the project: imports, constants, definitions."""

from __future__ import annotations

import ast
import functools
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..facts import FunctionContext, parse_module

_FOLLOWED = 6
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class ModuleScope:
    """The top level of a file: what its names mean, through imports of the project too."""

    path: str
    tree: ast.Module
    sources: Mapping[str, str] = field(repr=False)

    def dotted(self, node: ast.expr | None) -> str:
        """The full dotted name that an expression is of (``torch.nn.Module``); else ``""``.

        A name that the file does not import stands for itself.
        """
        name = dotted_name(node)
        first, _, rest = name.partition(".")
        origin = self._imports().get(first)
        if origin is None:
            return name
        return f"{origin}.{rest}" if rest else origin

    def definition(self, name: str) -> tuple[Definition, ModuleScope] | None:
        """Return the definition of a plain or dotted name in the project, and its scope."""
        return self._definition(name, _FOLLOWED)

    def _definition(self, name: str, steps: int) -> tuple[Definition, ModuleScope] | None:
        first, _, rest = name.partition(".")
        here = self._defined(first)
        if here is not None:
            return (here, self) if not rest else self._member(here, rest)
        origin = self._imports().get(first)
        if origin is None or steps == 0:
            return None
        for scope, left in self._modules(f"{origin}.{rest}" if rest else origin):
            found = scope._definition(left, steps - 1) if left else None
            if found is not None:
                return found
        return None

    def _member(self, owner: Definition, rest: str) -> tuple[Definition, ModuleScope] | None:
        if isinstance(owner, ast.ClassDef):
            for name, value in _bound(owner.body):
                if name == rest:
                    return value, self
        return None

    def binds(self, name: str) -> bool:
        """Return whether the top level of the file defines or imports a name."""
        return name in self._imports() or self._defined(name) is not None

    def literal(self, node: ast.expr) -> object:
        """The value of an expression of literals and constants; raises ``ValueError``."""
        value = self._literal(node, _FOLLOWED)
        if value is _NOTHING:
            raise ValueError(ast.unparse(node))
        return value

    def literal_or_none(self, node: ast.expr) -> object:
        """The value of such an expression; ``None`` for any other, too."""
        value = self._literal(node, _FOLLOWED)
        return None if value is _NOTHING else value

    def _literal(self, node: ast.expr, steps: int) -> object:
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return self._computed(node, steps) if steps else _NOTHING

    def _computed(self, node: ast.expr, steps: int) -> object:
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            items = [self._literal(each, steps - 1) for each in node.elts]
            return _NOTHING if _NOTHING in items else tuple(items)
        if isinstance(node, ast.Dict):
            keys = [_NOTHING if key is None else self._literal(key, steps - 1) for key in node.keys]
            if _NOTHING in keys:
                return _NOTHING
            return {key: None for key in keys if isinstance(key, (str, int, float, tuple))}
        if isinstance(node, ast.Call):
            return self._called(node, steps)
        found = self.definition(dotted_name(node)) if dotted_name(node) else None
        if found is None or not isinstance(found[0], ast.expr):
            return _NOTHING
        return found[1]._literal(found[0], steps - 1)

    def _called(self, node: ast.Call, steps: int) -> object:
        """``list(X)``, ``sorted(X)``, ``set(X)``, ``frozenset(X)``, ``X.keys()`` of constants."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "keys" and not node.args:
            return self._literal(node.func.value, steps - 1)
        if dotted_name(node.func) in ("list", "tuple", "set", "frozenset", "sorted") and node.args:
            value = self._literal(node.args[0], steps - 1)
            return tuple(value) if isinstance(value, (list, tuple, set, dict, frozenset)) else value
        return _NOTHING

    def _defined(self, name: str) -> Definition | None:
        found = [value for bound, value in _bound(self.tree.body) if bound == name]
        return found[-1] if found else None

    def _imports(self) -> dict[str, str]:
        return _imported(self.path, self.tree)

    def _modules(self, dotted: str) -> Iterator[tuple[ModuleScope, str]]:
        parts = dotted.split(".")
        for count in range(len(parts), 0, -1):
            stem = "/".join(parts[:count])
            for path in self._files(stem):
                tree = parse_module(self.sources[path])
                if tree is not None and path != self.path:
                    yield ModuleScope(path, tree, self.sources), ".".join(parts[count:])

    def _files(self, stem: str) -> Iterator[str]:
        """The files of a module, whichever folder is where imports begin (``src``, a package)."""
        ends = (f"{stem}.py", f"{stem}/__init__.py")
        yield from (end for end in ends if end in self.sources)
        nested = tuple(f"/{end}" for end in ends)
        near = [path for path in self.sources if path.endswith(nested)]
        yield from sorted(near, key=lambda path: (len(path), path))


@functools.lru_cache(maxsize=512)
def _imported(path: str, tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(path, node)
            for alias in node.names:
                found[alias.asname or alias.name] = f"{module}.{alias.name}".lstrip(".")
    return found


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folder = posixpath.dirname(path)
    for _ in range(node.level - 1):
        folder = posixpath.dirname(folder)
    parts = [part for part in folder.split("/") if part]
    return ".".join([*parts, *([node.module] if node.module else [])])


def scope_of(subject: FunctionContext) -> ModuleScope:
    """The scope in which a subject's signature and body are read."""
    return ModuleScope(subject.path, subject.tree, subject.sources)


class _Renaming(ast.NodeTransformer):
    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = words

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self._words.get(node.id, node.id), mode="eval").body


def renamed(condition: str, words: Mapping[str, str]) -> str:
    """An expression with other expressions, such as names, in the place of its names."""
    return ast.unparse(_Renaming(words).visit(ast.parse(condition.strip(), mode="eval")))


def dotted_name(node: ast.AST | None) -> str:
    """A dotted name as it is written; ``""`` for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted_name(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            handlers = getattr(node, "handlers", [])
            yield from _statements([*inner, *(s for each in handlers for s in each.body)])


def _bound(body: list[ast.stmt]) -> Iterator[tuple[str, Definition]]:
    for node in _statements(body):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value

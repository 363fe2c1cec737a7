"""Where a file uses what libraries no longer have, unguarded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.properties.removed.removed_names import RemovedName, RemovedNames

_EXPECTED = frozenset(
    {"ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TypeError"}
    | {"Exception", "BaseException", "ValueError", "RuntimeError"}
)
_ASKS = re.compile(
    r"hasattr|getattr|version|Version|VERSION|TYPE_CHECKING|find_spec|available|AVAILABLE|compat"
    r"|legacy|HAS_|has_|TF1|TF2|tf1|tf2|PY2|PY3|PY_"
)
_ANSWERS = re.compile(r"hasattr|getattr|[vV]ersion|VERSION|find_spec")
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Guards:
    """The parts of a file that run only where something is there, or may fail."""

    def __init__(self, tree: ast.Module, known: frozenset[str] = frozenset()) -> None:
        """``known`` are imported names that tell what is there, as :func:`answers` finds them."""
        self._covered: set[int] = set()
        self._answers = answers(tree, known)
        for node in ast.walk(tree):
            if self._is_ready(node):
                self._cover(node)
            for body in _bodies(node):
                self._after(body)

    def covers(self, node: ast.AST) -> bool:
        """Whether a node stands in such a part."""
        return id(node) in self._covered

    def _cover(self, node: ast.AST) -> None:
        self._covered.update(id(inner) for inner in ast.walk(node))

    def _after(self, body: list[ast.stmt]) -> None:
        """What follows ``if not hasattr(…): return``."""
        for number, node in enumerate(body):
            if not isinstance(node, ast.If) or not self._asks(node.test):
                continue
            if isinstance(node.body[-1], _ENDS):
                for later in body[number + 1 :]:
                    self._cover(later)
                return

    def _is_ready(self, node: ast.AST) -> bool:
        """Return whether what a node holds may fail, or is asked for first."""
        match node:
            case ast.Try():
                return any(map(_expects, node.handlers))
            case ast.If() | ast.IfExp() | ast.While():
                return self._asks(node.test)
            case ast.BoolOp():
                return self._asks(node)
            case _:
                return False

    def _asks(self, test: ast.expr) -> bool:
        return _ASKS.search(ast.unparse(test)) is not None or bool(_names(test) & self._answers)


def answers(tree: ast.Module, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names that tell which version is there, or what it has.

    Those are bound to a version or to ``hasattr``, in a ``try`` that expects an import to
    fail, or to what is computed of other such names; and functions that return it.
    """
    found = set(known)
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(map(_expects, node.handlers)):
            found.update(name for inner in ast.walk(node) for name in _bound(inner))
    count = -1
    while count != len(found):
        count = len(found)
        for node in ast.walk(tree):
            if _is_answer(node, found):
                found.update(_bound(node))
    return frozenset(found)


def _is_answer(node: ast.AST, known: set[str]) -> bool:
    values: list[ast.expr | None]
    match node:
        case ast.Assign(value=value) | ast.NamedExpr(value=value):
            values = [value]
        case ast.FunctionDef():
            values = [each.value for each in ast.walk(node) if isinstance(each, ast.Return)]
        case _:
            values = []
    return any(
        value is not None and (_ANSWERS.search(ast.unparse(value)) or _names(value) & known)
        for value in values
    )


def _bound(node: ast.AST) -> list[str]:
    """Return the names that a statement binds."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [each.asname or each.name.partition(".")[0] for each in names]
        case ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [name for each in targets for name in _names(each)]
        case ast.NamedExpr(target=target):
            return [target.id]
        case _:
            return []


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    found = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
    return [body for body in found if isinstance(body, list)]


def _expects(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {n.id for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    return bool(names & _EXPECTED)


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class RemovedNameUse:
    """One use: ``node`` is the expression, the keyword or the import.

    ``alias`` is the imported name where it is an import.
    """

    entry: RemovedName
    node: ast.expr | ast.keyword | ast.Import | ast.ImportFrom
    alias: ast.alias | None = None


class UseFinder:
    """Finds the uses in one file; ``local`` are modules of the project itself.

    ``answers`` are imported names that tell which version of a library is there.
    """

    def __init__(
        self,
        tree: ast.Module,
        known: RemovedNames,
        local: frozenset[str],
        answers: frozenset[str] = frozenset(),
    ) -> None:
        self._tree = tree
        self._known = known
        self._roots = known.roots - local
        self._guards = Guards(tree, answers)
        self.names = self._imported()

    def _imported(self) -> dict[str, str]:
        """What the imported names stand for, those that mean only one thing."""
        found: dict[str, str] = {}
        unsure: set[str] = set()
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for name, means in _brings(node):
                    if self._guards.covers(node) or found.get(name, means) != means:
                        unsure.add(name)
                    found[name] = means
            else:
                unsure.update(_binds(node))
        return {
            name: means
            for name, means in found.items()
            if name not in unsure and means.partition(".")[0] in self._roots
        }

    def dotted(self, node: ast.AST) -> str | None:
        """The dotted name that an expression stands for."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value)
            return f"{base}.{node.attr}" if base else None
        return None

    def uses(self) -> Iterator[RemovedNameUse]:
        """Every use, in the order of the tree."""
        made = dict(self._made())
        for node in ast.walk(self._tree):
            if self._guards.covers(node):
                continue
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._imports(node)
            elif isinstance(node, ast.Call):
                yield from self._arguments(node)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                yield from self._expression(node, made)

    def _imports(self, node: ast.Import | ast.ImportFrom) -> Iterator[RemovedNameUse]:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    continue
                name = f"{node.module}.{alias.name}"
            else:
                name = alias.name
            entry = self._gone(name) if name.partition(".")[0] in self._roots else None
            if entry is not None:
                yield RemovedNameUse(entry, node, alias)

    def _gone(self, name: str) -> RemovedName | None:
        """The entry for a name, or for a module that it lies in: the most specific."""
        while name:
            if name in self._known.names:
                return self._known.names[name]
            name = name.rpartition(".")[0]
        return None

    def _expression(
        self, node: ast.Name | ast.Attribute, made: Mapping[str, str]
    ) -> Iterator[RemovedNameUse]:
        name = self.dotted(node)
        if name is not None:
            entry = self._known.names.get(name)
            imported = isinstance(node, ast.Name)
            if entry is not None and not imported:
                yield RemovedNameUse(entry, node)
        elif isinstance(node, ast.Attribute):
            owner = made.get(ast.unparse(node.value))
            entry = self._known.attributes.get(owner or "", {}).get(node.attr)
            if entry is not None:
                yield RemovedNameUse(entry, node)

    def _arguments(self, node: ast.Call) -> Iterator[RemovedNameUse]:
        known = self._known.arguments.get(self.dotted(node.func) or "", {})
        for keyword in node.keywords if known else ():
            if keyword.arg in known:
                yield RemovedNameUse(known[keyword.arg], keyword)
        if "" in known:
            yield RemovedNameUse(known[""], node)

    def _made(self) -> Iterator[tuple[str, str]]:
        """Names and attributes that are set to instances of one known class alone."""
        seen: dict[str, set[str | None]] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Assign):
                call = node.value
                name = self.dotted(call.func) if isinstance(call, ast.Call) else None
                for each in node.targets:
                    seen.setdefault(ast.unparse(each), set()).add(name)
            elif isinstance(node, ast.arg):
                seen.setdefault(node.arg, set()).add(None)
        for target, names in seen.items():
            (name, *others) = names
            if name is not None and not others:
                yield target, name


def _brings(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{'.' * node.level}{node.module or ''}.{alias.name}"
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            root = alias.name.partition(".")[0]
            yield root, root


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node binds otherwise than by an import."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
        yield node.name or ""


def patched(entry: RemovedName, source: str) -> bool:
    """Whether a text puts back what is gone: ``np.float = float``, ``setattr(np, "float", …)``."""
    last = re.escape(entry.name.rpartition(".")[2])
    return (
        re.search(rf"\.{last}\s*=(?!=)|setattr\([^()]*[\"']{last}[\"']", source) is not None
        and entry.argument is None
    )

"""The project's files as modules: what a name means in one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from posixpath import dirname, join, normpath

from ..facts import parse_module

_HOPS = 4


@dataclass(frozen=True, slots=True)
class ProjectModule:
    """One file: ``names`` are its definitions, ``imports`` local names by full ones.

    A relative import keeps its dots: ``.blocks.Block``.
    """

    path: str
    tree: ast.Module
    sources: Mapping[str, str] = field(repr=False)
    names: Mapping[str, ast.stmt] = field(repr=False)
    imports: Mapping[str, str] = field(repr=False)

    def __hash__(self) -> int:
        return hash(self.path)


def module_of(path: str, tree: ast.Module, sources: Mapping[str, str]) -> ProjectModule:
    """A file as a module."""
    return ProjectModule(path, tree, sources, *_bindings(tree))


@lru_cache(maxsize=512)
def _bindings(tree: ast.Module) -> tuple[dict[str, ast.stmt], dict[str, str]]:
    names, imports = dict[str, ast.stmt](), dict[str, str]()
    for statement in _statements(tree.body):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            names[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    names[target.id] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names[statement.target.id] = statement
    for node in ast.walk(tree):
        imports.update(imported(node))
    return names, imports


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _statements(statement.body)
            yield from _statements(getattr(statement, "orelse", []))


def imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import binds, by full names."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, alias.name
            else:
                yield alias.name.partition(".")[0], alias.name.partition(".")[0]
    elif isinstance(node, ast.ImportFrom):
        before = "." * node.level + (f"{node.module}." if node.module else "")
        for alias in node.names:
            yield alias.asname or alias.name, before + alias.name


def defaults_of(spec: ast.arguments) -> dict[str, ast.expr]:
    """The defaults of parameters, as they are written."""
    named = [*spec.posonlyargs, *spec.args]
    found = {
        each.arg: default
        for each, default in zip(reversed(named), reversed(spec.defaults), strict=False)
    }
    for each, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if default is not None:
            found[each.arg] = default
    return found


def required_arguments(spec: ast.arguments) -> set[str]:
    """Return the parameters without a default, stars and ``self`` left out."""
    named = {each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
    return named - defaults_of(spec).keys() - {"self"}


def located(
    full: str, module: ProjectModule, hops: int = _HOPS
) -> tuple[ProjectModule, str] | None:
    """The project's module that a full name lies in, and what is left of the name.

    Follows what a package's ``__init__`` imports from elsewhere.
    """
    parts = full.lstrip(".").split(".")
    folder = _folder(module.path, len(full) - len(full.lstrip(".")))
    for cut in range(len(parts), -1, -1):
        path = _file(parts[:cut], folder, module.sources)
        tree = parse_module(module.sources[path]) if path else None
        if path is None or tree is None:
            continue
        found, rest = module_of(path, tree, module.sources), parts[cut:]
        if rest and rest[0] in found.imports and rest[0] not in found.names and hops:
            inner = ".".join([found.imports[rest[0]], *rest[1:]])
            return located(inner, found, hops - 1)
        return found, ".".join(rest)
    return None


def _folder(path: str, dots: int) -> str | None:
    if dots == 0:
        return None
    folder = dirname(path)
    for _ in range(dots - 1):
        folder = dirname(folder)
    return folder


def _file(parts: list[str], folder: str | None, sources: Mapping[str, str]) -> str | None:
    if not parts and folder is None:
        return None
    inside = "/".join(parts)
    folders = [folder] if folder is not None else ["", "src"]
    for base in folders:
        stem = normpath(join(base, inside)) if inside else base
        for path in (f"{stem}.py", f"{stem}/__init__.py".lstrip("/")):
            if path in sources:
                return path
    if folder is None:
        return _only_file_named(inside, tuple(sources))
    return None


@lru_cache(maxsize=4096)
def _only_file_named(inside: str, paths: tuple[str, ...]) -> str | None:
    endings = tuple(f"/{inside}{end}" for end in (".py", "/__init__.py"))
    found = [path for path in paths if path.endswith(endings)]
    return found[0] if len(found) == 1 else None

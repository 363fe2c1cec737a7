"""``setup.py``, read as a syntax tree: literals and names that are bound to literals."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from worker.environments.declarations.tree import Unreadable

MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class SetupArguments:
    """The requirements with their lines, the Python versions, and whether a part is computed."""

    requirements: tuple[tuple[int, str], ...] = ()
    python: str = ""
    unread: bool = False


def setup_arguments(text: str) -> SetupArguments:
    """What a script gives to ``setup()``; raises ``Unreadable``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unreadable("cannot be parsed") from error
    names = dict(_bindings(module))
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _called(node) == "setup":
            return _arguments(node, names)
    return SetupArguments()


def _arguments(call: ast.Call, names: Mapping[str, ast.expr]) -> SetupArguments:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    wanted = given.get("install_requires")
    requirements = [] if wanted is None else list(_texts(wanted, names))
    versions = given.get("python_requires")
    python = [] if versions is None else list(_texts(versions, names))
    return SetupArguments(
        tuple((line, text) for line, text in requirements if text is not None),
        next((text for _, text in python if text), ""),
        any(text is None for _, text in requirements),
    )


def _bindings(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement.value


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _texts(
    value: ast.expr, names: Mapping[str, ast.expr], depth: int = MOST_DEPTH
) -> Iterator[tuple[int, str | None]]:
    """The strings of an expression with their lines; ``None`` for a part that is computed."""
    match value:
        case ast.Constant(value=str(text)):
            for offset, line in enumerate(text.splitlines()):
                if line.strip():
                    yield value.lineno + offset, line.strip()
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts) if depth:
            for part in parts:
                yield from _texts(part, names, depth - 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if depth:
            yield from _texts(left, names, depth - 1)
            yield from _texts(right, names, depth - 1)
        case ast.Starred(value=inner) if depth:
            yield from _texts(inner, names, depth - 1)
        case ast.Name(id=name) if depth and name in names:
            yield from _texts(names[name], names, depth - 1)
        case _:
            yield value.lineno, None

"""Keys that a dictionary literal lacks to which nothing is added."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence

from analyzers.guest.provenance.bindings import FUNCTIONS, ancestors, near, own_nodes
from analyzers.rules.code_error_rules import CODE_ERROR
from analyzers.rules.source_messages import missing_key
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import function_name, is_spared

_READING = frozenset({"get", "items", "keys", "values", "copy"})


@functools.lru_cache(maxsize=64)
def missing_keys(text: str) -> Sequence[Defect]:
    """Return the constant keys that are read of a literal which lacks them."""
    tree = parsed(text)
    if tree is None:
        return ()
    found: list[Defect] = []
    for scope in (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)):
        for name, literal in _literals(scope):
            found += _of_literal(name, literal, scope, tree)
    return tuple(found)


def _literals(scope: ast.AST) -> Iterator[tuple[str, ast.Dict]]:
    """Yield the names that a function binds once, to a dictionary with constant keys."""
    nodes = list(own_nodes(scope))
    stores = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[_, *_]) as literal):
                constant = all(isinstance(key, ast.Constant) for key in literal.keys)
                if constant and stores.count(name) == 1:
                    yield name, literal
            case _:
                pass


def _of_literal(name: str, literal: ast.Dict, scope: ast.AST, tree: ast.Module) -> Iterator[Defect]:
    known = {repr(key.value) for key in literal.keys if isinstance(key, ast.Constant)}
    uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name]
    read: list[tuple[ast.Subscript, str]] = []
    for use in uses:
        outer = next(ancestors(use, tree))
        match outer:
            case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()) if (
                outer.value is use
            ):
                read.append((outer, key))
            case ast.Subscript(ctx=ast.Load()) if outer.value is use:
                pass
            case ast.Attribute(attr=method) if method in _READING:
                pass
            case ast.Compare() | ast.Assign(value=ast.Dict()):
                pass
            case _:
                return
    for node, key in read:
        if repr(key) not in known and not is_spared(node, tree) and not _is_tried(node, tree):
            yield _defect((name, key, literal.lineno), node, known, tree)


def _is_tried(node: ast.AST, tree: ast.Module) -> bool:
    return any(isinstance(each, ast.Try | ast.If | ast.IfExp) for each in ancestors(node, tree))


def _defect(
    place: tuple[str, str, int], node: ast.Subscript, known: set[str], tree: ast.Module
) -> Defect:
    name, key, line = place
    function = function_name(node, tree)
    meant = near(key, [each.strip("'") for each in known])
    kind = f"missing-key:{name}[{key!r}]"
    evidence: Mapping[str, str] = {"exception": "KeyError", "message": repr(key)}
    return Defect(
        CODE_ERROR.id,
        CODE_ERROR.level,
        function,
        node.lineno,
        kind,
        missing_key(name, key, line, meant),
        evidence,
        key=f"{function}: {kind}",
    )

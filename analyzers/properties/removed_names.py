"""Crashes because the change uses a name that the installed version of a library lacks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from analyzers.inference.constraint_sources.module_scope import ModuleScope
from analyzers.inference.facts import parse_module
from analyzers.ports import Executor
from analyzers.rules.property_rules import REMOVED_API, removed_api
from analyzers.source_checks.changed_source import changed_lines
from analyzers.vocabulary import Finding

_LACKS = re.compile(
    r"^module '(?P<module>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
    r"|\(\) got an unexpected keyword argument '(?P<keyword>\w+)'"
)
_REPLACEMENT = re.compile(r"\b[Uu]se `([^`]+)`")
_SINCE = re.compile(r"removed in [^\d]{0,40}(\d+(?:\.\d+)*)")
_GUARD = re.compile(r"hasattr|getattr|version|find_spec", re.IGNORECASE)
_EXPECTED = re.compile(r"\b(Import|ModuleNotFound|Attribute|Type)Error\b|\b(Base)?Exception\b")


def as_removed_name(crash: Finding, bench: Executor) -> Finding:
    """Return a crash as `property/removed-api` where a changed line names what a library lacks.

    Uses that a guard encloses (a question about the version, or a handler of the error)
    stay crashes, and so do misspelt names.
    """
    said = str(crash.evidence["message"])
    found = _LACKS.search(said)
    tree = parse_module(bench.source(crash.path)) if crash.path in bench.paths() else None
    if found is None or tree is None or crash.suggestion is not None:
        return crash
    before = bench.base(crash.path)
    changed = changed_lines(before[1] if before else "", bench.source(crash.path))[1]
    for use, name in _uses(found, tree, crash):
        library = name.partition(".")[0]
        local = any(library in path.removesuffix(".py").split("/") for path in bench.paths())
        if use.lineno in changed and not local and not _is_guarded(tree, use):
            replacement, since = _REPLACEMENT.search(said), _SINCE.search(said)
            instead = replacement[1] if replacement else ""
            title, message = removed_api(name, library, instead)
            return replace(
                crash,
                rule=REMOVED_API.id,
                level=REMOVED_API.level,
                title=title,
                message=f"{crash.message}\n{message}",
                evidence={
                    **crash.evidence,
                    "name": name,
                    "replacement": instead,
                    "since": since[1] if since else "",
                    "lines": [use.lineno],
                },
                input_kind=name,
            )
    return crash


def _uses(
    found: re.Match[str], tree: ast.Module, crash: Finding
) -> Iterator[tuple[ast.expr | ast.keyword, str]]:
    """Yield where the statement that raised spells what is missing, with its dotted name."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        and node.lineno <= crash.line <= (node.end_lineno or node.lineno)
    ]
    scope = ModuleScope(crash.path, tree, {})
    for node in ast.walk(around[-1]) if around else ():
        match node:
            case ast.Attribute(attr=name) if name == found["attribute"]:
                yield node, f"{found['module']}.{name}"
            case ast.Call(func=function, keywords=keywords):
                first = ast.unparse(function).partition(".")[0]
                if scope.binds(first) and scope.definition(first) is None:
                    for keyword in keywords:
                        if keyword.arg and keyword.arg == found["keyword"]:
                            yield keyword, f"{scope.dotted(function)}({keyword.arg})"
            case _:
                pass


def _is_guarded(tree: ast.Module, use: ast.expr | ast.keyword) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test):
                guards = _GUARD.search(ast.unparse(test)) is not None
            case ast.Try(handlers=handlers):
                types = [ast.unparse(each.type) if each.type else "Exception" for each in handlers]
                guards = any(map(_EXPECTED.search, types))
            case _:
                continue
        if guards and node.lineno <= use.lineno <= (node.end_lineno or node.lineno):
            return True
    return False

"""Environment variables that the code requires under a misspelt name.

``os.environ["AZURE_ENDPONIT"]`` raises on every machine that is set up as the project
says, where ``.env.example``, its documents and its other files say ``AZURE_ENDPOINT``.
The name is read in the text; that it is read each time, in a run or in the syntax.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.guest.provenance.bindings import distance, near
from analyzers.ports import Executor
from analyzers.rules.code_error_rules import CODE_ERROR, misspelt_variable
from analyzers.source_checks.parsed_text import parsed
from analyzers.vocabulary import Finding, Suggestion, Target, Written

LEAST_PART = 5
LEAST_REPLACED = 7
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_READ = re.compile(r"(?:environ(?:\.get\(|\[)|getenv\()\s*['\"](\w+)['\"]")
_LEAVES = (ast.Return, ast.Raise)


@dataclass(frozen=True, slots=True)
class _VariableRead:
    """``os.environ["NAME"]`` in a file: the name, its node and the code as it is written."""

    path: str
    name: str
    node: ast.Subscript
    code: str


def misspelt_variables(analyzer: str, target: Target, bench: Executor) -> Iterator[Finding]:
    """Yield the variables that a target insists on under a name which is almost another."""
    described: list[str] | None = None
    for reading in _readings(target, bench):
        described = _described(reading.path, bench) if described is None else described
        meant = _meant(reading, described, bench)
        if meant:
            yield _finding(analyzer, target, reading, meant, bench)


def _readings(target: Target, bench: Executor) -> Iterator[_VariableRead]:
    """Yield what is read whenever the target is loaded, or run."""
    for path in dict.fromkeys((target.path, *target.files)):
        text = bench.source(path) if path in bench.paths() else ""
        tree = parsed(text)
        if tree is None:
            continue
        function = target.function if path == target.path else ""
        always = {id(node) for node in _always(tree, function)}
        for node in ast.walk(tree):
            name = _name(node)
            if name and isinstance(node, ast.Subscript):
                loaded = f"os.environ[{name!r}]" in bench.standins
                if loaded or id(node) in always:
                    yield _VariableRead(path, name, node, ast.get_source_segment(text, node) or "")


def _name(node: ast.AST) -> str:
    """Return the variable that a node insists on, or nothing."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=ast.Name(id="os"), attr="environ") | ast.Name(id="environ"),
            slice=ast.Constant(value=str(name)),
            ctx=ast.Load(),
        ):
            return name
        case _:
            return ""


def _always(tree: ast.Module, function: str) -> Iterator[ast.AST]:
    """Yield the nodes of a function that run whenever it is called."""
    body: list[ast.stmt] = tree.body
    for part in function.split(".") if function else ():
        inner = [n for n in body if getattr(n, "name", "") == part]
        body = getattr(inner[0], "body", []) if inner else []
    for statement in body if function else ():
        if any(isinstance(node, _LEAVES) for node in ast.walk(statement)):
            if isinstance(statement, ast.Return):
                yield from _operands(statement)
            return
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
            yield from _operands(statement)


def _operands(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of an expression that are evaluated whatever the others are."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.BoolOp | ast.IfExp | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


# ------------------------------------------------------------------ spelling


def _described(path: str, bench: Executor) -> list[str]:
    """Return the variables that other files of the project spell: code that reads, documents."""
    found: dict[str, None] = {}
    for other in bench.paths():
        pattern = _READ if other.endswith((".py", ".ipynb")) else _VARIABLE
        if other != path:
            found.update(dict.fromkeys(pattern.findall(bench.source(other))))
    return list(found)


def _meant(reading: _VariableRead, described: list[str], bench: Executor) -> str:
    """Return the one described variable that a slip of the pen made another, or nothing."""
    if reading.name in described:
        return ""
    meant = near(reading.name, described)
    if not meant or distance(reading.name, meant) > 1 or not _is_slip(reading.name, meant):
        return ""
    word = re.compile(rf"\b{re.escape(reading.name)}\b")
    times = sum(len(word.findall(bench.source(path))) for path in bench.paths())
    return meant if times == 1 else ""


def _is_slip(name: str, meant: str) -> bool:
    """Return whether one long part of a name differs as slips do, not as words do."""
    parts = list(zip(name.split("_"), meant.split("_"), strict=False))
    if name.count("_") != meant.count("_") or name.isupper() != meant.isupper():
        return False
    different = [(one, other) for one, other in parts if one != other]
    if len(different) != 1:
        return False
    one, other = different[0]
    if min(len(one), len(other)) < LEAST_PART - 1 or one[0] != other[0]:
        return False
    if one == f"{other}S" or other == f"{one}S":
        return False
    transposed = sorted(one) == sorted(other)
    return transposed or len(one) != len(other) or len(one) >= LEAST_REPLACED


def _finding(
    analyzer: str, target: Target, reading: _VariableRead, meant: str, bench: Executor
) -> Finding:
    path, line = reading.path, reading.node.lineno
    lines = bench.source(path).splitlines()[line - 1 : reading.node.end_lineno]
    where = f"{path}:{line}"
    title, message = misspelt_variable(reading.name, meant, reading.code, where)
    respelled = "\n".join(lines).replace(reading.name, meant)
    return Finding(
        analyzer=analyzer,
        rule=CODE_ERROR.id,
        level=CODE_ERROR.level,
        path=path,
        line=line,
        end_line=reading.node.end_lineno or line,
        symbol=f"{path}::{reading.name}",
        target=target.id,
        title=title,
        message=message,
        evidence={
            "exception": "KeyError",
            "raised_at": where,
            "inputs": 0,
            "message": repr(reading.name),
            "meant": meant,
        },
        probes=(),
        criterion=Written(path, reading.code),
        input_kind="KeyError",
        suggestion=Suggestion(path, line, reading.node.end_lineno or line, respelled),
    )

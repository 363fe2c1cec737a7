"""Errors that the code raises by itself, through no value that we made up (``code/error``)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzers.criteria import crash_of
from analyzers.ports import Executor
from analyzers.rules.code_error_rules import CODE_ERROR, error
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import is_announced
from analyzers.vocabulary import (
    Crashes,
    ErrorOrigin,
    Finding,
    Probe,
    Raised,
    Run,
    Suggestion,
    Target,
)

_NAMES = re.compile(r"^name '(?P<name>\w+)' is not defined|has no attribute '(?P<attribute>\w+)'")
_CHANGES = r"(\.(update|setdefault|append|extend|insert)\(|(\[[^\]\n]*\])+\s*=(?!=))"


@dataclass(frozen=True, slots=True)
class ObservedError:
    """An error as it was seen: a probe with its answers and its run, ``times`` of ``runs`` runs."""

    probe: Probe
    run: Run
    times: int = 1
    runs: int = 1


def is_own_error(run: Run, bench: Executor) -> bool:
    """Return whether a run ended with an error that the code alone raised."""
    ending = run.ending
    if not isinstance(ending, Raised) or crash_of(ending) is None:
        return False
    if ending.origin is ErrorOrigin.UNKNOWN or ending.path not in bench.paths():
        return False
    if _is_announced(ending, bench.source(ending.path)):
        return False
    return not any(_supplied(pattern, bench) for pattern in _supplies(ending, bench))


def _is_announced(ending: Raised, text: str) -> bool:
    """Return whether a decorator names what is undefined, as it supplies it."""
    found = _NAMES.search(ending.message)
    tree = parsed(text) if found is not None and found["name"] else None
    return tree is not None and any(
        isinstance(node, ast.Name) and is_announced(node, tree)
        for node in ast.walk(tree)
        if getattr(node, "lineno", 0) == ending.line
    )


def code_error(analyzer: str, target: Target, seen: ObservedError, bench: Executor) -> Finding:
    """Return the finding of an error that the code alone raised."""
    ending = seen.run.ending
    assert isinstance(ending, Raised)
    text = bench.source(ending.path)
    lines = text.splitlines()
    where = f"{ending.path}:{ending.line}"
    name = target.function.replace(".<locals>", "")
    every = " every time" if seen.times == seen.runs else ""
    meant = {"meant": ending.meant} if ending.meant else {}
    return Finding(
        analyzer=analyzer,
        rule=CODE_ERROR.id,
        level=CODE_ERROR.level,
        path=ending.path,
        line=ending.line,
        end_line=ending.line,
        symbol=f"{ending.path}::{ending.function}",
        target=target.id,
        title=f"`{name}` raises {ending.exception}{every}",
        message=error(
            ending.exception,
            ending.message,
            lines[ending.line - 1].strip() if ending.line <= len(lines) else "",
            where,
            seen.times,
            seen.runs,
            ending.meant,
        ),
        evidence={
            "exception": ending.exception,
            "raised_at": where,
            "inputs": seen.times,
            "runs": seen.runs,
            "message": " ".join(ending.message.split()),
            **meant,
        },
        probes=(seen.probe,),
        criterion=Crashes(ending.exception, ending.path, ending.function),
        input_kind=ending.exception,
        suggestion=respelled(ending, text),
    )


# ------------------------------------------------------------ what is missing


def _supplies(ending: Raised, bench: Executor) -> Iterator[str]:
    """Yield patterns of code that supplies, from elsewhere, what the error says is missing."""
    found = _NAMES.search(ending.message)
    if found is not None and found["name"]:
        module = ending.path.rpartition("/")[2].partition(".")[0]
        yield rf"\b(__builtin__|builtins|{re.escape(module)})\.{found['name']}\s*=(?!=)"
        yield rf"setattr\([^,\n]+,\s*['\"]{found['name']}['\"]"
        yield rf"(globals\(\)|vars\([^)\n]*\)|__dict__)\[['\"]{found['name']}['\"]\]\s*=(?!=)"
    elif found is not None:
        name = found["attribute"]
        yield rf"\.{name}\s*(:[^=\n]+)?=(?!=)|['\"]{name}['\"]\s*(\]\s*=(?!=)|,)"
    if ending.exception in ("KeyError", "IndexError"):
        for node in _nodes(ending, bench.source(ending.path)):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name | ast.Attribute):
                held = node.value
                name = held.id if isinstance(held, ast.Name) else held.attr
                yield rf"\b{name}{_CHANGES}"


def _supplied(pattern: str, bench: Executor) -> bool:
    compiled = re.compile(pattern)
    return any(compiled.search(bench.source(path)) for path in bench.paths())


def _nodes(ending: Raised, text: str) -> Sequence[ast.AST]:
    """Return the syntax nodes that lie on the line of an error."""
    line = ending.line
    return [
        node
        for node in ast.walk(parsed(text) or ast.Module([], []))
        if isinstance(node, ast.expr) and node.lineno == line == node.end_lineno
    ]


# ------------------------------------------------------------------- repairs


def respelled(ending: Raised, text: str) -> Suggestion | None:
    """Return the line with the one near name in the place of the missing one."""
    spans = sorted({span for node in _nodes(ending, text) for span in _spans(node, ending)})
    lines = text.splitlines()
    if not ending.meant or not spans or ending.line > len(lines):
        return None
    line = lines[ending.line - 1].encode()
    for start, end in reversed(spans):
        line = line[:start] + ending.meant.encode() + line[end:]
    return Suggestion(ending.path, ending.line, ending.line, line.decode())


def _spans(node: ast.AST, ending: Raised) -> Iterator[tuple[int, int]]:
    """Yield where, in bytes of its line, a node spells what is missing."""
    found = _NAMES.search(ending.message)
    assert isinstance(node, ast.expr)
    end = node.end_col_offset or 0
    match node:
        case ast.Name(id=name) if found is not None and name == found["name"]:
            yield node.col_offset, end
        case ast.Attribute(attr=name) if found is not None and name == found["attribute"]:
            yield end - len(name.encode()), end
        case ast.Constant(value=str(key)) if repr(key) == ending.message:
            size = len(key.encode())
            if end - node.col_offset == size + 2:
                yield node.col_offset + 1, end - 1
        case _:
            return

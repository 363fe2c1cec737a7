"""Files that ask the same ML API as a target and that no Python takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from analyzers.ports import Executor
from analyzers.rules.code_error_rules import CODE_ERROR, broken_file
from analyzers.source_checks.broken_syntax import BrokenSyntax, broken_syntax
from analyzers.source_checks.readers import BROKEN_SYNTAX
from analyzers.vocabulary import Finding, Target, Written


def broken_files(
    analyzer: str, target: Target, bench: Executor, methods: Collection[str]
) -> Iterator[Finding]:
    """Yield the files of the project that call one of ``methods`` and cannot be imported.

    They have no functions that could be targets, so they are told beside one that asks the same.
    """
    for path in bench.paths():
        text = bench.source(path) if path.endswith(".py") and path != target.path else ""
        if any(f".{method}(" in text for method in methods):
            broken = broken_syntax(text)
            if broken is not None:
                yield _finding(analyzer, target, path, broken)


def _finding(analyzer: str, target: Target, path: str, broken: BrokenSyntax) -> Finding:
    where = f"{path}:{broken.line}"
    title, message = broken_file(path, broken.code, broken.message, where)
    return Finding(
        analyzer=analyzer,
        rule=CODE_ERROR.id,
        level=CODE_ERROR.level,
        path=path,
        line=broken.line,
        end_line=broken.line,
        symbol=f"{path}::<module>",
        target=target.id,
        title=title,
        message=message,
        evidence={
            "raised_at": where,
            "inputs": 0,
            "exception": "SyntaxError",
            "message": broken.message,
        },
        probes=(),
        criterion=Written(path, broken.key, BROKEN_SYNTAX),
        input_kind="SyntaxError",
    )

"""Error fields of answers that are not read where the program reads them elsewhere.

Some APIs say in a field of an ordinary answer that they failed.  Code that
does not look there takes a failure for an empty answer.  Many programs are
content with that; one that looks in one place and forgets it in another is
not, so only those are reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from analyzers import catalogue
from analyzers.catalogue.canonical_answers import has_status
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.messages import unread_error
from analyzers.cloud.misuses.misuse import MisuseContext
from analyzers.criteria import is_shown
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import Alike, Exchange, Finding, JsonObject, Level, Probe, Returned

KIND = "unread-error"
FAILED: JsonObject = {"error": {"code": 3, "message": "Bad image data."}}

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def unread_errors(case: MisuseContext, template: Probe) -> Iterator[Finding]:
    """Yield the finding of a failure that is taken for an empty answer."""
    apis = catalogue.load_catalogue().apis
    asked = [apis[name] for name in case.target.apis if name in apis]
    if len(asked) != 1 or not has_status(asked[0]):
        return
    reader = _reader_elsewhere(case)
    if reader is None:
        return
    answers: tuple[JsonObject, JsonObject] = ({}, FAILED)
    probes = [template.answered((Exchange(asked[0].name, "", answer),)) for answer in answers]
    runs = case.bench.run(probes)
    if isinstance(runs[0].ending, Returned) and is_shown(Alike(), runs):
        yield _finding(case, asked[0].name, reader, tuple(probes), runs[0].ending.value)


def _reader_elsewhere(case: MisuseContext) -> str | None:
    """Return another function of the file that reads the field, if the target uses none."""
    tree = ast.parse(case.bench.source(case.target.path))
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, _Function)}
    readers = [name for name, node in functions.items() if _reads_status(node)]
    used = _used(functions, case.target.function.rpartition(".")[2])
    paths = {*case.target.files, *(call.path for call in case.target.calls)}
    others = [ast.parse(case.bench.source(path)) for path in sorted(paths - {case.target.path})]
    if any(name in used for name in readers) or any(map(_reads_status, others)):
        return None
    return next(iter(readers), None)


def _used(functions: Mapping[str, _Function], start: str) -> frozenset[str]:
    """Return the functions of a file that one of them names, itself or through others."""
    known, waiting = set[str](), [start]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in known:
            known.add(name)
            waiting += [
                node.id if isinstance(node, ast.Name) else node.attr
                for node in ast.walk(functions[name])
                if isinstance(node, ast.Name | ast.Attribute)
            ]
    return frozenset(known)


def _reads_status(node: ast.AST) -> bool:
    """Return whether code reads ``….error.message``, ``….error.code`` or ``["error"]``."""
    return any(
        (
            isinstance(inner, ast.Attribute)
            and isinstance(inner.value, ast.Attribute)
            and (inner.value.attr, inner.attr) in (("error", "message"), ("error", "code"))
        )
        or (isinstance(inner, ast.Constant) and inner.value == "error")
        or (isinstance(inner, ast.If) and _is_error(inner.test))
        for inner in ast.walk(node)
    )


def _is_error(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Attribute) and inner.attr == "error" for inner in ast.walk(node)
    )


def _finding(
    case: MisuseContext, api: str, reader: str, probes: tuple[Probe, ...], value: str
) -> Finding:
    target = case.target
    call = next(each for each in target.calls if each.api == api)
    shown = value if len(value) <= 80 else f"{value[:79]}…"
    title, message = unread_error(api, reader, shown)
    return Finding(
        analyzer=NAME,
        rule=MISUSE.id,
        level=Level.NOTICE,
        path=call.path,
        line=call.line,
        end_line=call.line,
        symbol=f"{call.path}::{call.function}",
        target=target.id,
        title=title,
        message=message,
        evidence={
            "misuse": KIND,
            "api": api,
            "line": call.line,
            "reader": reader,
            "returned": shown,
        },
        probes=probes,
        criterion=Alike(),
        input_kind=f"{KIND}:{api}",
    )

"""Environment variables that the code sets for an SDK, under a name that no SDK reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from analyzers import catalogue
from analyzers.cloud import messages
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import SourceText, parsed_source
from analyzers.guest.provenance.bindings import near
from analyzers.rules.cloud_rules import MISUSE
from analyzers.vocabulary import Finding

KIND = "unread-variable"


def unread_variables(source: TargetText) -> Iterator[Finding]:
    """Yield the variables that a target's files set under a misspelt name."""
    known = catalogue.load_catalogue().variables
    bench = source.bench
    for path in dict.fromkeys((source.target.path, *source.target.files)):
        try:
            text = parsed_source(bench.source(path)) if path in bench.paths() else None
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(text.tree) if text is not None else ():
            name = _set(node)
            meant = near(name, known) if name and name not in known else ""
            if text is not None and meant and not _is_read(name, source):
                yield _finding(source, path, text, node, (name, meant))


def _set(node: ast.AST) -> str:
    """Return the variable that a node sets, or nothing."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(name)), ctx=ast.Store()):
            return name if ast.unparse(owner) in ("os.environ", "environ") else ""
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            setting = ("os.environ.setdefault", "environ.setdefault", "os.putenv")
            return name if ast.unparse(function) in setting else ""
        case _:
            return ""


def _is_read(name: str, source: TargetText) -> bool:
    """Return whether the project names the variable anywhere but where it is set."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    setting = re.compile(
        rf"(environ\[|setdefault\(|putenv\()\s*['\"]{re.escape(name)}['\"]\s*[\],]"
    )
    texts = [source.bench.source(path) for path in source.bench.paths()]
    return sum(len(word.findall(t)) for t in texts) > sum(len(setting.findall(t)) for t in texts)


def _finding(
    source: TargetText, path: str, text: SourceText, node: ast.AST, names: tuple[str, str]
) -> Finding:
    name, meant = names
    line = text.line_of(text.span(node)[0])
    return source.finding(
        MISUSE,
        path,
        text,
        node,
        messages.unread_variable(name, meant, f"{path}:{line}"),
        {"misuse": KIND, "api": source.target.apis[0], "line": line, "variable": name,
         "closest": meant},
        f"{KIND}:{name}",
    )  # fmt: skip

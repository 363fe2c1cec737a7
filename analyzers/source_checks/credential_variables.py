"""Environment variables that the code sets for an SDK, under a name that no SDK reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence

from analyzers.guest.provenance.bindings import near
from analyzers.rules.cloud_rules import MISUSE
from analyzers.rules.source_messages import unread_variable
from analyzers.source_checks.defects import Defect
from analyzers.source_checks.parsed_text import parsed
from analyzers.source_checks.unbound_names import function_name
from analyzers.vocabulary import Level

KIND = "unread-variable"


def unread_variables(text: str, known: Collection[str], project: Iterable[str]) -> Sequence[Defect]:
    """Return the variables that a file sets under a misspelt name, read in no text of its project.

    ``known`` are those that SDKs read.  The key of a defect is its code.
    """
    tree = parsed(text) if "environ" in text or "putenv" in text else None
    found: list[Defect] = []
    for node in ast.walk(tree) if tree is not None else ():
        name = _set(node)
        meant = near(name, known) if name and name not in known else ""
        if tree is None or not meant or _is_read(name, project):
            continue
        code = ast.get_source_segment(text, node) or name
        line = getattr(node, "lineno", 1)
        evidence = {"misuse": KIND, "api": "", "line": line, "variable": name, "closest": meant}
        found.append(
            Defect(
                MISUSE.id,
                Level.WARNING,
                function_name(node, tree),
                line,
                f"{KIND}:{name}",
                unread_variable(name, meant, f"line {line}"),
                evidence,
                key=code,
            )
        )
    return found


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


def _is_read(name: str, project: Iterable[str]) -> bool:
    """Return whether the project names the variable anywhere but where it is set."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    quoted = rf"\s*['\"]{re.escape(name)}['\"]\s*"
    setting = re.compile(rf"environ\[{quoted}\]\s*=(?!=)|(?:setdefault|putenv)\({quoted},")
    return any(len(word.findall(t)) > len(setting.findall(t)) for t in project if name in t)

"""The project's texts in which calls may stand: code, tests, documents, notebooks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from posixpath import basename

from analyzers.guest.runtime.notebook_source import code_of

from ..facts import ConstraintSource, FunctionContext
from ..shape_interpreter.project_modules import parse_text

_FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*\{?\.?(\w*)")
_DIRECTIVE = re.compile(r"^(\s*)(\.\. (code-block|code|sourcecode)::\s*(\w*)|.*[^:]::)\s*$")
_PYTHON = ("", "python", "py", "python3", "pycon", "ipython")
_LONGEST = 400_000


@dataclass(frozen=True, slots=True)
class PythonText:
    """One text as Python, on the lines on which it stands."""

    path: str
    tree: ast.Module
    source: ConstraintSource


def python_texts(subject: FunctionContext, word: str) -> Iterator[PythonText]:
    """The texts that mention a word."""
    for path, text in subject.sources.items():
        if word in text and len(text) < _LONGEST:
            tree = _tree(path, text)
            if tree is not None:
                yield PythonText(path, tree, source_kind(path))


def source_kind(path: str) -> ConstraintSource:
    """What kind of text a path is."""
    if path.endswith((".md", ".rst", ".ipynb")):
        return ConstraintSource.DOCUMENT
    name = basename(path)
    is_test = name.startswith("test_") or name.endswith("_test.py") or "tests/" in f"/{path}"
    return ConstraintSource.TEST if is_test else ConstraintSource.CALL


@lru_cache(maxsize=256)
def _tree(path: str, text: str) -> ast.Module | None:
    if path.endswith(".py"):
        return parse_text(text)
    if path.endswith(".ipynb"):
        try:
            return parse_text(code_of(text))
        except (ValueError, AttributeError, TypeError, IndexError, KeyError):
            return None
    if path.endswith((".md", ".rst")):
        return parse_text(code_in(text))
    return None


def code_in(text: str) -> str:
    """The Python in a document, line by line where it stands; blocks that are none are left out."""
    lines = text.split("\n")
    found = [""] * len(lines)
    for start, end in _blocks(lines):
        block = _dedented(lines[start:end])
        if parse_text("\n".join(block)) is not None:
            found[start:end] = block
    return "\n".join(found)


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(lines):
        fence, directive = _FENCE.match(lines[at]), _DIRECTIVE.match(lines[at])
        end = at + 1
        if fence:
            while end < len(lines) and not lines[end].strip().startswith(fence[2]):
                end += 1
            if fence[3].lower() in _PYTHON:
                yield at + 1, end
            end += 1
        elif directive or lines[at].lstrip().startswith(">>> "):
            indent = len(lines[at]) - len(lines[at].lstrip())
            begin = at + 1 if directive else at
            end = begin
            while end < len(lines) and _inside(lines[end], indent, doctest=not directive):
                end += 1
            yield begin, end
            end = max(end, at + 1)
        at = end


def _inside(line: str, indent: int, *, doctest: bool) -> bool:
    if doctest:
        return bool(line.strip())
    return not line.strip() or len(line) - len(line.lstrip()) > indent


def _dedented(lines: list[str]) -> list[str]:
    """A block without its indentation; of a session, what was typed."""
    depths = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    plain = [line[min(depths, default=0) :] for line in lines]
    plain = [
        "" if line.strip().startswith(":") and line.strip().endswith(":") else line
        for line in plain
    ]
    if not any(line.startswith(">>> ") for line in plain):
        return plain
    return [line[4:] if line.startswith((">>> ", "... ")) else "" for line in plain]

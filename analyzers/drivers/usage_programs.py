"""Programs by which a project says how it is used: documents, docstrings and tests.

Each is made to run here by itself: sessions become statements, devices become the CPU, and
names that stand for the usual imports, or for the project's own definitions, are imported.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from posixpath import basename

from analyzers.drivers.tests_as_programs import Tables, test_programs
from analyzers.guest.inputs.documented_examples import code_blocks, dedented
from analyzers.guest.runtime.notebook_source import code_of
from analyzers.inference.facts import parse_module
from analyzers.vocabulary.test_files import is_test_file

LONGEST = 400_000
MOST_CONTEXT = 4
DOCUMENTS = (".md", ".rst", ".txt")
_USUAL = {
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "np": "import numpy as np",
    "numpy": "import numpy",
    "math": "import math",
    "random": "import random",
    "pd": "import pandas as pd",
    "tf": "import tensorflow as tf",
    "keras": "import keras",
    "jnp": "import jax.numpy as jnp",
    "jax": "import jax",
    "einops": "import einops",
    "rearrange": "from einops import rearrange",
}
_CUDA = (
    (re.compile(r"\.cuda\(\s*\d*\s*\)"), ""),
    (re.compile(r"(['\"])cuda(:\d)?\1"), "'cpu'"),
)
_EXAMPLES = re.compile(r"(^|/)(examples?|demos?|tutorials?|samples?)/")
_SHOWN = re.compile(r">>> |```|__main__")
_TOP_LEVEL = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
_ELLIPSIS = re.compile(r"^(\s*)\.\.\.\s*$", re.MULTILINE)
_SHELL = re.compile(r"^\s*[$%!].*$", re.MULTILINE)


class Kind(IntEnum):
    """The place of a driver in the project; what people read comes first."""

    DOCUMENT = 0
    DOCSTRING = 1
    TEST = 2
    EXAMPLE = 3


@dataclass(frozen=True, slots=True)
class Driver:
    """A program that uses the project; ``place`` is ``path:line``.

    The first ``fixed`` statements (imports, helpers of a file of tests) are never varied;
    ``says`` is what differs from the project's own program, in words; ``guessed``: nothing
    says that the project takes what it does besides; ``uses`` is the source of what it takes
    from a table of cases.
    """

    place: str
    kind: Kind
    source: str
    fixed: int = 0
    says: str = ""
    guessed: bool = False
    uses: str = ""

    @property
    def words(self) -> set[str]:
        """The words of the program, and of the case that it takes from a table.

        Names that are imported alone, which every test of a file may be, and comments are none.
        """
        used = _IMPORTED_NAMES.sub("", _COMMENTS.sub("", self.source))
        return set(re.findall(r"\w+", f"{used}\n{self.uses}"))


_COMMENTS = re.compile(r"(?m)(?:^|\s)#[^\n]*$")
_IMPORTED_NAMES = re.compile(r"\bimport\b(?:[ \t]*\([^)]*\)|[^\n]*)")


def holds_programs(path: str, text: str) -> bool:
    """Return whether a text may hold programs: a document, a test, an example, a docstring's."""
    if path.lower().endswith(DOCUMENTS):
        return not basename(path).lower().startswith("licen")
    if not path.endswith(".py"):
        return path.endswith(".ipynb")
    return is_test_file(path) or bool(_EXAMPLES.search(path) or _SHOWN.search(text))


def drivers_of(
    texts: Mapping[str, str],
    names: ProjectNames,
    words: Collection[str],
    listed: Tables | None = None,
    paths: Iterable[str] | None = None,
) -> Iterator[Driver]:
    """Yield the drivers in the texts of a project that have one of some words, by path.

    ``listed`` are the tables (:func:`.tests_as_programs.tables`) that have one; of ``texts``
    only ``paths`` are read, in their order.
    """
    words = {*words, *(listed or ())}
    wanted = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(words)))})\b")
    for path in texts if paths is None else paths:
        text = texts[path]
        if len(text) > LONGEST or not holds_programs(path, text) or wanted.search(text) is None:
            continue
        if path.endswith(".py") and is_test_file(path):
            for each in test_programs(path, texts, listed or {}, words):
                place, source = f"{each.path}:{each.line}", on_cpu(each.source)
                yield Driver(place, Kind.TEST, source, each.fixed, uses=each.uses)
        elif path.endswith(".ipynb"):
            yield from _notebook_drivers(path, text, names)
        elif path.endswith(".py"):
            yield from _docstring_drivers(path, text, names)
            yield from _example_drivers(path, text, names)
        else:
            yield from _document_drivers(path, text, names)


def _document_drivers(path: str, text: str, names: ProjectNames) -> Iterator[Driver]:
    """Yield each block of a document, after those before it whose names it uses."""
    lines = text.split("\n")
    before: list[str] = []
    for start, end in code_blocks(lines):
        own = _program("\n".join(dedented(lines[start:end])))
        if own is None:
            continue
        needed = _with_context(own, before)
        before.append(own)
        source = names.imported(needed)
        yield Driver(f"{path}:{start + 1}", Kind.DOCUMENT, source)


def _with_context(own: str, before: Sequence[str]) -> str:
    """Return a block after the nearest block before it that binds what it lacks."""
    source = own
    for earlier in reversed(before[-MOST_CONTEXT:]):
        missing = unbound_names(source) - _USUAL.keys()
        if missing & _bound_names(earlier):
            source = f"{earlier}\n{source}"
    return source


def _docstring_drivers(path: str, text: str, names: ProjectNames) -> Iterator[Driver]:
    tree = parse_module(text) if ">>> " in text or "```" in text else None
    lines = text.split("\n")
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) or not node.body:
            continue
        first = node.body[0]
        said = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        if not said or not isinstance(ast.get_docstring(node), str):
            continue
        block = lines[first.lineno - 1 : first.end_lineno]
        typed = [each for each in block if each.lstrip().startswith((">>> ", "... "))]
        fenced = ["\n".join(dedented(block[a:b])) for a, b in code_blocks(block) if not typed]
        for whole in ["\n".join(each.lstrip()[4:] for each in typed)] if typed else fenced:
            own = _program(whole)
            if own is not None:
                source = names.imported(own, prefer=path)
                yield Driver(f"{path}:{first.lineno}", Kind.DOCSTRING, source)


def _notebook_drivers(path: str, text: str, names: ProjectNames) -> Iterator[Driver]:
    """Yield a notebook as one program: its cells of code, without what only a notebook knows."""
    try:
        cells = code_of(text)
    except ValueError:
        return
    own = _program(cells)
    if own is not None:
        yield Driver(f"{path}:1", Kind.EXAMPLE, names.imported(own))


def _example_drivers(path: str, text: str, names: ProjectNames) -> Iterator[Driver]:
    """Yield what a file does when it is started, and a file of examples as it stands."""
    tree = parse_module(text) or ast.Module([], [])
    for node in tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            body = "\n".join(map(ast.unparse, node.body))
            imports = [e for e in tree.body if isinstance(e, ast.Import | ast.ImportFrom)]
            absolute = (ast.unparse(_absolute(each, path)) for each in imports)
            own = _program("\n".join([*absolute, body]))
            if own is not None:
                source = names.imported(own, prefer=path)
                yield Driver(f"{path}:{node.lineno}", Kind.EXAMPLE, source)
            return
    if _EXAMPLES.search(path) and (own := _program(text)) is not None:
        yield Driver(f"{path}:1", Kind.EXAMPLE, own)


def _absolute(node: ast.Import | ast.ImportFrom, path: str) -> ast.Import | ast.ImportFrom:
    """Return an import of a file as one that works outside its package."""
    if isinstance(node, ast.Import) or not node.level:
        return node
    inside = module_of(path).split(".")
    package = inside if basename(path) == "__init__.py" else inside[:-1]
    parts = package[: len(package) - node.level + 1]
    return ast.ImportFrom(".".join([*parts, *filter(None, [node.module])]), node.names, 0)


def _program(block: str) -> str | None:
    """Return a block as a program for this machine; ``None`` where it is none."""
    source = on_cpu(block)
    for each in (source, _ELLIPSIS.sub(r"\1pass", source), _SHELL.sub("", source)):
        tree = parse_module(each)
        if tree is not None:
            return None if all(map(_is_nothing, tree.body)) else each.strip("\n")
    return None


def _is_nothing(node: ast.stmt) -> bool:
    said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return said or isinstance(node, ast.Pass)


def on_cpu(source: str) -> str:
    """Return a program that asks for no GPU."""
    for pattern, instead in _CUDA:
        source = pattern.sub(instead, source)
    return source


def unbound_names(source: str) -> set[str]:
    """Return the names that a program reads and nothing in it binds."""
    tree = parse_module(source)
    read = {
        node.id
        for node in ast.walk(tree or ast.Module([], []))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return read - _bound_names(source) - set(dir(builtins))


def _bound_names(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(parse_module(source) or ast.Module([], [])):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(each.asname or each.name).split(".")[0] for each in node.names}
    return found


class ProjectNames:
    """The public definitions of a project's own modules, by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._modules: dict[str, list[str]] = {}
        for path, text in texts.items():
            if not path.endswith(".py") or is_test_file(path) or len(text) > LONGEST:
                continue
            for name in dict.fromkeys(_TOP_LEVEL.findall(text)):
                self._modules.setdefault(name, []).append(path)

    def is_shared(self, name: str) -> bool:
        """Return whether several files define a name."""
        return len(self._modules.get(name, ())) > 1

    def imported(self, source: str, prefer: str = "") -> str:
        """Return a program with imports of what it names; of several, that of ``prefer``."""
        lines: list[str] = []
        for name in sorted(unbound_names(source)):
            paths = self._modules.get(name, [])
            if prefer in paths or len(paths) == 1:
                path = prefer if prefer in paths else paths[0]
                lines.append(f"from {module_of(path)} import {name}")
            elif name in _USUAL:
                lines.append(_USUAL[name])
        return "\n".join([*lines, source])


def module_of(path: str) -> str:
    """Return the dotted name by which a file of a project is imported."""
    plain = path.removesuffix(".py").removeprefix("src/")
    return plain.replace("/", ".").removesuffix(".__init__")

"""Finds the files, variables and services that a failing expression takes its values from.

What the sandbox lacks or made up there is ours: code that trips over it, perhaps long
after it was read, or over what a handler put in its place, shows nothing about itself.
What an ML API answered is not of the outside, whatever the API was asked about.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Dict, FrozenSet, Iterator, List, Sequence, Set, Tuple

from .bindings import FUNCTIONS, bindings

_CALLS = re.compile(
    r"^(?:io\.)?open$|^(?:os\.)?getenv$|^os\.(?:environ\.\w+|listdir|scandir|popen|walk)$"
    r"|^(?:glob\.)?i?glob$|\.(?:read_text|read_bytes|iterdir|rglob)$|^(?:getpass|socket|sqlite3)\.\w+$"
    r"|^(?:requests|httpx|urllib3|session)\.\w+$|^(?:urllib\.)?(?:request\.)?urlopen$"
    r"|^subprocess\.\w+$|^(?:st|streamlit)\.(?!session_state)\w+$|^st\.secrets\.\w+$"
)
_VALUES = re.compile(r"^(?:os\.)?environ$|^(?:st|streamlit)\.secrets$")

Asked = FrozenSet[Tuple[Any, ...]]


def takes_outside(
    nodes: Sequence[ast.AST], scope: ast.AST, path: str, asked: Asked, inputs: FrozenSet[str]
) -> bool:
    """Return whether expressions of a scope take values from outside.

    ``asked`` are the places that asked an ML API; ``inputs`` is how the code spells the
    input of the run, and where its file lies.
    """
    known = bindings(scope) if isinstance(scope, (*FUNCTIONS, ast.Module)) else {}
    return any(_is_outside(node, inputs) for node in _reached(nodes, known, path, asked))


def _reached(
    nodes: Sequence[ast.AST], known: Dict[str, List[Any]], path: str, asked: Asked
) -> Iterator[ast.AST]:
    """Yield what expressions are made of, but for what an ML API was asked."""
    seen: Set[str] = set()
    waiting: List[ast.AST] = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) or _is_question(node, path, asked):
            continue
        yield node
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += [each.value for each in known.get(node.id, ()) if each.value is not None]


def _is_question(node: ast.AST, path: str, asked: Asked) -> bool:
    if not isinstance(node, (ast.Call, ast.Await)):
        return False
    exact = (path, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return exact in asked or any((path, line) in asked for line in lines)


def _is_outside(node: ast.AST, inputs: FrozenSet[str]) -> bool:
    if isinstance(node, ast.Call):
        given = {ast.unparse(each) for each in (node, *node.args)}
        return _CALLS.search(ast.unparse(node.func)) is not None and not given & inputs
    return isinstance(node, (ast.Name, ast.Attribute)) and bool(_VALUES.search(ast.unparse(node)))

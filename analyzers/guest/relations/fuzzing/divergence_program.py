"""Three lines that show a divergence: the import, the call, and the related call."""

from __future__ import annotations

import ast
from typing import Any, Mapping, Optional

from ...inputs.recipes import BadRecipe
from ..library_calls import call_text, live_call, parse_call
from ..relation_types import Library, LibraryApi

_SPECIAL = {"nan": 'float("nan")', "inf": 'float("inf")'}


def reproducer(row: Mapping[str, Any], library: Library) -> str:
    """A program of three lines for a ``divergence`` row.

    Where what is related is a call over the parameters of the API, it is bound
    to the values of this call; else it is said in a comment.
    """
    lines = [f"import {library.name}", f"print({python_source(row['call'])})  # {row['outcome']}"]
    related = _related(row, library)
    if related is None:
        lines.append(f"# {row['relation']}: {row['related']}: {row['expected']}")
    else:
        lines.append(f"print({python_source(related)})  # {row['expected']}")
    return "\n".join(lines) + "\n"


def python_source(call: str) -> str:
    """The text of a call as Python runs it: recipes have names for NaN and infinity."""
    return ast.unparse(_SpecialNumbers().visit(ast.parse(call, mode="eval")))


class _SpecialNumbers(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in _SPECIAL:
            return node
        return ast.parse(_SPECIAL[node.id], mode="eval").body


def _related(row: Mapping[str, Any], library: Library) -> Optional[str]:
    """The related call with this call's values, where it is one of the library's APIs."""
    from ..synthesis.call_templates import apply_template

    source = _api(row["api"], library)
    if source is None:
        return None
    try:
        live = live_call(parse_call(row["call"], library), library)
        return call_text(apply_template(row["related"], source, live, library), library).source()
    except (BadRecipe, LookupError):
        return None


def _api(name: str, library: Library) -> Optional[LibraryApi]:
    return next((api for api in library.apis() if api.name == name), None)

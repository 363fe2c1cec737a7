"""Three lines that show a divergence: the import, the call, and the related call."""

from __future__ import annotations

import ast
from typing import Any, Mapping, Optional

from ...generation.recipes import BadRecipe
from ..calls import called, made, read
from ..libraries.library import Library
from ..nouns import Api

_SPECIAL = {"nan": 'float("nan")', "inf": 'float("inf")'}


def reproducer(row: Mapping[str, Any], library: Library) -> str:
    """A program of three lines for a ``divergence`` row.

    Where what is related is a call over the parameters of the API, it is bound
    to the values of this call; else it is said in a comment.
    """
    lines = [f"import {library.name}", f"print({spoken(row['call'])})  # {row['outcome']}"]
    related = _related(row, library)
    if related is None:
        lines.append(f"# {row['relation']}: {row['related']}: {row['expected']}")
    else:
        lines.append(f"print({spoken(related)})  # {row['expected']}")
    return "\n".join(lines) + "\n"


def spoken(call: str) -> str:
    """The text of a call as Python runs it: recipes have names for NaN and infinity."""
    return ast.unparse(_Spoken().visit(ast.parse(call, mode="eval")))


class _Spoken(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in _SPECIAL:
            return node
        return ast.parse(_SPECIAL[node.id], mode="eval").body


def _related(row: Mapping[str, Any], library: Library) -> Optional[str]:
    """The related call with this call's values, where it is one of the library's APIs."""
    from ..synthesis.templates import applied

    source = _api(row["api"], library)
    if source is None:
        return None
    try:
        live = made(read(row["call"], library), library)
        return called(applied(row["related"], source, live, library), library).source()
    except (BadRecipe, LookupError):
        return None


def _api(name: str, library: Library) -> Optional[Api]:
    return next((api for api in library.apis() if api.name == name), None)

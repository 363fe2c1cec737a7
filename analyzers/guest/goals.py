"""The one place that counts decisions, on the host and in the guest alike.

Standard library only.  A decision's ordinal counts the decisions of its
function in source order; the ids of its points are those of
``docs/guest-protocol.md``.
"""

from __future__ import annotations

import ast
from typing import List, Tuple

from .conditions import Clause, Decision
from .recording import Recorder
from .rewriting import Rewriter

RECORD = "__assayer_record__"


def decisions(source: str) -> List[Decision]:
    """List every decision of a source text.

    Raises ``SyntaxError`` (or ``ValueError`` for null bytes) where this
    Python cannot parse it.
    """
    return _rewritten(source, "", RECORD, 0)[0].decisions


def instrument(
    source: str, path: str, record: str = RECORD, first: int = 0
) -> Tuple[ast.Module, List[str]]:
    """Rewrite a module with every decision recorded, and the ids of its points.

    The name ``record`` must be bound to a :class:`Recorder` when the module
    runs; its ``hits`` then hold point numbers, ``first`` being the number of
    the first id.  Lines stay as they are.  Raises as :func:`decisions`.
    """
    rewriter, module = _rewritten(source, path, record, first)
    return module, rewriter.points


def _rewritten(source: str, path: str, record: str, first: int) -> Tuple[Rewriter, ast.Module]:
    source = source.lstrip("\ufeff")
    rewriter = Rewriter(source, path, record, first)
    module = rewriter.visit(ast.parse(source))
    return rewriter, ast.fix_missing_locations(module)


__all__ = ["RECORD", "Clause", "Decision", "Recorder", "decisions", "instrument"]

"""The postcondition ``agrees`` as what a test by itself can compare, with torch alone."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from analyzers.guest.generation.recipes import BadRecipe, names, parse
from analyzers.relations.agreements import TESTABLE, agreement, is_function
from analyzers.relations.library_names import harmless_template
from worker.report.promises import Unspoken

_TEMPLATES = ("value", "reference")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a library call is compared with.

    ``template`` is a call over the parameters ``names`` where the relation is
    one of those; ``exact``: dtypes have to agree, too.
    """

    api: str
    relation: str
    template: str = ""
    names: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether a result's dtype is compared."""
        return self.relation != "float64"

    @property
    def imports(self) -> tuple[str, ...]:
        """The import lines that comparing needs."""
        lines = ["import torch", "from torch.overrides import TorchFunctionMode"]
        if self.relation == "decomposition":
            lines.insert(1, "from torch._decomp import decomposition_table")
            lines.append("from torch.utils._python_dispatch import TorchDispatchMode")
        return tuple(lines)


def comparison(condition: str) -> Comparison | None:
    """What an ``agrees(…)`` compares, ``None`` of another condition; raises ``Unspoken``.

    Only calls of torch's functions can be watched: a layer is none.
    """
    said = agreement(condition)
    if said is None:
        return None
    api, relation, related = said
    if relation not in TESTABLE:
        raise Unspoken(f"what {relation} says cannot be asked")
    if not is_function(api):
        raise Unspoken(f"{api} is no function of torch")
    if relation not in _TEMPLATES:
        return Comparison(api, relation)
    return Comparison(api, relation, *_template(related))


def _template(text: str) -> tuple[str, tuple[str, ...]]:
    """The text of a call of torch's over parameters, and these; raises ``Unspoken``."""
    try:
        used, tree = names(parse(text)), ast.parse(text, mode="eval")
    except (BadRecipe, SyntaxError, ValueError, RecursionError) as error:
        raise Unspoken(str(error)) from error
    parameters = tuple(sorted(name for name in used if "." not in name))
    others = [name for name in used if "." in name and not name.startswith("torch.")]
    if others or not isinstance(tree.body, ast.Call) or not harmless_template(text):
        raise Unspoken(f"{text} is no call that only computes")
    if not parameters:
        raise Unspoken(f"{text} is no call of torch's")
    return ast.unparse(tree), parameters

"""A change that keeps a library call from going wrong: its equivalent, or else a guard.

Both are tried before they are shown, with the failing input and with all others.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from analyzers.relations.findings import Shown
from analyzers.relations.guards import guard_of
from analyzers.relations.sites import Site, preceded, replaced, site_of
from analyzers.vocabulary import Suggestion

_ATOMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


def suggested(shown: Shown, text: str, parameters: Sequence[str]) -> Suggestion | None:
    """A change of the file of the call; ``parameters`` are the API's, in order, if known."""
    site = site_of(shown.reached.at, text)
    if site is None or not site.is_plain:
        return None
    return _equivalent(shown, site, parameters) or _guarded(shown, site)


def _guarded(shown: Shown, site: Site) -> Suggestion | None:
    call = shown.reached.at.source or shown.reached.divergence.call
    guard = guard_of(site, call)
    if guard is None:
        return None
    wrong = "takes the process down" if shown.rule == "crash" else "goes wrong"
    return preceded(site, guard.condition, f"{guard.says}, with which {site.api} {wrong}")


def _equivalent(shown: Shown, site: Site, parameters: Sequence[str]) -> Suggestion | None:
    """The related call, where it is the library's own public one and survives."""
    divergence = shown.reached.divergence
    given = bound(site, parameters)
    if shown.rule != "crash" or divergence.relation != "value" or given is None:
        return None
    expression = written(divergence.related, given, site)
    return None if expression is None else replaced(site, expression)


def bound(site: Site, parameters: Sequence[str]) -> dict[str, ast.expr] | None:
    """The arguments at a site by the API's parameters; ``None`` where they do not fit."""
    positional = site.positional
    if len(positional) > len(parameters):
        return None
    given = dict(zip(parameters, positional, strict=False))
    if given.keys() & site.keywords.keys() or not site.keywords.keys() <= set(parameters):
        return None
    return given | site.keywords


def written(template: str, given: Mapping[str, ast.expr], site: Site) -> str | None:
    """A template with the arguments' own texts; ``None`` where it needs others or leaves some."""
    filling = _Filling(given, site)
    try:
        body = filling.visit(ast.parse(template, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if filling.failed or filling.used != set(given) or not isinstance(body, ast.Call):
        return None
    text: str = ast.unparse(body)
    for mark, argument in filling.texts.items():
        text = text.replace(mark, argument)
    return text


class _Filling(ast.NodeTransformer):
    """Puts marks where arguments go, and library names as the file can say them."""

    def __init__(self, given: Mapping[str, ast.expr], site: Site) -> None:
        self._given = given
        self._site = site
        self.used: set[str] = set()
        self.texts: dict[str, str] = {}
        self.failed = False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A parameter."""
        if node.id not in self._given:
            self.failed = True
            return node
        self.used.add(node.id)
        mark = f"_assayer_{len(self.texts)}_"
        self.texts[mark] = self._argument(self._given[node.id])
        return ast.Name(mark, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A name of the library, public all the way."""
        name = ast.unparse(node)
        private = any(part.startswith("_") for part in name.split("."))
        spelled = None if private or ".Tensor." in name else self._site.spelled(name)
        if spelled is None:
            self.failed = True
            return node
        return ast.Name(spelled, ast.Load())

    def _argument(self, node: ast.expr) -> str:
        text = self._site.segment(node)
        return text if isinstance(node, _ATOMS) else f"({text})"

"""Three lines of Python that show a divergence, for a person to run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from analyzers.guest.inputs import makers
from analyzers.relations.table_rows import InvalidRowError, bare, expression
from analyzers.vocabulary.library_relations import Divergence
from worker.report.reproducer_calls import printable

LONGEST_COMMENT = 160
_NUMBERS = frozenset({"inf", "nan"})
"""The numbers that a recipe writes as names."""
_NOT_IMPORTED = "_C"
"""A part of torch whose insides are no modules."""


def reproducer(divergence: Divergence, parameters: Sequence[str] = ()) -> tuple[str, str, str]:
    """Return imports, the call with what came of it, and what it should agree with."""
    related = _related(divergence, parameters)
    should = _short(divergence.expected)
    if related is None:
        last = "# " + ": ".join(dict.fromkeys([_short(divergence.related), should]))
    else:
        last = f"print({related})  # {should}"
    imports = "; ".join(_imports(divergence.call, related))
    return imports, f"print({divergence.call})  # {_short(divergence.outcome)}", last


def _related(divergence: Divergence, parameters: Sequence[str]) -> str | None:
    """The related call with the call's arguments; ``None`` where it cannot be told so."""
    names = [bare(name) for name in parameters]
    try:
        expression(divergence.related, spread=True)
        values = _values(divergence.call, names)
        written = _Written(values, frozenset(names) - values.keys())
        text = ast.unparse(written.visit(ast.parse(divergence.related, mode="eval")))
        said = expression(text, spread=True)
    except (InvalidRowError, SyntaxError, _Unbound):
        return None
    library = divergence.api.partition(".")[0]
    return (
        text
        if all(name.partition(".")[0] == library for name in said.functions | said.names)
        else None
    )


class _Unbound(Exception):  # noqa: N818 - a fact about the call
    """A call whose arguments have no names."""


def _values(call: str, parameters: Sequence[str]) -> dict[str, ast.expr]:
    """The arguments of a call by parameter: a layer's inputs come after its constructor's."""
    body = ast.parse(call, mode="eval").body
    assert isinstance(body, ast.Call)
    if isinstance(body.func, ast.Call) or len(body.args) > len(parameters):
        raise _Unbound
    found = dict(zip(parameters, body.args, strict=False))
    return found | {word.arg: word.value for word in body.keywords if word.arg}


class _Written(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr], missing: frozenset[str]) -> None:
        self._values = values
        self._missing = missing

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """The call without the arguments that were not given."""
        node.args = [each for each in node.args if not self._is_missing(each)]
        node.keywords = [each for each in node.keywords if not self._is_missing(each.value)]
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The value of a parameter, or the name as it is."""
        return self._values.get(node.id, node)

    def _is_missing(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._missing


def _imports(call: str, related: str | None) -> Iterator[str]:
    said = [expression(each, spread=True) for each in (call, related) if each is not None]
    inner = {name.rpartition(".")[0] for each in said for name in each.functions if _is_inner(name)}
    yield f"import {', '.join([call.partition('.')[0], *sorted(inner)])}"
    for name in sorted({name for each in said for name in each.made}):
        yield f"from {makers.__name__}.{makers.MAKERS[name]} import {name}"
    used = {
        node.id
        for each in (call, related)
        for node in ast.walk(ast.parse(each or ""))
        if isinstance(node, ast.Name)
    }
    if numbers := sorted(used & _NUMBERS):
        yield f"from math import {', '.join(numbers)}"


def _is_inner(name: str) -> bool:
    parts = name.split(".")
    return len(parts) > 2 and parts[1].startswith("_") and parts[1] != _NOT_IMPORTED


def _short(text: str) -> str:
    plain = " ".join(printable(text).split())
    return plain if len(plain) <= LONGEST_COMMENT else plain[: LONGEST_COMMENT - 1] + "…"

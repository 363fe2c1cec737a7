"""Conditions that refuse the arguments with which a library call goes wrong, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.inference.constraint_sources.module_scope import dotted_name
from analyzers.relations.call_sites import CallSite, preceded, replaced, site_of
from analyzers.relations.library_names import parsed
from analyzers.relations.relation_findings import ShownDivergence
from analyzers.vocabulary import Suggestion

_DTYPE = re.compile(r"\b(u?int(?:8|16|32|64)|bool|b?float\d+|complex\d+)\b")
_SMALLEST = {f"int{bits}": -(1 << (bits - 1)) for bits in (8, 16, 32, 64)}


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition on an argument, and what is said where it holds."""

    condition: str
    says: str


def guard_of(site: CallSite, call: str) -> Guard | None:
    """The guard that refuses the arguments of ``call``, the failing one, at a site."""
    torch = site.spelled("torch")
    for form in (_smallest, _empty, _undefined, _negative):
        for name, value in _named(site, call):
            guard = form(name, value, torch)
            if guard is not None:
                return guard
    return None


def _named(site: CallSite, call: str) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that are names at the site, with the value of each in the failing call."""
    failing = parsed(call)
    if not isinstance(failing, ast.Call) or len(failing.args) != len(site.positional):
        return
    values = {each.arg: each.value for each in failing.keywords if each.arg}
    pairs = [*zip(site.positional, failing.args, strict=True)]
    pairs += [(node, values[name]) for name, node in site.keywords.items() if name in values]
    inner = _bound_inside(site.statement)
    for node, value in pairs:
        if (
            dotted_name(node)
            and not {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} & inner
        ):
            yield site.segment(node), value


def _bound_inside(statement: ast.stmt) -> set[str]:
    """Names that the statement's own expressions bind: they are not there before it."""
    value = getattr(statement, "value", None)
    nodes = list(ast.walk(value)) if isinstance(value, ast.AST) else []
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {each.arg for each in nodes if isinstance(each, ast.arg)}


def _smallest(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    number = _number(value)
    if number is not None:
        if number != _SMALLEST["int64"]:
            return None
        return Guard(f"{name} == {number}", f"{name} is the smallest int64")
    dtype = _dtype(value)
    if torch is None or dtype not in _SMALLEST or _SMALLEST[dtype] not in set(_numbers(value)):
        return None
    smallest = f"({name} == {torch}.iinfo({torch}.{dtype}).min).any()"
    says = f"{name} holds the smallest {dtype}"
    return Guard(f"{name}.dtype == {torch}.{dtype} and {smallest}", says)


def _empty(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    if torch is None or not isinstance(value, ast.Call) or not value.args:
        return None
    first = value.args[0]
    elements = list(first.elts) if isinstance(first, ast.List | ast.Tuple) else [first]
    is_list = isinstance(first, ast.List)
    none = not elements if is_list else any(_number(each) == 0 for each in elements)
    return Guard(f"{name}.numel() == 0", f"{name} is empty") if none else None


def _undefined(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    words = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    words |= {n.attr for n in ast.walk(value) if isinstance(n, ast.Attribute)}
    words |= {str(n.value) for n in ast.walk(value) if isinstance(n, ast.Constant)}
    if torch is None or "nan" not in words or not isinstance(value, ast.Call):
        return None
    return Guard(f"{torch}.isnan({name}).any()", f"{name} holds NaN")


def _negative(name: str, value: ast.expr, torch: str | None) -> Guard | None:
    del torch
    number = _number(value)
    if number is None or number >= 0:
        return None
    return Guard(f"{name} < 0", f"{name} is negative")


def _number(node: ast.expr) -> int | float | None:
    """The number that a literal is, with its sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _numbers(node: ast.expr) -> Iterator[int | float]:
    for each in ast.walk(node):
        number = _number(each) if isinstance(each, ast.expr) else None
        if number is not None:
            yield number


def _dtype(node: ast.expr) -> str:
    """The dtype that the recipe of a tensor names; integers alone are int64."""
    found = _DTYPE.search(ast.unparse(node))
    if found is not None:
        return found[1]
    whole = all(type(number) is int for number in _numbers(node))
    return "int64" if whole and isinstance(node, ast.Call) else ""


_ATOMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


def suggested(shown: ShownDivergence, text: str, parameters: Sequence[str]) -> Suggestion | None:
    """A change of the file of the call; ``parameters`` are the API's, in order, if known."""
    site = site_of(shown.reached.at, text)
    if site is None or not site.is_plain:
        return None
    return _equivalent(shown, site, parameters) or _guarded(shown, site)


def _guarded(shown: ShownDivergence, site: CallSite) -> Suggestion | None:
    call = shown.reached.at.source or shown.reached.divergence.call
    guard = guard_of(site, call)
    if guard is None:
        return None
    wrong = "takes the process down" if shown.rule == "crash" else "goes wrong"
    return preceded(site, guard.condition, f"{guard.says}, with which {site.api} {wrong}")


def _equivalent(
    shown: ShownDivergence, site: CallSite, parameters: Sequence[str]
) -> Suggestion | None:
    """The related call, where it is the library's own public one and survives."""
    divergence = shown.reached.divergence
    given = bound(site, parameters)
    if shown.rule != "crash" or divergence.relation != "value" or given is None:
        return None
    expression = written(divergence.related, given, site)
    return None if expression is None else replaced(site, expression)


def bound(site: CallSite, parameters: Sequence[str]) -> dict[str, ast.expr] | None:
    """The arguments at a site by the API's parameters; ``None`` where they do not fit."""
    positional = site.positional
    if len(positional) > len(parameters):
        return None
    given = dict(zip(parameters, positional, strict=False))
    if given.keys() & site.keywords.keys() or not site.keywords.keys() <= set(parameters):
        return None
    return given | site.keywords


def written(template: str, given: Mapping[str, ast.expr], site: CallSite) -> str | None:
    """A template with the arguments' own texts; ``None`` where it needs others or leaves some."""
    filling, tree = _Filling(given, site), parsed(template)
    try:
        body = filling.visit(tree) if tree else None
    except RecursionError:
        return None
    if filling.failed or filling.used != set(given) or not isinstance(body, ast.Call):
        return None
    text: str = ast.unparse(body)
    for mark, argument in filling.texts.items():
        text = text.replace(mark, argument)
    return text


class _Filling(ast.NodeTransformer):
    """Puts marks where arguments go, and library names as the file can say them."""

    def __init__(self, given: Mapping[str, ast.expr], site: CallSite) -> None:
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

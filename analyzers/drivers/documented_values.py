"""Values that a project says its callables take: hints, docstrings, and what guards let through."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import ge, gt, le, lt, ne

from analyzers.drivers.definitions import Definitions, Function, Parameter
from analyzers.guest.annotations.constraints import Constraint
from analyzers.inference.constraint_sources import docstring_facts, guard_facts, type_hints
from analyzers.inference.constraints.constraint_builders import as_constraint, options_of
from analyzers.inference.constraints.intervals import NUMBERS, interval_of
from analyzers.inference.constraints.lattice import admits
from analyzers.inference.facts import (
    ConstraintSource,
    Fact,
    FunctionContext,
    InferredConstraint,
    InferredRequirement,
    parse_module,
)

_CHOICE = re.compile(r"(?P<quote>['\"])(?P<word>[^'\"\s]{1,30})(?P=quote)")
_SAID = (ConstraintSource.HINT, ConstraintSource.DOCSTRING)
_HOLDS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.GtE: ge,
    ast.Gt: gt,
    ast.LtE: le,
    ast.Lt: lt,
    ast.NotEq: ne,
}


@dataclass(slots=True)
class DocumentedValues:
    """Values of parameters that the project names: choices, flags, ``None``, numbers in a range."""

    definitions: Definitions
    texts: Mapping[str, str]
    _facts: dict[int, list[Fact]] = field(default_factory=dict[int, list[Fact]])

    def has(self, parameter: Parameter, text: str) -> bool:
        """Return whether a literal is a value that the parameter's descriptions name."""
        try:
            value: object = ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError):
            return False
        subject = self._subject(parameter)
        if subject is None:
            return False
        facts = self._of(subject)
        name = parameter.name
        own = [e for e in facts if isinstance(e, InferredConstraint) and e.parameter == name]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _is_within(value, name, own, facts)
        if any(each.source in _SAID and _names(each.constraint, value) for each in own):
            return True
        if isinstance(value, bool):
            return isinstance(getattr(parameter.default, "value", None), bool)
        return isinstance(value, str) and value in _choices(subject, name)

    def choices(self, parameter: Parameter) -> list[str]:
        """Return the words that a parameter's description has in quotes, as source."""
        subject = self._subject(parameter)
        found = set[str]() if subject is None else _choices(subject, parameter.name)
        return sorted(map(repr, found))

    def _subject(self, parameter: Parameter) -> FunctionContext | None:
        node = parameter.function
        path = self.definitions.homes.get(id(node))
        tree = None if path is None else parse_module(self.texts.get(path, ""))
        if path is None or tree is None or not isinstance(node, Function):
            return None
        owner = self.definitions.owners.get(id(node))
        name = node.name if owner is None else f"{owner.name}.{node.name}"
        return FunctionContext(path, name, node, tree, owner, self.texts)

    def _of(self, subject: FunctionContext) -> list[Fact]:
        known = self._facts.get(id(subject.node))
        if known is None:
            sources = (type_hints, docstring_facts, guard_facts)
            known = [each for source in sources for each in source.facts(subject)]
            self._facts[id(subject.node)] = known
        return known


def _names(constraint: Constraint, value: object) -> bool:
    """Return whether a constraint has a value among its choices."""
    for option in map(as_constraint, options_of(constraint)):
        if option.kind == "bools" and isinstance(value, bool):
            return True
        if option.kind == "froms" and option.value("values") and admits(option, value):
            return True
    return False


def _choices(subject: FunctionContext, name: str) -> set[str]:
    """Return the words in quotes of a parameter's description, where it has several."""
    found: set[str] = set()
    for entry in docstring_facts.docstring_entries(docstring_facts.docstring(subject)):
        if name in entry.names:
            found |= {match["word"] for match in _CHOICE.finditer(f"{entry.type} {entry.text}")}
    return found if len(found) > 1 else set()


def _is_within(
    value: float, name: str, own: Sequence[InferredConstraint], facts: Sequence[Fact]
) -> bool:
    """Return whether a number lies in the range that a docstring or a guard states."""
    ranges = [each.constraint for each in own if each.source is not ConstraintSource.DOCUMENT]
    if not all(admits(each, value) for each in ranges):
        return False
    stated = any(
        interval_of(option).bounded
        for each in ranges
        for option in map(as_constraint, options_of(each))
        if option.kind in NUMBERS
    )
    conditions = [each.condition for each in facts if isinstance(each, InferredRequirement)]
    bounds = [each for each in map(_parsed, conditions) if _is_about(each, name)]
    return (stated or bool(bounds)) and all(_holds(each, name, value) for each in bounds)


def _parsed(condition: str) -> ast.expr:
    return ast.parse(condition, mode="eval").body


def _is_about(condition: ast.expr, name: str) -> bool:
    """Return whether a condition names a parameter."""
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(condition))


def _holds(condition: ast.expr, name: str, value: float) -> bool:
    """Return whether each comparison of a condition holds of a number, and there is one."""
    compared = [each for each in ast.walk(condition) if isinstance(each, ast.Compare)]
    negated = (each for each in ast.walk(condition) if isinstance(each, ast.UnaryOp))
    if any(isinstance(inner, ast.Compare) for each in negated for inner in ast.walk(each)):
        return False
    found = [_compares(each, name, value) for each in compared]
    return bool(found) and all(found)


def _compares(node: ast.Compare, name: str, value: float) -> bool:
    """Return whether ``name >= 1`` and the like holds of a value; ``False`` where not seen."""
    try:
        sides = [_side(each, name, value) for each in (node.left, *node.comparators)]
    except ValueError:
        return False
    return all(
        type(op) in _HOLDS and _HOLDS[type(op)](left, right)
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False)
    )


def _side(node: ast.expr, name: str, value: float) -> float:
    """Return a side of a comparison; raise ``ValueError`` where it is no number."""
    is_it = isinstance(node, ast.Name) and node.id == name
    return value if is_it else float(repr(ast.literal_eval(node)))

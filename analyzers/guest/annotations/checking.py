"""Checks of a constraint's own arguments: no empty set, no unknown word."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from typing import Any, Callable, FrozenSet, Iterator, Optional, Sequence, Tuple

from .constraints import VALUES, Annotations, Argument, Constraint, Expression, Span

_DIMENSION = re.compile(r"\.\.\.|\*?_|\*?[A-Za-z]\w*|\d+|[\w+\-*/() ]+")
_COUNTS = ("min_len", "max_len", "min_dims", "max_dims", "min_side", "max_side", "channels")
_FLAGS = (
    "exclude_min", "exclude_max", "allow_nan", "allow_inf", "requires_grad", "contiguous",
    "finite", "unique",
)  # fmt: skip
_WHOLE = ("ints", "int_lists")
_ARRAYS = ("tensors", "np_arrays", "jax_arrays")
DTYPES = frozenset(
    {
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
        "int", "float", "long", "half", "double",
    }
)  # fmt: skip


class InvalidConstraint(Exception):  # noqa: N818 - a fact about the annotation
    """An argument that cannot be; ``parameter`` says which, where it is one's fault."""

    def __init__(self, problem: str, parameter: Optional[str] = None) -> None:
        super().__init__(problem)
        self.parameter = parameter


def check(constraint: Constraint) -> None:
    """Raise :class:`InvalidConstraint` where no value meets it, or it means nothing."""
    if constraint.kind == "configs":
        return
    for name, given in constraint.arguments:
        if isinstance(given, Expression) and given.literal:
            for names, judge in _JUDGES:
                if name in names:
                    problem = judge(constraint.kind, name, given.value)
                    if problem:
                        raise InvalidConstraint(problem, name)
        if name == "shape":
            _shape(given)
    _bounds(constraint, "min", "max")
    for low in ("min_len", "min_dims", "min_side"):
        _bounds(constraint, low, low.replace("min", "max"))
    if constraint.kind == "froms" and constraint.value("values", [None]) in ([], (), {}):
        raise InvalidConstraint("froms has nothing to choose from", "values")


def _must(is_valid: Callable[[Any], bool], be: str) -> Callable[[str, str, Any], str]:
    return lambda _kind, name, value: "" if is_valid(value) else f"{name} must be {be}"


def _bound(kind: str, name: str, value: Any) -> str:
    if value is None:
        return ""
    if kind in _WHOLE:
        return "" if _is_whole(value) else f"{name} must be an integer"
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "" if number else f"{name} must be a number"


def _dtype(_kind: str, _name: str, value: Any) -> str:
    for word in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(word, str) or word.rpartition(".")[2] not in DTYPES:
            return f"there is no dtype {word!r}"
    return ""


def _values(kind: str, _name: str, value: Any) -> str:
    wrong = kind in _ARRAYS and value not in VALUES
    return f"values must be one of {', '.join(VALUES)}" if wrong else ""


def _words(_kind: str, name: str, value: Any) -> str:
    if not isinstance(value, str):
        return f"{name} is a shape in words, such as 'b 3 h w'"
    _shape(Expression(repr(value), literal=True, value=value), name)
    return ""


_JUDGES: Tuple[Tuple[Tuple[str, ...], Callable[[str, str, Any], str]], ...] = (
    (_COUNTS, _must(lambda x: _is_whole(x) and x >= 0, "a whole number from 0")),
    (
        ("multiple_of",),
        _must(lambda value: _is_whole(value) and value > 0, "a whole number from 1"),
    ),
    (_FLAGS, _must(lambda x: isinstance(x, bool), "True or False")),
    (("width",), _must(lambda x: x in (16, 32, 64), "16, 32 or 64")),
    (("min", "max"), _bound),
    (("dtype",), _dtype),
    (("values",), _values),
    (("in", "out"), _words),
)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _bounds(constraint: Constraint, low: str, high: str) -> None:
    least, most = constraint.value(low), constraint.value(high)
    if not isinstance(least, (int, float)) or not isinstance(most, (int, float)):
        return
    if least > most:
        raise InvalidConstraint(f"{low} is above {high}: no value meets it", low)
    excluded = constraint.value("exclude_min") or constraint.value("exclude_max")
    if least == most and low == "min" and excluded:
        raise InvalidConstraint("min and max are equal and excluded: no value meets it", low)
    multiple = constraint.value("multiple_of")
    counts = low == "min" and isinstance(multiple, int) and multiple > 0
    if counts and most // multiple * multiple < least:
        raise InvalidConstraint(
            f"no multiple of {multiple} lies between min and max", "multiple_of"
        )


def _shape(given: Any, name: str = "shape") -> None:
    for item in dimensions(given, name):
        if isinstance(item, str) and not _DIMENSION.fullmatch(item):
            raise InvalidConstraint(
                f"{item!r} is no dimension: a size, a name, * and a name, ... or _", name
            )
        if isinstance(item, int) and item < 0:
            raise InvalidConstraint("a dimension is not negative", name)


def dimensions(given: Any, name: str = "shape") -> Tuple[Any, ...]:
    """The literal dimensions of a shape: numbers and words; what is no literal is left out."""
    if isinstance(given, tuple):
        inside = [item.value for item in given if isinstance(item, Expression) and item.literal]
        return tuple(inside)
    if isinstance(given, Expression) and given.literal:
        value = given.value
        if isinstance(value, str):
            return tuple(int(word) if word.isdigit() else word for word in value.split())
        if isinstance(value, (list, tuple)):
            return tuple(value)
        if _is_whole(value):
            return (value,)
        raise InvalidConstraint(
            "a shape is a tuple of dimensions, or words such as 'b 3 h w'", name
        )
    return ()


RESULT_WORDS = frozenset(
    {
        *("result", "old", "finite", "unchanged", "repeatable", "unaffected_by", "matches"),
        *("gradients", "reloads", "permutes", "ignores_masked"),
    }
)
"""What only postconditions know: the result, an argument as it was, and words about them."""
SPECIAL = frozenset({"inf", "nan", "self", "cls"})

UnboundName = Tuple[str, str, Optional[Span]]
"""An annotation, what is wrong with it, and where it stands."""


class TopLevelNames:
    """The names at the top level of a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.functions: FrozenSet[str] = frozenset(
            node.name for node in tree.body if isinstance(node, ast.FunctionDef)
        )
        bound = {name for node in ast.walk(tree) for name in _bound_names(node)}
        self.open = "*" in bound
        self.known = frozenset(bound) | frozenset(dir(builtins)) | SPECIAL

    def unknown(self, source: str, more: Sequence[str] = ()) -> Optional[str]:
        """The first name of an expression that nothing is bound to."""
        if self.open:
            return None
        tree = ast.parse(source, mode="eval")
        own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        own |= {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id not in own | self.known | set(more):
                return node.id
        return None


def _bound_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def unbound_names(
    said: Annotations, parameters: Sequence[str], names: TopLevelNames, marked: FrozenSet[str]
) -> Iterator[UnboundName]:
    """Yield the unbound names in a function's annotations; ``marked`` are the file's generators."""
    for arg in said.args:
        for problem in _in_constraint(arg.constraint, names, marked):
            yield arg.text, problem, arg.span
    for clauses, more in ((said.requires, frozenset()), (said.ensures, RESULT_WORDS)):
        for clause in clauses:
            known = [*parameters, *more]
            unknown = names.unknown(clause.source, known)
            if unknown is not None:
                yield clause.source, _unbound(unknown, known), clause.span


def _in_constraint(
    constraint: Constraint, names: TopLevelNames, marked: FrozenSet[str]
) -> Iterator[str]:
    for name, given in constraint.arguments:
        if name == "generator" and isinstance(given, Expression):
            unknown = names.unknown(given.source)
            if unknown is not None:
                yield _unbound(unknown, sorted(marked))
            elif given.source in names.functions - marked:
                yield f"{given.source} is no generator: mark it with #@generator"
        else:
            yield from _in_argument(given, names, marked)


def _in_argument(given: Argument, names: TopLevelNames, marked: FrozenSet[str]) -> Iterator[str]:
    if isinstance(given, Constraint):
        yield from _in_constraint(given, names, marked)
    elif isinstance(given, tuple):
        for item in given:
            yield from _in_argument(item, names, marked)
    elif not given.literal:
        unknown = names.unknown(given.source)
        if unknown is not None:
            yield _unbound(unknown, ())


def _unbound(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no {name!r} here{hint}"

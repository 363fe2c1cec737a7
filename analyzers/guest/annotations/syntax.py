"""Reads a constraint as it is written; says exactly where one is wrong."""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
from typing import Any, List, Optional, Tuple

from .checking import InvalidConstraint, check
from .constraints import (
    ALIASES,
    KINDS,
    SYNONYMS,
    Annotations,
    Argument,
    Constraint,
    ConstraintKind,
    Expression,
    Span,
)


def render(constraint: Constraint) -> str:
    """A constraint as :func:`parsing.parse` reads it."""
    kind = KINDS[constraint.kind]
    parts: List[str] = []
    for name, given in constraint.arguments:
        if name == kind.several and isinstance(given, tuple):
            parts += [_rendered_argument(item) for item in given]
        elif name in kind.required and name == kind.parameters[0]:
            parts.append(_rendered_argument(given))
        else:
            parts.append(f"{name}={_rendered_argument(given)}")
    return f"{constraint.kind}({', '.join(parts)})"


def _rendered_argument(given: Argument) -> str:
    if isinstance(given, Constraint):
        return render(given)
    if isinstance(given, Expression):
        return given.source
    inside = ", ".join(_rendered_argument(item) for item in given)
    return f"({inside},)" if len(given) == 1 else f"({inside})"


def lines(annotations: Annotations) -> List[str]:
    """Annotations as comment lines, without indentation."""
    found = [f"#@arg({arg.name}): {render(arg.constraint)}" for arg in annotations.args]
    found += [f"#@require({clause.source})" for clause in annotations.requires]
    found += [f"#@ensure({clause.source})" for clause in annotations.ensures]
    if annotations.returns is not None:
        found.append(f"#@returns: {render(annotations.returns)}")
    if annotations.timeout is not None:
        found.append(f"#@timeout({annotations.timeout:g})")
    found += [f"#@cc_example({example})" for example in annotations.cc_examples]
    if annotations.generator:
        found.append("#@generator")
    if annotations.exclude:
        found.append("#@exclude")
    return found


_IN, _HIDDEN = "in", "__"
_LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.UnaryOp, ast.BinOp)


class AnnotationError(Exception):
    """A text that is no constraint: why, and where in it (lines and columns from 1)."""

    def __init__(self, problem: str, span: Span) -> None:
        super().__init__(problem)
        self.problem = problem
        self.span = span


def parse(text: str) -> Constraint:
    """The constraint that a text describes; raises :class:`AnnotationError`."""
    body = _expression(text)
    found = _constraint(body, text)
    return found if isinstance(found, Constraint) else choice_of_one(found)


def parse_condition(text: str) -> str:
    """A condition's source, stripped; raises :class:`AnnotationError` where it is no expression."""
    _expression(text)
    return text.strip()


def choice_of_one(expression: Expression) -> Constraint:
    """A single value as a choice of one (``froms``)."""
    values = Expression(f"[{expression.source}]", expression.literal, [expression.value])
    return Constraint("froms", (("values", values),))


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(_without_keyword(text.rstrip()), mode="eval").body
    except SyntaxError as error:
        line = error.lineno or 1
        column = error.offset or len(text.rstrip().split("\n")[line - 1]) + 1
        raise AnnotationError(error.msg, Span(line, column, line, column + 1)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise AnnotationError(f"it cannot be parsed: {error}", Span(1, 1, 1, 2)) from error


def _without_keyword(text: str) -> str:
    """The text with the parameter ``in``, which Python keeps for itself, as a name as long."""
    lines = text.split("\n")
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return text
    for token, after in zip(tokens, tokens[1:]):
        if token.string == _IN and after.string == "=":
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + _HIDDEN + line[column + len(_IN) :]
    return "\n".join(lines)


def _constraint(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call):
        return _called(node, text)
    if isinstance(node, ast.Tuple) and any(_is_constraint(item) for item in node.elts):
        items = tuple(_constraint(item, text) for item in node.elts)
        return Constraint("tuples", (("elements", items),))
    if isinstance(node, ast.Name) and _kind_named(node.id) is not None:
        raise AnnotationError(f"{node.id} is a constraint: write {node.id}(...)", span_of(node))
    return _value(node, text)


def _kind_named(name: str) -> Optional[ConstraintKind]:
    return KINDS.get(SYNONYMS.get(name, name))


def _is_constraint(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _kind_named(_last_name(node.func)) is not None


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _called(node: ast.Call, text: str) -> Constraint:
    name = _last_name(node.func)
    kind = _kind_named(name)
    if kind is None:
        name = name or ast.unparse(node.func)
        near = difflib.get_close_matches(name, [*KINDS, *SYNONYMS], 1)
        hint = (
            f"did you mean {near[0]}?" if near else "a value of the project goes into froms([...])"
        )
        raise AnnotationError(f"there is no constraint {name!r}; {hint}", span_of(node.func))
    given: List[Tuple[str, Argument, ast.expr]] = []
    for parameter, value in _pairs(node, kind):
        if any(parameter == other for other, _, _ in given):
            raise AnnotationError(f"{parameter} is given twice", span_of(value))
        given.append((parameter, _argument(kind, parameter, value, text), value))
    if kind.several:
        items = tuple(_constraint(item, text) for item in node.args)
        if items:
            given.insert(0, (kind.several, items, node))
    for needed in kind.required:
        if all(needed != other for other, _, _ in given):
            raise AnnotationError(f"{kind.name} needs {needed}", span_of(node))
    order = {name: place for place, name in enumerate(kind.parameters)}
    given.sort(key=lambda item: order.get(item[0], len(order)))
    made = Constraint(kind.name, tuple((name, value) for name, value, _ in given))
    try:
        check(made)
    except InvalidConstraint as unfit:
        at = next((value for name, _, value in given if name == unfit.parameter), node)
        raise AnnotationError(str(unfit), span_of(at)) from unfit
    return made


def _pairs(node: ast.Call, kind: ConstraintKind) -> List[Tuple[str, ast.expr]]:
    """The arguments of a call by canonical names, but for those of which there are several."""
    found: List[Tuple[str, ast.expr]] = []
    if not kind.several:
        if len(node.args) > len(kind.parameters):
            extra = node.args[len(kind.parameters)]
            raise AnnotationError(
                f"{kind.name} takes at most {len(kind.parameters)} arguments", span_of(extra)
            )
        found += zip(kind.parameters, node.args)
    for keyword in node.keywords:
        if keyword.arg is None:
            raise AnnotationError("** cannot be used here", span_of(keyword.value))
        name = _IN if keyword.arg == _HIDDEN else keyword.arg
        if not (kind.others or name in kind.parameters):
            name = ALIASES.get(name, name)
        if not (kind.others or name in kind.parameters):
            line, column = keyword.lineno, keyword.col_offset + 1
            span = Span(line, column, line, column + len(keyword.arg or ""))
            taken = f"; it takes {', '.join(kind.parameters)}" if kind.parameters else ""
            raise AnnotationError(f"{kind.name} takes no {name}{taken}", span)
        found.append((name, keyword.value))
    return found


def _argument(kind: ConstraintKind, name: str, node: ast.expr, text: str) -> Argument:
    if name in ("generator", "of") or (kind.name, name) == ("froms", "values"):
        return _value(node, text)
    if name == "dtype":
        if isinstance(node, ast.Attribute):
            return Expression(repr(node.attr), literal=True, value=node.attr)
        called = isinstance(node, ast.Call) and len(node.args) == 1 and not _is_constraint(node)
        if called and isinstance(node.args[0], ast.Constant):  # type: ignore[attr-defined]
            return _value(node.args[0], text)  # type: ignore[attr-defined]
        return _constraint(node, text)  # type: ignore[no-any-return]
    if name == "shape" and isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_constraint(item, text) for item in node.elts)
    return _constraint(node, text)  # type: ignore[no-any-return]


def _value(node: ast.expr, text: str) -> Expression:
    source = ast.get_source_segment(_without_keyword(text), node) or ast.unparse(node)
    if isinstance(node, _LITERALS):
        try:
            return Expression(source, literal=True, value=ast.literal_eval(node))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
    return Expression(source)


def span_of(node: Any) -> Span:
    """Return where a node stands in its text, in characters."""
    return Span(
        node.lineno,
        node.col_offset + 1,
        node.end_lineno or node.lineno,
        (node.end_col_offset or node.col_offset) + 1,
    )

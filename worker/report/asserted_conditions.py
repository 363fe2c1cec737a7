"""A postcondition as Python text that a test can assert by itself.

Arguments are read from ``given`` (after the call) and ``before`` (made anew,
untouched by it), the tested file's names from ``code``.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from analyzers.guest.annotations.constraints import Argument, Constraint, Expression
from analyzers.guest.annotations.syntax import AnnotationError, parse
from worker.report.report_templates import helper

RESULT = "result"
_DTYPES = frozenset(
    {
        "bfloat16", "bool", "complex128", "complex64", "float16", "float32", "float64",
        "int16", "int32", "int64", "int8", "uint8",
    }
)  # fmt: skip
_RELATIONS = ("gradients", "reloads", "permutes", "ignores_masked")
_HELPERS = ("same", "finite", "unaffected", "fits", *_RELATIONS, "near")
_SHAPED = frozenset({"tensors", "np_arrays"})


class UnsupportedCondition(Exception):  # noqa: N818 - a fact about the condition
    """A condition that a test by itself cannot ask."""


@dataclass(frozen=True, slots=True)
class AssertedCondition:
    """A condition as an expression, and the helpers that it calls, as Python text."""

    expression: str
    helpers: tuple[str, ...]


def asserted_condition(condition: str, parameters: Sequence[str]) -> AssertedCondition:
    """Return the condition of a function with those parameters; raise ``UnsupportedCondition``."""
    try:
        tree = ast.parse(condition, mode="eval")
    except SyntaxError as error:
        raise UnsupportedCondition(str(error)) from error
    rewriting = _Rewriting(frozenset({*parameters, "self"}), frozenset(_bound(tree)))
    expression = ast.unparse(rewriting.visit(tree))
    called = tuple(helper(name) for name in _HELPERS if name in rewriting.used)
    return AssertedCondition(expression, called)


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        if isinstance(node, ast.arg):
            yield node.arg


class _Rewriting(ast.NodeTransformer):
    def __init__(self, parameters: frozenset[str], bound: frozenset[str]) -> None:
        self._parameters = parameters
        self._bound = bound
        self._from = "given"
        self.used: set[str] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        name = node.id
        if name == RESULT or name in self._bound:
            return node
        if name in self._parameters:
            return ast.Subscript(ast.Name(self._from), ast.Constant(name), ast.Load())
        if hasattr(builtins, name):
            return node
        return ast.Attribute(ast.Name("code"), name, ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.AST:
        word = node.func.id if isinstance(node.func, ast.Name) else ""
        special = getattr(self, f"_{word}", None) if word in _WORDS else None
        special = self._of_calls if word in _RELATIONS else special
        found: ast.AST = self.generic_visit(node) if special is None else special(node)
        return found

    def _old(self, node: ast.Call) -> ast.AST:
        if len(node.args) != 1 or node.keywords:
            raise UnsupportedCondition("old takes one expression")
        self._from = "before"
        found: ast.AST = self.visit(node.args[0])
        self._from = "given"
        return found

    def _finite(self, node: ast.Call) -> ast.AST:
        self.used.add("finite")
        return ast.Call(ast.Name("finite"), [self.visit(each) for each in node.args], [])

    def _near(self, node: ast.Call) -> ast.AST:
        self.used.add("near")
        return ast.Call(ast.Name("near"), [self.visit(each) for each in node.args], [])

    def _unchanged(self, node: ast.Call) -> ast.AST:
        self.used.add("same")
        names = [each.id for each in node.args if isinstance(each, ast.Name)]
        if len(names) < len(node.args):
            raise UnsupportedCondition("unchanged takes names of arguments")
        if not names:
            return _expression("all(same(given[name], before[name]) for name in given)")
        return _all(f"same(given[{name!r}], before[{name!r}])" for name in names)

    def _repeatable(self, node: ast.Call) -> ast.AST:
        del node
        self.used.add("same")
        return _expression("same(called(code, made(code, arguments)), result)")

    def _unaffected_by(self, node: ast.Call) -> ast.AST:
        self.used |= {"unaffected", "near"}
        earlier = earlier_call(node)
        given = ast.Dict([ast.Constant(name) for name in earlier], list(earlier.values()))
        made: list[ast.expr] = [ast.Name("code"), ast.Name("arguments"), given]
        return ast.Call(ast.Name("unaffected"), made, [])

    def _of_calls(self, node: ast.Call) -> ast.AST:
        """Return a word about other calls, which makes them of what it is given first."""
        word = ast.unparse(node.func)
        self.used |= {word, "near"} if word != "gradients" else {word}
        first: list[ast.expr] = [ast.Name("code"), ast.Name("arguments")]
        return ast.Call(ast.Name(word), first + node.args, node.keywords)

    def _matches(self, node: ast.Call) -> ast.AST:
        self.used.add("fits")
        sizes: set[str] = set()
        checks = []
        for keyword in node.keywords:
            text = _text(keyword.value)
            shape, _ = _shaped(text) or (None, None)
            if shape is not None and keyword.arg in self._parameters:
                sizes.update(each for each in shape if isinstance(each, str))
                checks.append(f"fits(before[{keyword.arg!r}], {shape!r}, None, sizes)")
        wanted = _shaped(_text(node.args[1])) if len(node.args) == 2 else None
        if wanted is None or not {s for s in wanted[0] or () if isinstance(s, str)} <= sizes:
            raise UnsupportedCondition("matches asks for more than a shape and a dtype")
        value = ast.unparse(self.visit(node.args[0]))
        checks.append(f"fits({value}, {wanted[0]!r}, {wanted[1]!r}, sizes)")
        return _expression(f"(lambda sizes: {' and '.join(checks)})({{}})")


_WORDS = frozenset({"old", "finite", "near", "unchanged", "repeatable", "unaffected_by", "matches"})


def earlier_call(node: ast.expr) -> dict[str, ast.expr]:
    """Return the arguments of the call in an ``unaffected_by(…)``, none of another condition."""
    if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "unaffected_by"):
        return {}
    try:
        call = ast.parse(f"_({_text(node.args[0])})", mode="eval").body
    except (SyntaxError, IndexError) as error:
        raise UnsupportedCondition("unaffected_by takes the text of a call") from error
    assert isinstance(call, ast.Call)
    return {each.arg: each.value for each in call.keywords if each.arg is not None}


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _all(texts: Iterator[str] | Sequence[str]) -> ast.expr:
    return _expression(" and ".join(texts))


def _text(node: ast.expr) -> str:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        raise UnsupportedCondition("a text is expected")
    return node.value


def _shaped(text: str) -> tuple[tuple[int | str, ...] | None, str | None] | None:
    """Return the sizes (numbers or names) and the dtype that a constraint asks for, if no more."""
    try:
        found = parse(text)
    except AnnotationError:
        return None
    given = dict(found.arguments)
    if found.kind not in _SHAPED or not given.keys() <= {"shape", "dtype"}:
        return None
    dtype, shape = given.get("dtype"), given.get("shape")
    name = dtype.value if isinstance(dtype, Expression) and dtype.literal else None
    sizes = None if shape is None else _sizes(shape)
    if (dtype is not None and name not in _DTYPES) or (shape is not None and sizes is None):
        return None
    return sizes, name


def _sizes(shape: Argument) -> tuple[int | str, ...] | None:
    if isinstance(shape, Expression):
        value = shape.value
        parts = value.split() if isinstance(value, str) else value
    else:
        items = shape if isinstance(shape, tuple) else ()
        parts = [each.value if isinstance(each, Expression) else None for each in items]
    if not isinstance(parts, tuple | list) or isinstance(shape, Constraint):
        return None
    sizes = [_size(part) for part in cast("Sequence[object]", parts)]
    plain = tuple(size for size in sizes if size is not None)
    return plain if len(plain) == len(sizes) else None


def _size(part: object) -> int | str | None:
    """A number, or a name; nothing for what stands for any size, or for several."""
    if isinstance(part, int):
        return part
    if not isinstance(part, str) or part == "_":
        return None
    return int(part) if part.isdecimal() else part if part.isidentifier() else None

"""The value that was missing when a line raised, read from the line and the exception."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from analyzers.cloud.source_edits import SourceText

_NUMBERS = ("float", "int")
_EXTREMES = ("max", "min")
_COMPOUND = (ast.stmt, ast.excepthandler, ast.match_case, ast.Lambda)


@dataclass(frozen=True, slots=True)
class MissingValue:
    """An expression that has nothing in it, and how code asks for that.

    ``fragile`` is the expression that raised for it.  ``absent`` is true
    where it is missing, ``present`` where it is there.
    """

    subject: ast.expr
    fragile: ast.expr
    absent: str
    present: str


def missing(
    text: SourceText, statement: ast.stmt, line: int, exception: str, message: str
) -> MissingValue | None:
    """Return what a statement missed at a line, what is evaluated first if several may be.

    Only what can be asked for twice: names, their fields and keys, no calls.
    """
    found = [
        each
        for node in header(statement)
        if isinstance(node, ast.expr) and node.lineno <= line <= (node.end_lineno or line)
        for each in _Reader(text, exception.rpartition(".")[2], message).read(node)
        if _is_steady(each.subject) and not _is_bound_here(each.subject, statement)
    ]
    return min(found, key=lambda each: text.span(each.fragile)[1], default=None)


def header(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that are evaluated before any statement in it."""
    waiting = list(ast.iter_child_nodes(statement))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _COMPOUND):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


class _Reader:
    """The values that one expression may have missed, for one exception."""

    def __init__(self, text: SourceText, exception: str, message: str) -> None:
        self._text = text
        self._exception = exception
        self._message = message

    def read(self, node: ast.expr) -> Iterator[MissingValue]:
        reader = {
            "IndexError": self._index,
            "KeyError": self._key,
            "AttributeError": self._none,
            "TypeError": self._none,
            "ZeroDivisionError": self._divisor,
            "ValueError": self._value,
            "StatisticsError": self._statistics,
            "StopIteration": self._first,
        }.get(self._exception)
        if reader is not None:
            yield from reader(node)

    # ---------------------------------------------------------- exceptions

    def _index(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
                needed = _length_for(index)
                if needed is not None:
                    yield self._short(value, needed, node)
            case ast.Call(func=ast.Attribute(value=value, attr="pop"), args=[] | [ast.Constant()]):
                if "pop from empty" in self._message:
                    yield self._empty(value, node)
            case ast.Call(func=ast.Attribute(attr="choice"), args=[value]):
                yield self._empty(value, node)
            case _:
                return

    def _key(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=key), ctx=ast.Load()):
                if repr(key) == self._message:
                    yield self._lacking(value, node.slice, node)
            case _:
                return

    def _none(self, node: ast.expr) -> Iterator[MissingValue]:
        if "NoneType" not in self._message:
            return
        match node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Load()):
                if self._message.endswith(f"no attribute '{name}'"):
                    yield self._nothing(value, node)
            case ast.Subscript(value=value, ctx=ast.Load()):
                if "not subscriptable" in self._message:
                    yield self._nothing(value, node)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]):
                if "argument of type" in self._message:
                    yield self._nothing(value, node)
            case ast.Call(func=ast.Name(id=name), args=[value]):
                if self._message.startswith((f"object of type 'NoneType' has no {name}", name)):
                    yield self._nothing(value, node)
            case _:
                yield from self._none_in_statement(node)

    def _none_in_statement(self, node: ast.expr) -> Iterator[MissingValue]:
        parent = self._text.parents[node]
        unpacked = isinstance(parent, ast.Assign) and parent.value is node
        looped = isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
        problem = "unpack" if unpacked else "not iterable"
        if (unpacked or looped) and problem in self._message:
            yield self._nothing(node, node)

    def _divisor(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod(), right=right):
                yield from self._zero(right, node)
            case _:
                parent = self._text.parents[node]
                if isinstance(parent, ast.AugAssign) and parent.value is node:
                    yield from self._zero(node, node)

    def _zero(self, divisor: ast.expr, node: ast.expr) -> Iterator[MissingValue]:
        match divisor:
            case ast.Call(func=ast.Name(id="len"), args=[value]):
                yield self._empty(value, node)
            case ast.Name() | ast.Attribute() | ast.Subscript():
                written = self._text.segment(divisor)
                yield MissingValue(divisor, node, f"{written} == 0", written)
            case _:
                return

    def _value(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.Call(func=ast.Name(id=name), args=[value]) if name in _EXTREMES:
                if "empty" in self._message:
                    yield self._empty(_iterated(value), node)
            case ast.Call(func=ast.Name(id=name), args=[value]) if name in _NUMBERS:
                if self._message.endswith(": ''"):
                    yield self._empty(value, node)
            case ast.Call(func=ast.Attribute(value=value, attr="index"), args=[item]):
                if "not in list" in self._message or "substring not found" in self._message:
                    yield self._lacking(value, item, node)
            case _:
                yield from self._unpacked(node)

    def _unpacked(self, node: ast.expr) -> Iterator[MissingValue]:
        expected = re.match(r"not enough values to unpack \(expected (\d+),", self._message)
        parent = self._text.parents[node]
        if expected is None or not (isinstance(parent, ast.Assign) and parent.value is node):
            return
        match node:
            case ast.Subscript(value=value, slice=ast.Slice(lower=None)):
                yield self._short(value, int(expected[1]), node)
            case _:
                yield self._short(node, int(expected[1]), node)

    def _statistics(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.Call(func=ast.Name() | ast.Attribute(), args=[value]):
                yield self._empty(_iterated(value), node)
            case _:
                return

    def _first(self, node: ast.expr) -> Iterator[MissingValue]:
        match node:
            case ast.Call(
                func=ast.Name(id="next"),
                args=[ast.Call(func=ast.Name(id="iter"), args=[value])],
            ):
                yield self._empty(value, node)
            case _:
                return

    # --------------------------------------------------------- how it asks

    def _empty(self, subject: ast.expr, fragile: ast.expr) -> MissingValue:
        written = self._text.segment(subject)
        if _counts(self._text.tree):
            return MissingValue(subject, fragile, f"len({written}) == 0", f"len({written}) > 0")
        return MissingValue(subject, fragile, f"not {written}", written)

    def _short(self, subject: ast.expr, needed: int, fragile: ast.expr) -> MissingValue:
        if needed == 1:
            return self._empty(subject, fragile)
        size = f"len({self._text.segment(subject)})"
        return MissingValue(subject, fragile, f"{size} < {needed}", f"{size} >= {needed}")

    def _nothing(self, subject: ast.expr, fragile: ast.expr) -> MissingValue:
        written = self._text.segment(subject)
        return MissingValue(subject, fragile, f"{written} is None", f"{written} is not None")

    def _lacking(self, subject: ast.expr, item: ast.expr, fragile: ast.expr) -> MissingValue:
        one, other = self._text.segment(item), self._text.segment(subject)
        return MissingValue(subject, fragile, f"{one} not in {other}", f"{one} in {other}")


def _length_for(index: ast.expr) -> int | None:
    """Return how many items an index needs; ``None`` where it is no constant."""
    match index:
        case ast.Constant(value=int() as number):
            return number + 1
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return number
        case _:
            return None


def _iterated(value: ast.expr) -> ast.expr:
    """Return what a comprehension without conditions goes through; else the expression itself."""
    match value:
        case (
            ast.GeneratorExp(generators=[ast.comprehension(iter=source, ifs=[])])
            | ast.ListComp(generators=[ast.comprehension(iter=source, ifs=[])])
        ):
            return source
        case _:
            return value


def _is_steady(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value, slice=ast.Constant()):
            return _is_steady(value)
        case _:
            return False


def root(node: ast.expr) -> str:
    """Return the name that a field or key is reached from."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_bound_here(subject: ast.expr, statement: ast.stmt) -> bool:
    """Return whether the statement itself gives the subject its value (``:=``, a comprehension)."""
    bound = {
        target.id
        for node in header(statement)
        if isinstance(node, ast.NamedExpr | ast.comprehension)
        for target in ast.walk(node.target)
        if isinstance(target, ast.Name)
    }
    return root(subject) in bound


def _counts(tree: ast.AST) -> bool:
    """Return whether the author asks for emptiness by ``len(x) == 0``, and never by ``not x``."""
    asked = [ast.unparse(n.test) for n in ast.walk(tree) if isinstance(n, ast.If | ast.IfExp)]
    counted = any(re.search(r"\blen\([\w.]+\) (== 0|> 0|< 1|>= 1)", test) for test in asked)
    return counted and not any(re.fullmatch(r"(not )?[\w.]+", test) for test in asked)

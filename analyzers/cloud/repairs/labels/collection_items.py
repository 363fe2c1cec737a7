"""More items in a list, set, tuple or dict, laid out and ordered as the others are."""

from __future__ import annotations

import ast
from bisect import bisect
from collections.abc import Sequence

from analyzers.cloud.source_edits import CASES, SourceText, Splice

Display = ast.Set | ast.List | ast.Tuple
Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp

PREFIXES = ("startswith", "endswith")
_MEMBERSHIP = ("intersection", "isdisjoint")
_LOOKUPS = ("get", "keys", "__contains__")
_COLLECTIONS = frozenset({"set", "frozenset", "list", "tuple", "sorted"})
_PLAIN_FUNCTIONS = _COLLECTIONS | {"str", "dict"}
_PLAIN_METHODS = frozenset(CASES) | {"strip", "lstrip", "rstrip", "keys", "values", "split"}


def gathered(text: SourceText, node: ast.AST) -> ast.AST:
    """Return the collection that one is a part of: ``set([…])``, ``[…] + OTHERS``."""
    parent = text.parents[node]
    while _is_collection_call(parent) or (
        isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Add | ast.BitOr)
    ):
        node, parent = parent, text.parents[parent]
    return node


def widens(text: SourceText, node: ast.AST) -> bool:
    """Return whether one more item in the collection ``node`` lets more answers through."""
    node = gathered(text, node)
    parent = text.parents[node]
    match parent:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.BinOp(op=ast.BitAnd()):
            return True
        case ast.Call(func=ast.Attribute(attr=name), args=[_]):
            return name in _MEMBERSHIP or name in PREFIXES
        case ast.Attribute(attr=name):
            return name in _MEMBERSHIP
        case ast.For() | ast.comprehension():
            return parent.iter is node and _is_asked_of_each(text, parent)
        case _:
            return False


def looks_up(text: SourceText, node: ast.AST) -> bool:
    """Return whether one more key in the mapping ``node`` lets more answers through."""
    parent = text.parents[node]
    match parent:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is node
        case ast.Attribute(attr=name):
            return name in _LOOKUPS
        case _:
            return False


def asks_for(test: ast.expr, name: str) -> bool:
    """Return whether a test is that something is, or has, what a name stands for."""
    return (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.In | ast.Eq)
        and _names(test, name)
    )


def _is_asked_of_each(text: SourceText, loop: ast.For | ast.comprehension) -> bool:
    """Return whether a loop asks for each item, one match being enough."""
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    if isinstance(loop, ast.For):
        tests = [each.test for each in ast.walk(loop) if isinstance(each, ast.If)]
        asked = [test for test in tests if _names(test, name)]
        return bool(asked) and all(asks_for(test, name) for test in asked)
    around = text.parents[loop]
    call = text.parents[around]
    element = around.elt if isinstance(around, Comprehension) else None
    is_any = isinstance(call, ast.Call) and ast.unparse(call.func) == "any"
    return is_any and element is not None and asks_for(element, name)


def _names(node: ast.AST, name: str) -> bool:
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))


def _is_collection_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _COLLECTIONS
        and len(node.args) == 1
    )


def is_plain(node: ast.expr) -> bool:
    """Return whether an expression may be evaluated twice: it only looks."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return is_plain(value)
        case ast.Subscript(value=one, slice=other) | ast.BinOp(left=one, right=other):
            return is_plain(one) and is_plain(other)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=[]):
            return name in _PLAIN_METHODS and all(map(is_plain, [value, *arguments]))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return name in _PLAIN_FUNCTIONS and all(map(is_plain, arguments))
        case _:
            return False


_USUAL_WIDTH, _GREATEST_WIDTH = 88, 120
_FEWEST_IN_ORDER = 3


def with_items(text: SourceText, node: Display, items: Sequence[str]) -> list[Splice]:
    """Return the changes by which a display has more items, given as code."""
    listing = _Listing(text, node, node.elts)
    if listing.is_sorted():
        return listing.sorted_in(items)
    return [listing.at_the_end(items)]


def with_keys(
    text: SourceText, node: ast.Dict, key: ast.expr, items: Sequence[str]
) -> list[Splice]:
    """Return the changes by which more keys have the value of ``key``."""
    value = text.bare(node.values[node.keys.index(key)], node)
    entries = [f"{item}: {value}" for item in items]
    return [_Listing(text, node, node.values).at_the_end(entries)]


class _Listing:
    """The items of a collection as they stand in the text."""

    def __init__(
        self, text: SourceText, node: Display | ast.Dict, elements: Sequence[ast.expr]
    ) -> None:
        self._text = text
        self._node = node
        self._elements = elements
        first = node.keys[0] if isinstance(node, ast.Dict) else elements[0]
        self._first = text.span(first or elements[0])[0]
        self._start, self._end = text.span(node)

    def is_sorted(self) -> bool:
        """Return whether the items are texts in their order, and enough for that to be meant."""
        words = self._words()
        return (
            len(words) == len(self._elements) >= _FEWEST_IN_ORDER
            and (words == sorted(words) or self._folded(words) == sorted(self._folded(words)))
            and "#" not in self._text.text[self._start : self._end]
        )

    def sorted_in(self, items: Sequence[str]) -> list[Splice]:
        """Return a change for each item: in front of the first one after it."""
        words = self._words()
        exact = words == sorted(words)
        order = words if exact else self._folded(words)
        last: list[str] = []
        before: dict[int, list[str]] = {}
        for item in sorted(items):
            word = str(ast.literal_eval(item))
            at = bisect(order, word if exact else word.casefold())
            (last if at == len(order) else before.setdefault(at, [])).append(item)
        gap = self._gap()
        splices = [
            Splice(start, start, "".join(f"{item}{gap}" for item in group))
            for at, group in before.items()
            for start in [self._text.span(self._elements[at])[0]]
        ]
        return [*splices, *([self.at_the_end(last)] if last else [])]

    def at_the_end(self, items: Sequence[str]) -> Splice:
        """Return the change by which the items follow the last one."""
        text, last = self._text.text, self._elements[-1]
        written = self._text.bare(last, self._node)
        at = text.rindex(written, self._start, self._end)
        after = at + len(written)
        tail, gap = text[after : self._end], self._gap()
        if "#" in tail and not isinstance(self._node, ast.Dict):
            return Splice(at, at, "".join(f"{item}{gap}" for item in items))
        if "#" in tail and gap != ", ":
            after += len(tail.rstrip("}").rstrip())
            return Splice(after, after, "".join(f"{gap.lstrip(',')}{item}," for item in items))
        lonely = len(self._elements) == 1 and tail.strip() == ",)"
        more = "".join(f"{gap}{item}" for item in items)
        if gap == ", " and self._is_too_long(more):
            return self._one_a_line(items)
        return Splice(after, self._end - 1 if lonely else after, more)

    def _words(self) -> list[str]:
        return [
            element.value
            for element in self._elements
            if isinstance(element, ast.Constant) and isinstance(element.value, str)
        ]

    @staticmethod
    def _folded(words: Sequence[str]) -> list[str]:
        return [word.casefold() for word in words]

    def _is_too_long(self, more: str) -> bool:
        line = self._text.end_of_line(self._start)
        one = self._text.line_of(self._start) == self._text.line_of(self._end)
        width = self._text.width(_USUAL_WIDTH, _GREATEST_WIDTH)
        return one and self._text.column_of(line) + len(more) > width

    def _one_a_line(self, items: Sequence[str]) -> Splice:
        """Return the change to one item a line, as formatters break long lines."""
        indent = self._text.indent_of(self._start)
        inner = f"\n{indent}{self._text.indent_unit()}"
        keys = self._node.keys if isinstance(self._node, ast.Dict) else self._elements
        starts = [
            self._text.span(key or value)[0]
            for key, value in zip(keys, self._elements, strict=True)
        ]
        ends = [self._text.span(element)[1] for element in self._elements]
        old = [self._text.text[start:end] for start, end in zip(starts, ends, strict=True)]
        body = "".join(f"{inner}{item}," for item in [*old, *items])
        return Splice(self._start + 1, self._end - 1, f"{body}\n{indent}")

    def _gap(self) -> str:
        """Return what stands between two items: a line each, where the code does so."""
        text = self._text
        last = text.span(self._elements[-1])[0]
        if isinstance(self._node, ast.Dict) and self._node.keys[-1] is not None:
            last = text.span(self._node.keys[-1])[0]
        if text.line_of(self._start) == text.line_of(last):
            return ", "
        several = text.line_of(self._first) == text.line_of(last) and len(self._elements) > 1
        blanks = text.text[last - text.column_of(last) : last]
        return ", " if several or blanks.strip() else f",\n{blanks}"

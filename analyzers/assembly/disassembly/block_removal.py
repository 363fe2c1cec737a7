"""What to write for a file without one of its blocks, so that it can still be parsed.

The layer goes from where it is made and from where it is called, and what it was fed goes
on instead of what it gave.  Lines stay where they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from analyzers.assembly.disassembly.blocks import Span, TextEdit
from analyzers.assembly.disassembly.layer_calls import AttributeUse, FoundLayer

_LINE_END = re.compile("\r\n|\r|\n")


class SourcePositions:
    """The spans and lines of the nodes of a module that was parsed from ``source``."""

    def __init__(self, module: cst.Module, source: str) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(source))]
        self._bytes = (
            None if source.isascii() else [0, *accumulate(len(char.encode()) for char in source)]
        )

    def span(self, node: cst.CSTNode) -> Span:
        """Return where a node starts and ends; parentheses around it do not belong to it."""
        span = self._spans[node]
        start, end = span.start, span.start + span.length
        if self._bytes is None:
            return start, end
        return bisect_left(self._bytes, start), bisect_left(self._bytes, end)

    def comma(self, comma: cst.Comma) -> Span:
        """Return where the comma itself stands, without the blanks around it."""
        start = self.span(comma)[0] + len(self.module.code_for_node(comma.whitespace_before))
        return start, start + 1

    def line(self, at: int) -> int:
        """Return the line of a character, from 1."""
        return bisect_right(self._lines, at)

    def lines(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the first and the last line of a node."""
        start, end = self.span(node)
        return self.line(start), self.line(max(start, end - 1))


def omission(
    found: FoundLayer, uses: list[AttributeUse], places: SourcePositions
) -> tuple[TextEdit, ...]:
    """Return the edits that leave a block out; none where the rest of the file needs it there."""
    if found.fed is not None:
        return passed_on(found.call, found.fed, places)
    parent = found.path[-1]
    match parent:
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute())]):
            return _unassigned(parent, uses, places)
        case cst.Call(func=func, args=[first, *_]) if func is found.call and not first.star:
            return passed_on(parent, first, places)
        case cst.Arg() | cst.Element():
            return _left_out(found.path, places)
        case _:
            return ()


def passed_on(call: cst.Call, fed: cst.Arg, places: SourcePositions) -> tuple[TextEdit, ...]:
    """Write only what a call is fed, in parentheses."""
    (start, end), (left, right) = places.span(call), places.span(fed)
    return (
        TextEdit(start, left, "(" + _breaks((start, left), places)),
        TextEdit(right, end, _breaks((right, end), places) + ")"),
    )


def _unassigned(
    parent: cst.Assign, uses: list[AttributeUse], places: SourcePositions
) -> tuple[TextEdit, ...]:
    edits = [_nothing_done(parent, places)]
    for use in uses:
        if use.call is None or not use.call.args or use.call.args[0].star:
            return ()
        edits += passed_on(use.call, use.call.args[0], places)
    return tuple(edits)


def _nothing_done(statement: cst.CSTNode, places: SourcePositions) -> TextEdit:
    span = places.span(statement)
    return TextEdit(*span, "pass" + _breaks(span, places))


def _left_out(path: tuple[cst.CSTNode, ...], places: SourcePositions) -> tuple[TextEdit, ...]:
    match path[-3:]:
        case [cst.Expr() as statement, cst.Call(args=[_]), cst.Arg()]:
            return (_nothing_done(statement, places),)
        case [_, cst.Call(func=func), cst.Arg(keyword=None, star="") as member] if _ends_with(
            func, "Sequential"
        ):
            return _without_member(member, places)
        case [cst.Element() as pair, cst.Tuple(), cst.Element()] if _is_listed(path[:-3]):
            return _without_member(pair, places)
        case [*_, cst.List(), cst.Element() as member]:
            return _without_member(member, places)
        case _:
            return ()


def _is_listed(path: tuple[cst.CSTNode, ...]) -> bool:
    return bool(path) and isinstance(path[-1], cst.List)


def _ends_with(func: cst.BaseExpression, name: str) -> bool:
    match func:
        case cst.Name(value=value) | cst.Attribute(attr=cst.Name(value=value)):
            return value == name
        case _:
            return False


def _without_member(
    member: cst.Arg | cst.BaseElement, places: SourcePositions
) -> tuple[TextEdit, ...]:
    span = places.span(member)
    edits = [TextEdit(*span, _breaks(span, places))]
    if isinstance(member.comma, cst.Comma):
        edits.append(TextEdit(*places.comma(member.comma), ""))
    return tuple(edits)


def _breaks(span: Span, places: SourcePositions) -> str:
    """As many line ends as a text has that is written over."""
    return "\n" * (places.line(span[1]) - places.line(span[0]))

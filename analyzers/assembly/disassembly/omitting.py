"""What to write for a file without one of its blocks, so that it can still be parsed.

The layer goes from where it is made and from where it is called, and what it was fed goes
on instead of what it gave.  Lines stay where they are.
"""

from __future__ import annotations

import libcst as cst

from analyzers.assembly.disassembly.finding import Found, Use
from analyzers.assembly.disassembly.nouns import Edit, Span
from analyzers.assembly.disassembly.places import Places


def omission(found: Found, uses: list[Use], places: Places) -> tuple[Edit, ...]:
    """The edits that leave a block out; none where the rest of the file needs it there."""
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


def passed_on(call: cst.Call, fed: cst.Arg, places: Places) -> tuple[Edit, ...]:
    """Write only what a call is fed, in parentheses."""
    (start, end), (left, right) = places.span(call), places.span(fed)
    return (
        Edit(start, left, "(" + _breaks((start, left), places)),
        Edit(right, end, _breaks((right, end), places) + ")"),
    )


def _unassigned(parent: cst.Assign, uses: list[Use], places: Places) -> tuple[Edit, ...]:
    edits = [_nothing_done(parent, places)]
    for use in uses:
        if use.call is None or not use.call.args or use.call.args[0].star:
            return ()
        edits += passed_on(use.call, use.call.args[0], places)
    return tuple(edits)


def _nothing_done(statement: cst.CSTNode, places: Places) -> Edit:
    span = places.span(statement)
    return Edit(*span, "pass" + _breaks(span, places))


def _left_out(path: tuple[cst.CSTNode, ...], places: Places) -> tuple[Edit, ...]:
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


def _without_member(member: cst.Arg | cst.BaseElement, places: Places) -> tuple[Edit, ...]:
    span = places.span(member)
    edits = [Edit(*span, _breaks(span, places))]
    if isinstance(member.comma, cst.Comma):
        edits.append(Edit(*places.comma(member.comma), ""))
    return tuple(edits)


def _breaks(span: Span, places: Places) -> str:
    """As many line ends as a text has that is written over."""
    return "\n" * (places.line(span[1]) - places.line(span[0]))

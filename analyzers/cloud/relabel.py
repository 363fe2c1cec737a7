"""Adding labels to a condition (Keeper, section 4.2).

Every form in which the label stands has its own small rule; where a form
has none, the condition stays as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.cloud.editing import Edit, Source, Splice
from analyzers.cloud.spelling import CASES, cased, fresh_name, quoted, wrapped
from analyzers.guest.conditions import Decision

_USUAL_WIDTH, _GREATEST_WIDTH = 88, 120
_FEW = 2
_COLLECTIONS = frozenset({"set", "frozenset", "list", "tuple", "sorted"})
_PLAIN_FUNCTIONS = _COLLECTIONS | {"str", "dict"}
_PLAIN_METHODS = frozenset(CASES) | {"strip", "lstrip", "rstrip", "keys", "values", "split"}
_MEMBERSHIP = ("intersection", "isdisjoint")
_PREFIXES = ("startswith", "endswith")

_Display = ast.Set | ast.List | ast.Tuple
_Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp


def rewrite(source: str, decision: Decision, original: str, added: Sequence[str]) -> Edit | None:
    """Return the lines in which ``decision`` takes the added labels as well.

    ``original`` is a label of the condition, in any case.  The new labels
    follow the case and the quotes of the code.  ``None``: the form of the
    condition is not understood, or it has the labels already.
    """
    try:
        text = Source(source)
    except (SyntaxError, ValueError):
        return None
    condition = text.condition(decision)
    if condition is None or not added:
        return None
    literals, held = _literals(condition, original), None
    if not literals:
        held = _constant_of(text, condition, original)
        literals = [] if held is None else _literals(held.value, original)
    splices = [_Place(text, literal, tuple(added), held).splice() for literal in literals]
    understood = [splice for splice in splices if splice is not None]
    return text.edited(understood) if len(understood) == len(splices) else None


@dataclass(frozen=True)
class _Held:
    """A constant collection under a name that only the condition uses."""

    value: ast.expr
    use: ast.Name


def _literals(tree: ast.AST, label: str) -> list[ast.Constant]:
    """Return the label's literals: as spelled if any is, else in any case."""
    strings = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    exact = [node for node in strings if node.value == label]
    return exact or [node for node in strings if str(node.value).casefold() == label.casefold()]


def _constant_of(text: Source, condition: ast.expr, label: str) -> _Held | None:
    names = [node for node in ast.walk(text.tree) if isinstance(node, ast.Name)]
    for use in (node for node in ast.walk(condition) if isinstance(node, ast.Name)):
        others = [node for node in names if node.id == use.id and node is not use]
        if len(others) != 1:
            continue
        binding = text.parents[others[0]]
        value = binding.value if isinstance(binding, ast.Assign | ast.AnnAssign) else None
        if value is not None and len(_literals(value, label)) == 1:
            return _Held(value, use)
    return None


class _Place:
    """One literal of the label, and the rule for where it stands."""

    def __init__(
        self, text: Source, literal: ast.Constant, added: tuple[str, ...], held: _Held | None
    ) -> None:
        self._text = text
        self._literal = literal
        self._parent = text.parents[literal]
        self._held = held
        comparison = self._comparison(literal if held is None else held.use)
        self._added = cased(added, str(literal.value), comparison)

    def splice(self) -> Splice | None:
        """Return the change; ``None`` where no rule fits."""
        match self._parent:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) if self._held is None:
                return self._equality(self._parent)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], left=left) if left is self._literal:
                return self._containment(self._parent)
            case ast.Set() | ast.List() | ast.Tuple():
                return self._collection(self._parent)
            case ast.Call(func=ast.Attribute(attr=name), args=[_]) if name in _PREFIXES:
                return Splice(*self._text.span(self._literal), self._tuple(self._literal))
            case _:
                return None

    # --------------------------------------------------------------- rules

    def _equality(self, node: ast.Compare) -> Splice | None:
        """``x == 'X'`` → ``x in ('X', 'Y')``."""
        text, right = self._text, node.comparators[0]
        operator = "in" if isinstance(node.ops[0], ast.Eq) else "not in"
        start, end = text.span(node)
        if right is self._literal:
            literal = text.span(right)[0]
            between = text.text[text.span(node.left)[1] : literal]
            changed = re.sub("==|!=", operator, between, count=1)
            return Splice(literal - len(between), text.span(right)[1], changed + self._tuple(right))
        if "#" in text.text[start : text.span(right)[0]]:
            return None
        asked = f"{text.bare(right, node)} {operator} "
        return Splice(start, end, asked + self._tuple(node, asked))

    def _containment(self, node: ast.Compare) -> Splice | None:
        """``'X' in xs`` → ``'X' in xs or 'Y' in xs``."""
        text, right = self._text, node.comparators[0]
        negated = isinstance(node.ops[0], ast.NotIn)
        start, end = text.span(node)
        if isinstance(right, _Comprehension):
            return self._comprehension(node, right, negated=negated)
        if not _is_plain(right):
            return None
        other = text.bare(right, node)
        if len(self._added) > _FEW:
            name = fresh_name(text.tree)
            asked = f"{'not ' * negated}any({name} in {other} for {name} in "
            return Splice(start, end, f"{asked}{self._tuple(node, asked)})")
        operator, link = ("not in", " and ") if negated else ("in", " or ")
        more = [f"{self._quoted(label)} {operator} {other}" for label in self._added]
        chain = link.join([text.segment(node), *more])
        loose = isinstance(text.parents[node], ast.stmt | ast.comprehension | ast.keyword)
        if not loose and self._binds_tighter(node, negated=negated):
            chain = f"({chain})"
        return Splice(start, end, chain)

    def _comprehension(
        self, node: ast.Compare, right: _Comprehension, *, negated: bool
    ) -> Splice | None:
        """``'X' in [f(x) for x in xs]`` → ``any(f(x) in ('X', 'Y') for x in xs)``."""
        if any(generator.is_async for generator in right.generators):
            return None
        text = self._text
        element = text.bare(right.elt, right)
        start, end = text.span(right)
        rest = text.text[text.text.index(element, start) + len(element) : end - 1].rstrip()
        asked = f"{'not ' * negated}any({element} in "
        return Splice(*text.span(node), f"{asked}{self._tuple(node, asked + rest)}{rest})")

    def _collection(self, node: _Display) -> Splice | None:
        """``x in ('X', 'Z')`` → ``x in ('X', 'Z', 'Y')``."""
        use = node if self._held is None else self._held.use
        if self._held is not None and not self._is_whole(node, self._held.value):
            return None
        if not _widens(self._text, use):
            return None
        text, last = self._text, node.elts[-1]
        present = {item.value for item in node.elts if isinstance(item, ast.Constant)}
        new = [self._quoted(label) for label in self._added if label not in present]
        if not new:
            return None
        start, end = text.span(node)
        written = text.bare(last, node)
        at = text.text.rindex(written, start, end)
        after = at + len(written)
        tail = text.text[after:end]
        if "#" in tail:
            return Splice(at, at, "".join(f"{item}{self._gap(node)}" for item in new))
        lonely = len(node.elts) == 1 and tail.strip() == ",)"
        return Splice(
            after,
            end - 1 if lonely else after,
            "".join(f"{self._gap(node)}{item}" for item in new),
        )

    # ------------------------------------------------------------ in short

    def _comparison(self, node: ast.AST) -> ast.AST:
        return next(
            (outer for outer in self._text.ancestors(node) if isinstance(outer, ast.Compare)), node
        )

    def _is_whole(self, node: ast.AST, value: ast.expr) -> bool:
        while node is not value and _is_collection_call(self._text.parents[node]):
            node = self._text.parents[node]
        return node is value

    def _binds_tighter(self, node: ast.Compare, *, negated: bool) -> bool:
        """Whether the place of a comparison needs parentheses around a chain."""
        text, parent = self._text, self._text.parents[node]
        if isinstance(parent, ast.BoolOp):
            tighter = isinstance(parent.op, ast.And) and not negated
        else:
            tighter = isinstance(parent, ast.UnaryOp | ast.BinOp | ast.Compare | ast.Starred)
        return tighter and text.bare(node, parent) == text.segment(node)

    def _quoted(self, label: str) -> str:
        return quoted(label, self._text.segment(self._literal))

    def _tuple(self, replaced: ast.AST, around: str = "") -> str:
        """Return the old and the new labels, to stand in the place of a node.

        ``around``: what is written on their line in the node's place besides.
        """
        text = self._text
        start, end = text.span(replaced)
        width = text.width(_USUAL_WIDTH, _GREATEST_WIDTH)
        taken = text.column_of(start) + len(around) + text.end_of_line(end) - end
        items = [text.segment(self._literal), *(self._quoted(label) for label in self._added)]
        return wrapped(items, width - taken, text.indent_of(start), width)

    def _gap(self, node: _Display) -> str:
        """Return what stands between two items: a line each, where the code does so."""
        first, last = (self._text.span(item)[0] for item in (node.elts[0], node.elts[-1]))
        if self._text.line_of(self._text.span(node)[0]) == self._text.line_of(last):
            return ", "
        blanks = " " * self._text.column_of(last)
        several = self._text.line_of(first) == self._text.line_of(last) and len(node.elts) > 1
        return ", " if several else f",\n{blanks}"


def _is_collection_call(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _COLLECTIONS
        and len(node.args) == 1
    )


def _widens(text: Source, node: ast.AST) -> bool:
    """Whether one more item in the collection ``node`` lets more answers through."""
    parent = text.parents[node]
    while _is_collection_call(parent):
        node, parent = parent, text.parents[parent]
    match parent:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.BinOp(op=ast.BitAnd()):
            return True
        case ast.Call(func=ast.Attribute(attr=name), args=[_]):
            return name in _MEMBERSHIP or name in _PREFIXES
        case ast.Attribute(attr=name):
            return name in _MEMBERSHIP
        case ast.comprehension(iter=iterated, target=ast.Name(id=name)) if iterated is node:
            return _asks_any(text, parent, name)
        case _:
            return False


def _asks_any(text: Source, generator: ast.comprehension, name: str) -> bool:
    """Whether ``any()`` asks each item of a loop for a match."""
    loop = text.parents[generator]
    call = text.parents[loop]
    if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "any"):
        return False
    asked = loop.elt if isinstance(loop, _Comprehension) else None
    return (
        isinstance(asked, ast.Compare)
        and len(asked.ops) == 1
        and isinstance(asked.ops[0], ast.In | ast.Eq)
        and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(asked))
    )


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression may be evaluated twice: it only looks."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return _is_plain(value)
        case ast.Subscript(value=one, slice=other) | ast.BinOp(left=one, right=other):
            return _is_plain(one) and _is_plain(other)
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=arguments, keywords=[]):
            return name in _PLAIN_METHODS and all(map(_is_plain, [value, *arguments]))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return name in _PLAIN_FUNCTIONS and all(map(_is_plain, arguments))
        case _:
            return False

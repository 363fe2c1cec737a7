"""The rules by which a literal in a condition takes labels beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from analyzers.cloud.repairs.labels.collection_items import (
    PREFIXES,
    Comprehension,
    Display,
    gathered,
    is_plain,
    looks_up,
    widens,
    with_items,
    with_keys,
)
from analyzers.cloud.source_edits import (
    Case,
    SourceText,
    Splice,
    cased,
    fresh_name,
    quoted,
    wrapped,
)

FUNCTIONS = frozenset({"search", "match", "fullmatch", "findall", "compile"})
_SPECIAL = re.compile(r"[^\w -]")
_OPEN = ("|", "(", "(?:", "'", '"')
_CLOSED = ("|", ")", "'", '"')
_REPEATED = ("?", "*", "+", "{")


def is_search(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of :mod:`re` with a pattern."""
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in FUNCTIONS
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("re", "regex")
    )


def is_pattern(text: SourceText, literal: ast.Constant) -> bool:
    """Return whether a text is the regular expression of a call of :mod:`re`."""
    call = text.parents[literal]
    return is_search(call) and call.args[0] is literal


def alternative(pattern: str, label: str) -> re.Match[str] | None:
    """Find the label where it stands in a pattern for itself, once and in any case.

    Blanks and word characters around it would make it another word.
    """
    pattern = pattern.replace("\\b", "\\\a")
    found = list(re.finditer(rf"(?<![\w -]){re.escape(label)}(?![\w -])", pattern, re.IGNORECASE))
    if len(found) == 1 and not pattern.startswith(_REPEATED, found[0].end()):
        return found[0]
    return None


def in_pattern(
    text: SourceText, literal: ast.Constant, label: str, added: Sequence[str]
) -> list[Splice]:
    """``re.search('x|z', s)`` → ``re.search('x|y|z', s)``."""
    if any(_SPECIAL.search(each) for each in added):
        return []
    start, end = text.span(literal)
    written = text.text[start:end]
    found = alternative(written, label)
    if found is None:
        return []
    insert = written[found.start() : found.end()]
    more = "|".join(added)
    at, after = start + found.start(), start + found.end()
    alone = written[: found.start()].endswith(_OPEN) and written.startswith(_CLOSED, found.end())
    if alone:
        return [Splice(after, after, f"|{more}")]
    return [Splice(at, after, f"(?:{insert}|{more})")]


_USUAL_WIDTH, _GREATEST_WIDTH = 88, 120
_FEW = 2


@dataclass(frozen=True)
class NamedCollection:
    """A constant collection under a name: where it stands, and how it is used.

    ``asked`` is the use in the condition, ``uses`` are all of them, each in
    its own text.
    """

    value: ast.expr
    asked: tuple[SourceText, ast.AST]
    uses: tuple[tuple[SourceText, ast.AST], ...]


class LabelLiteral:
    """One literal of the label, and the rule for where it stands."""

    def __init__(
        self,
        text: SourceText,
        literal: ast.Constant,
        label: str,
        added: Sequence[str],
        held: NamedCollection | None = None,
        case: Case | None = None,
    ) -> None:
        """``label`` is what the literal says, or one of its alternatives."""
        self._text = text
        self._literal = literal
        self._label = label
        self._parent = text.parents[literal]
        self._held = held
        asked = _comparison(text, literal) if held is None else _comparison(*held.asked)
        known = alternative(str(literal.value), label)
        self._added = cased(added, known[0] if known else str(literal.value), asked, case)

    def splices(self) -> list[Splice]:
        """Return the changes; none where no rule fits."""
        text, literal, parent = self._text, self._literal, self._parent
        if isinstance(parent, Display):
            return self._collection(parent)
        if isinstance(parent, ast.Dict) and literal in parent.keys:
            return self._mapping(parent)
        if is_pattern(text, literal):
            return in_pattern(text, literal, self._label, self._added) if self._is_asked() else []
        return self._compared() if self._held is None else []

    def _compared(self) -> list[Splice]:
        text, literal = self._text, self._literal
        match self._parent:
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()]) as parent:
                return self._chained(parent) or _one(self._equality(parent))
            case ast.Compare(ops=[ast.In() | ast.NotIn()], left=left) as parent if left is literal:
                return _one(self._containment(parent))
            case ast.Call(func=ast.Attribute(attr=name), args=[_]) if name in PREFIXES:
                return [Splice(*text.span(literal), self._tuple(literal))]
            case ast.MatchValue():
                end = text.span(literal)[1]
                more = "".join(f" | {self._quoted(label)}" for label in self._added)
                return [Splice(end, end, more)]
            case _:
                return []

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

    def _chained(self, node: ast.Compare) -> list[Splice]:
        """``x == 'X' or x == 'Z'`` → ``x == 'X' or x == 'Z' or x == 'Y'``."""
        text, parent = self._text, self._text.parents[node]
        link = ast.Or if isinstance(node.ops[0], ast.Eq) else ast.And
        if not (isinstance(parent, ast.BoolOp) and isinstance(parent.op, link)):
            return []
        alike = [value for value in parent.values if _is_alike(value, node)]
        present = {value.value for each in alike if (value := _compared(each)) is not None}
        last = alike[-1]
        at = parent.values.index(last)
        if len(alike) < _FEW or parent.values[at - 1] not in alike:
            return []
        start, end = text.span(last)
        gap = text.text[text.span(parent.values[at - 1])[1] : start]
        known = text.text[text.span(self._literal)[0] : text.span(self._literal)[1]]
        if "#" in gap or "(" in gap or ")" in gap:
            return []
        written = text.segment(node)
        new = [label for label in self._added if label not in present]
        more = [gap + written.replace(known, self._quoted(label)) for label in new]
        return [Splice(end, end, "".join(more))] if more and written.count(known) == 1 else []

    def _containment(self, node: ast.Compare) -> Splice | None:
        """``'X' in xs`` → ``'X' in xs or 'Y' in xs``."""
        text, right = self._text, node.comparators[0]
        negated = isinstance(node.ops[0], ast.NotIn)
        start, end = text.span(node)
        if isinstance(right, Comprehension):
            return self._comprehension(node, right, negated=negated)
        if not is_plain(right):
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
        self, node: ast.Compare, right: Comprehension, *, negated: bool
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

    def _collection(self, node: Display) -> list[Splice]:
        """``x in ('X', 'Z')`` → ``x in ('X', 'Z', 'Y')``."""
        present = {item.value for item in node.elts if isinstance(item, ast.Constant)}
        new = [self._quoted(label) for label in self._added if label not in present]
        if self._held is None:
            fits = widens(self._text, node)
        else:
            whole = gathered(self._text, node) is self._held.value
            fits = whole and all(widens(text, use) for text, use in self._held.uses)
        return with_items(self._text, node, new) if fits and new else []

    def _mapping(self, node: ast.Dict) -> list[Splice]:
        """``{'X': v}[x]`` → ``{'X': v, 'Y': v}[x]``."""
        present = {item.value for item in node.keys if isinstance(item, ast.Constant)}
        new = [self._quoted(label) for label in self._added if label not in present]
        if self._held is None:
            fits = looks_up(self._text, node)
        else:
            uses = self._held.uses
            fits = node is self._held.value and all(looks_up(text, use) for text, use in uses)
        fits = fits and is_plain(node.values[node.keys.index(self._literal)])
        return with_keys(self._text, node, self._literal, new) if fits and new else []

    def _is_asked(self) -> bool:
        """Return whether a pattern that is held is only searched for."""
        parents = [text.parents[use] for text, use in self._held.uses] if self._held else []
        return all(isinstance(node, ast.Attribute) and node.attr in FUNCTIONS for node in parents)

    # ------------------------------------------------------------ in short

    def _binds_tighter(self, node: ast.Compare, *, negated: bool) -> bool:
        """Return whether the place of a comparison needs parentheses around a chain."""
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


def _one(splice: Splice | None) -> list[Splice]:
    return [] if splice is None else [splice]


def _comparison(text: SourceText, node: ast.AST) -> ast.AST:
    return next((outer for outer in text.ancestors(node) if isinstance(outer, ast.Compare)), node)


def _compared(node: ast.expr) -> ast.Constant | None:
    """Return the text that a comparison compares with."""
    if not (isinstance(node, ast.Compare) and len(node.ops) == 1):
        return None
    sides = [
        side
        for side in (node.comparators[0], node.left)
        if isinstance(side, ast.Constant) and isinstance(side.value, str)
    ]
    return sides[0] if len(sides) == 1 else None


def _is_alike(one: ast.expr, other: ast.Compare) -> bool:
    """Return whether two comparisons are the same but for the text they compare with."""
    literals = _compared(one), _compared(other)
    if None in literals or not isinstance(one, ast.Compare):
        return False
    blank = ast.dump(ast.Constant(""))
    dumps = [
        ast.dump(node).replace(ast.dump(literal), blank)
        for node, literal in zip((one, other), literals, strict=True)
        if literal is not None
    ]
    return dumps[0] == dumps[1] and is_plain(other.left) and is_plain(other.comparators[0])

"""Changes of a few characters of a source text and nothing else.

The nodes come from :mod:`ast` and are replaced by text, so every comment,
quote and blank around them stays as it was.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from analyzers.guest.instrumentation.decisions import Decision, NodeText
from analyzers.guest.provenance.bindings import FUNCTIONS, FunctionNode, parents
from analyzers.source_checks.parsed_text import parsed

_NEWLINE = re.compile(r"\r\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Whole lines for the place of ``start_line``..``end_line``.

    Lines are 1-based and both ends are included; the replacement has no
    newline at its end, and line feeds between its lines however the file ends them.
    """

    start_line: int
    end_line: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Text for the place of the characters ``start``..``end`` (exclusive)."""

    start: int
    end: int
    text: str


class SourceText:
    """A module's text and its tree.

    Raises ``SyntaxError`` (``ValueError`` for null bytes) where this Python
    cannot parse it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        tree = parsed(text)
        if tree is None:
            raise SyntaxError("no Python that can be read")
        self.tree = tree
        self.parents = parents(tree)
        self._columns = NodeText(text)
        lines = [match.group() for match in _LINE.finditer(text)]
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line))

    def condition(self, decision: Decision) -> ast.expr | None:
        """Return the expression that a decision asks; ``None`` if it is none."""
        span = (decision.line, decision.column, decision.end_line, decision.end_column)
        return self._expressions.get(span)

    @cached_property
    def _expressions(self) -> dict[tuple[int, ...], ast.expr]:
        """The outermost expression at each span."""
        found: dict[tuple[int, ...], ast.expr] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr):
                found.setdefault(self._columns.span(node), node)
        return found

    def asked(self, decision: Decision) -> ast.expr | ast.pattern | None:
        """Return the expression, or the pattern of a ``case``, that a decision asks."""
        if decision.kind != "match":
            return self.condition(decision)
        start = (decision.line, decision.column)
        patterns = [node for node in ast.walk(self.tree) if isinstance(node, ast.match_case)]
        return next(
            (each.pattern for each in patterns if self._columns.span(each.pattern)[:2] == start),
            None,
        )

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the offsets of a node's first character and of the one after it."""
        line, column, end_line, end_column = self._columns.span(node)
        return self._starts[line - 1] + column, self._starts[end_line - 1] + end_column

    def segment(self, node: ast.AST) -> str:
        """Return a node's own text, without parentheses around it."""
        start, end = self.span(node)
        return self.text[start:end]

    def bare(self, node: ast.AST, within: ast.AST) -> str:
        """Return a node's text, with the parentheses that ``within`` gives it."""
        start, end = self.span(node)
        first, last = self.span(within)
        while start > first and end < last:
            left = self.text[first:start].rstrip()
            right = self.text[end:last]
            if not (left.endswith("(") and right.lstrip().startswith(")")):
                break
            start = first + len(left) - 1
            end = last - len(right.lstrip()) + 1
        return self.text[start:end]

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node stands in, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset."""
        return sum(start <= offset for start in self._starts[:-1])

    def column_of(self, offset: int) -> int:
        """Return the 0-based column of an offset."""
        return offset - self._starts[self.line_of(offset) - 1]

    def end_of_line(self, offset: int) -> int:
        """Return the offset at which an offset's line ends."""
        return len(self.text[: self._starts[self.line_of(offset)]].rstrip("\r\n"))

    def indent_of(self, offset: int) -> str:
        """Return the blanks at the start of an offset's line."""
        start = self._starts[self.line_of(offset) - 1]
        blanks = re.compile(r"[ \t]*").match(self.text, start)
        return blanks.group() if blanks else ""

    def above_comments(self, offset: int) -> int:
        """Return where an offset's line, or the comments directly above it, begin after blanks."""
        indent, line = self.indent_of(offset), self.line_of(offset)
        while line > 1:
            above = self.text[self._starts[line - 2] : self._starts[line - 1]]
            if not above.startswith(f"{indent}#"):
                break
            line -= 1
        return self._starts[line - 1] + len(indent)

    def indent_unit(self) -> str:
        """Return what the text's first indented line is indented by; four blanks if none is."""
        found = re.search(r"^([ \t]+)[^\s#]", self.text, re.MULTILINE)
        return found[1] if found else "    "

    def width(self, usual: int, greatest: int) -> int:
        """Return the line length that this text keeps to."""
        longest = max(len(line) for line in self.text.splitlines() or [""])
        return min(greatest, max(usual, longest))

    def edited(self, splices: Sequence[Splice]) -> LineEdit | None:
        """Return the lines after the splices; ``None`` if they do not parse."""
        ordered = sorted(splices, key=lambda splice: splice.start)
        if not ordered or any(one.end > other.start for one, other in pairwise(ordered)):
            return None
        first, last = self.line_of(ordered[0].start), self.line_of(ordered[-1].end)
        start, end = self._starts[first - 1], self._starts[last]
        changed, at = "", start
        for splice in ordered:
            changed += self.text[at : splice.start] + splice.text
            at = splice.end
        changed += self.text[at:end]
        try:
            ast.parse(self.text[:start] + changed + self.text[end:])
        except SyntaxError:
            return None
        written = _NEWLINE.sub("\n", changed.rstrip("\r\n"))
        return LineEdit(first, last, written)


@lru_cache(maxsize=64)
def parsed_source(text: str) -> SourceText:
    """Return the tree of a text, the same for everybody who reads it; raise as ``SourceText``."""
    return SourceText(text)


Case = Callable[[str], str]
CASES: dict[str, Case] = {
    "lower": str.lower,
    "casefold": str.casefold,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
}
"""The methods by which code brings both sides to one case."""


def cased(
    labels: Iterable[str], like: str, comparison: ast.AST, case: Case | None = None
) -> tuple[str, ...]:
    """Return the labels in the case that ``comparison`` brings its operands to.

    Where it calls for none, in that of the literal ``like`` if this is all
    lower or all upper case, else as the API spells them.  ``case`` overrules
    both.
    """
    methods = [
        CASES[node.func.attr]
        for node in ast.walk(comparison)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CASES
    ]
    convert = case or (methods[0] if methods else _case_of(like))
    return tuple(dict.fromkeys(convert(label) for label in labels))


def _case_of(literal: str) -> Callable[[str], str]:
    if literal.islower():
        return str.lower
    return str.upper if literal.isupper() else str


def quoted(label: str, like: str) -> str:
    """Return a label as a literal, in the quotes of the literal text ``like``."""
    quote = next((character for character in like if character in "'\""), '"')
    plain = label.isprintable() and quote not in label and "\\" not in label
    return f"{quote}{label}{quote}" if plain else repr(label)


def fresh_name(tree: ast.AST) -> str:
    """Return a name for a loop variable that the code does not use."""
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    taken |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    names = ("word", "label", "name", "term", "wanted")
    return next((name for name in names if name not in taken), "wanted_label")


def wrapped(items: Sequence[str], room: int, indent: str, width: int) -> str:
    """Return ``(a, b)``: on one line of ``room`` characters, or on lines of its own.

    The lines are indented by four more than ``indent`` and, where the items
    allow it, at most ``width`` long.
    """
    short = f"({', '.join(items)})"
    if len(short) <= room:
        return short
    inner = indent + "    "
    lines = [inner]
    for item in items:
        if lines[-1] != inner and len(lines[-1]) + len(item) + 2 > width:
            lines.append(inner)
        lines[-1] += f"{item}," if lines[-1] == inner else f" {item},"
    return "\n".join(["(", *lines, f"{indent})"])


def scope_of(text: SourceText, node: ast.AST) -> FunctionNode | ast.Module:
    """Return the function around a node, or the module."""
    assert isinstance(text.tree, ast.Module)
    return function_around(text, node) or text.tree


def function_around(text: SourceText, node: ast.AST) -> FunctionNode | None:
    """Return the innermost function that a node is in."""
    return next((each for each in text.ancestors(node) if isinstance(each, FUNCTIONS)), None)


def assigned(scope: ast.AST, name: str) -> Sequence[ast.expr]:
    """Return what a scope assigns to a name, or takes it from; nothing if that is not clear."""
    values: list[ast.expr] = []
    stores = 0
    for node in ast.walk(scope):
        stores += (
            isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        )
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                values.append(value)
            case ast.For(target=ast.Name(id=target), iter=value) if target == name:
                values.append(value)
            case ast.comprehension(target=ast.Name(id=target), iter=value) if target == name:
                values.append(value)
            case _:
                pass
    return values if len(values) == stores else ()

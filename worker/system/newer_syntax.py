"""Read code of newer Pythons with the parser of this one.

Type parameters, ``type`` statements (PEP 695, 696), f-strings that hold any expression (PEP 701),
template strings (PEP 750) and ``except A, B:`` (PEP 758) are written in the syntax of Python 3.11.
libcst, which knows them all, tells where they are.  Lines stay where they are, and so do columns
but for what follows a ``type`` statement's name or a list of exceptions in its own line.
"""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

_NAME = "_"


class NoNewerSyntaxError(Exception):
    """A text that no Python parses, or that this one parses as it is."""


@dataclass(frozen=True, slots=True)
class OlderText:
    """A text in the syntax of Python 3.11.

    ``strings`` are the f-strings that a name in parentheses stands for, by line and byte column
    of the name; ``types`` are the names of type parameters; ``python`` is the first that has all
    of its syntax.
    """

    python: tuple[int, int]
    text: str
    strings: Mapping[tuple[int, int], ast.expr]
    types: tuple[str, ...]


def parsed_as_older(source: str, parse: str = "exec") -> ast.Module | ast.Expression:
    """Return the tree of a text of a newer Python.

    Names of type parameters are imported at the top, as ``typing.Any``.  Raises
    :class:`NoNewerSyntaxError` and ``SyntaxError``.
    """
    older = _older(source)
    tree = ast.parse(older.text, mode=parse)
    assert isinstance(tree, ast.Module | ast.Expression)
    tree = _Strings(older.strings).visit(tree)
    if older.types and isinstance(tree, ast.Module):
        names = [ast.alias("Any", name, lineno=1, col_offset=0) for name in older.types]
        found = ast.ImportFrom("typing", names, 0, lineno=1, col_offset=0)
        tree.body.insert(_first(tree.body), ast.fix_missing_locations(found))
    return tree


def needed_python(source: str) -> tuple[int, int] | None:
    """Return the first Python that has the syntax of a text; ``None`` where this one parses it."""
    if _is_readable(source, "exec"):
        return None
    try:
        return _older(source).python
    except NoNewerSyntaxError:
        return None


def _first(body: Sequence[ast.stmt]) -> int:
    """Return the place after the docstring and what is imported from the future."""
    for place, node in enumerate(body):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_text or is_future):
            return place
    return len(body)


class _Strings(ast.NodeTransformer):
    def __init__(self, strings: Mapping[tuple[int, int], ast.expr]) -> None:
        self._strings = strings

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self._strings.get((node.lineno, node.col_offset), node))


@functools.lru_cache(maxsize=64)
def _older(source: str) -> OlderText:
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
        finder = _Finder(source, wrapper.resolve(PositionProvider))
        wrapper.module.visit(finder)
    except (cst.ParserSyntaxError, RecursionError) as error:
        raise NoNewerSyntaxError(str(error)) from error
    if not finder.edits:
        raise NoNewerSyntaxError("there is no newer syntax")
    text, at = [], 0
    for start, end, written in sorted(finder.edits):
        if start >= at:
            text += [source[at:start], written]
            at = end
    text.append(source[at:])
    return OlderText(finder.python, "".join(text), finder.strings, tuple(finder.types))


class _Finder(cst.CSTVisitor):
    """Collects what is to be written otherwise: ``(start, end, text)``."""

    def __init__(self, source: str, positions: Mapping[cst.CSTNode, CodeRange]) -> None:
        self._source = source
        self._positions = positions
        self._lines = [0, *(found.end() for found in re.finditer("\n", source))]
        self.edits: list[tuple[int, int, str]] = []
        self.strings: dict[tuple[int, int], ast.expr] = {}
        self.types: dict[str, None] = {}
        self.python = (3, 12)

    def _span(self, node: cst.CSTNode) -> tuple[int, int]:
        start, end = self._positions[node].start, self._positions[node].end
        return self._lines[start.line - 1] + start.column, self._lines[end.line - 1] + end.column

    def visit_TypeParameters(self, node: cst.TypeParameters) -> None:
        for each in node.params:
            self.types[each.param.name.value] = None
        start, end = self._span(node)
        self.edits.append((start, end, _blank(self._source[start:end])))

    def visit_TypeAlias(self, node: cst.TypeAlias) -> None:
        start, named = self._span(node)[0], self._span(node.name)
        self.edits.append((start, named[0], f"{node.name.value} "))
        self.edits.append((*named, ""))

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        self._exceptions(node.type)

    def visit_ExceptStarHandler(self, node: cst.ExceptStarHandler) -> None:
        self._exceptions(node.type)

    def _exceptions(self, node: cst.BaseExpression | None) -> None:
        if isinstance(node, cst.Tuple) and not node.lpar:
            start, end = self._span(node)
            self.edits += [(start - 1, start, "("), (end, end, ")")]
            self.python = (3, 14)

    def visit_ConcatenatedString(self, node: cst.ConcatenatedString) -> bool:
        return not self._is_newer(node)

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        return not self._is_newer(node)

    def visit_TemplatedString(self, node: cst.TemplatedString) -> bool:
        self.python = (3, 14)
        return not self._is_newer(node)

    def _is_newer(self, node: cst.BaseExpression) -> bool:
        """Note an f-string, unless it is one of Python 3.11."""
        start, end = self._span(node)
        written = self._source[start:end]
        if isinstance(node, cst.ConcatenatedString) and not _LETTERS.search(written):
            return False
        if _is_readable(f"({written})"):
            return False
        line = self._source.count("\n", 0, start)
        column = len(self._source[self._lines[line] : start].encode())
        first, _, rest = written.partition("\n")
        stands = f"({_NAME * (len(first) - (1 if rest else 2))}"
        lines = rest.split("\n") if rest else []
        blank = "".join(f"\n{' ' * len(each)}" for each in lines)
        self.edits.append((start, end, f"{stands}{blank[:-1] if rest else ''})"))
        made = joined(list(self._values(node)))
        self.strings[line + 1, column + 1] = _placed(made, line + 1, column, written)
        return True

    def _values(self, node: cst.CSTNode) -> Iterator[ast.expr]:
        """Yield the constants and the formatted values of a string."""
        if isinstance(node, cst.ConcatenatedString):
            yield from self._values(node.left)
            yield from self._values(node.right)
        elif isinstance(node, cst.SimpleString):
            yield ast.Constant(node.evaluated_value)
        elif isinstance(node, cst.FormattedString | cst.TemplatedString):
            raw = "r" in node.start.casefold()
            for part in node.parts:
                yield from self._part(part, raw=raw)

    def _part(self, part: cst.CSTNode, *, raw: bool) -> Iterator[ast.expr]:
        if isinstance(part, cst.FormattedStringText | cst.TemplatedStringText):
            text = part.value.replace("{{", "{").replace("}}", "}")
            yield ast.Constant(text if raw else _unescaped(text))
            return
        assert isinstance(part, cst.FormattedStringExpression | cst.TemplatedStringExpression)
        conversion = ord(part.conversion) if part.conversion else -1
        if part.equal is not None:
            start, end = self._span(part.expression)
            yield ast.Constant(self._source[start : self._source.index("=", end) + 1])
            conversion = conversion if part.conversion or part.format_spec else ord("r")
        spec = part.format_spec
        inner = [each for p in spec or () for each in self._part(p, raw=raw)]
        yield ast.FormattedValue(
            self._expression(part.expression),
            conversion,
            ast.JoinedStr(inner) if spec is not None else None,
        )

    def _expression(self, node: cst.BaseExpression) -> ast.expr:
        """Return the tree of an expression, at its lines and columns."""
        start, end = self._span(node)
        line = self._source.count("\n", 0, start)
        column = len(self._source[self._lines[line] : start].encode())
        tree = ast.parse(f"({self._source[start:end]}\n)", mode="eval").body
        for each in ast.walk(tree):
            if isinstance(each, ast.expr | ast.arg | ast.keyword):
                each.col_offset += column - 1 if each.lineno == 1 else 0
                each.lineno += line
                if each.end_lineno is not None and each.end_col_offset is not None:
                    each.end_col_offset += column - 1 if each.end_lineno == 1 else 0
                    each.end_lineno += line
        return tree


def _is_readable(text: str, mode: str = "eval") -> bool:
    """Return whether this Python itself parses an expression, or a module."""
    try:
        compile(text, "<string>", mode, ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_LETTERS = re.compile(r"\b[a-zA-Z]*[fFtT][a-zA-Z]*['\"]")


def _blank(text: str) -> str:
    """Return blanks in the lines of a text, which are one logical line."""
    return "\\\n".join(" " * max(len(line) - 1, 0) for line in text.split("\n")) + " "


_ESCAPE = re.compile(r"\\(?:N\{[^}]*\}|x..|u.{4}|U.{8}|[0-7]{1,3}|.)", re.DOTALL)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: str(ast.literal_eval(f"'''{found[0]}'''")), text)


def joined(values: Sequence[ast.expr]) -> ast.expr:
    """Return an f-string of its parts; as a call of ``format`` where it cannot be written."""
    parts: list[ast.expr] = []
    for each in values:
        before = parts[-1] if parts else None
        if isinstance(each, ast.Constant) and isinstance(before, ast.Constant):
            parts[-1] = ast.Constant(str(before.value) + str(each.value))
        elif not (isinstance(each, ast.Constant) and not each.value):
            parts.append(each)
    found = ast.JoinedStr(parts)
    try:
        return found if _is_readable(ast.unparse(found)) else _formatted(parts)
    except ValueError:  # raised by ``unparse``, where no quotes are left
        return _formatted(parts)


def _formatted(parts: Sequence[ast.expr]) -> ast.expr:
    given: list[ast.expr] = []

    def text(part: ast.expr) -> str:
        if isinstance(part, ast.Constant):
            return str(part.value).replace("{", "{{").replace("}", "}}")
        assert isinstance(part, ast.FormattedValue)
        given.append(part.value)
        turned = f"!{chr(part.conversion)}" if part.conversion > 0 else ""
        spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
        return f"{{{turned}{':' if spec else ''}{''.join(map(text, spec))}}}"

    template = "".join(map(text, parts))
    return ast.Call(ast.Attribute(ast.Constant(template), "format", ast.Load()), given, [])


def _placed(made: ast.expr, line: int, column: int, written: str) -> ast.expr:
    """Return a string's tree with the string's place in all that has none."""
    last = written.rpartition("\n")[2]
    end = line + written.count("\n")
    size = len(last.encode()) + (column if end == line else 0)
    for each in ast.walk(made):
        if isinstance(each, ast.expr) and not hasattr(each, "lineno"):
            each.lineno, each.col_offset = line, column
            each.end_lineno, each.end_col_offset = end, size
    return made

"""One file of the project, parsed once: its functions and classes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst
from libcst._nodes.internal import CodegenState

from analyzers.detection.python_syntax import MAIN, MODULE, UnparsableError, check_parsable

Span = tuple[int, int, int, int]
_LINE_END = re.compile("\r\n|\r|\n")


class _Counter(CodegenState):
    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.offset = 0
        self.ranges: dict[cst.CSTNode, tuple[int, int]] = {}
        self._starts: list[int] = []

    def add_indent_tokens(self) -> None:
        self.offset += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        self._starts.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self._starts.pop()
        self.ranges.setdefault(node, (start, self.offset))

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Generator[None]:
        start = self.offset
        yield
        first = self.ranges.get(start_node, (start, 0)) if start_node else (start, 0)
        last = self.ranges.get(end_node, (0, self.offset)) if end_node else (0, self.offset)
        self.ranges[node] = (first[0], last[1])


class Positions:
    """The lines and columns of every node of a module.

    Lines are 1-based, columns count characters from 0, the end is exclusive,
    as in :mod:`ast`; parentheses around a node do not belong to it.
    """

    def __init__(self, module: cst.Module, source: str) -> None:
        counter = _Counter(module)
        module._codegen(counter)  # pyright: ignore[reportPrivateUsage]
        self._ranges = counter.ranges
        self._starts = [0, *(end.end() for end in _LINE_END.finditer(source))]

    def __contains__(self, node: cst.CSTNode) -> bool:
        return node in self._ranges

    def line(self, node: cst.CSTNode) -> int:
        """The line in which a node starts."""
        return bisect_right(self._starts, self._ranges[node][0])

    def span(self, node: cst.CSTNode) -> Span:
        """``(line, column, end_line, end_column)`` of a node."""
        start, end = self._ranges[node]
        line, end_line = (bisect_right(self._starts, at) for at in (start, end))
        return (
            line,
            start - self._starts[line - 1],
            end_line,
            end - self._starts[end_line - 1],
        )


Body = Sequence[cst.BaseStatement | cst.BaseSmallStatement]
_GUARDS = ("__name__=='__main__'", "'__main__'==__name__")


@dataclass(eq=False)
class CstUnit:
    """A function, or the code of a module outside functions.

    ``owner`` is the id of the class whose method it is, ``outer`` the id of
    the function that encloses it.
    """

    id: str
    path: str
    name: str
    body: Body
    node: cst.FunctionDef | None = None
    owner: str | None = None
    outer: str | None = None

    @cached_property
    def parameters(self) -> tuple[cst.Param, ...]:
        """The parameters that take positions or names, in order."""
        if self.node is None:
            return ()
        params = self.node.params
        return (*params.posonly_params, *params.params, *params.kwonly_params)

    @property
    def is_method(self) -> bool:
        """Return whether the first parameter is the instance or the class."""
        return self.owner is not None and "staticmethod" not in self.decorators

    @property
    def is_property(self) -> bool:
        """Return whether reading the attribute calls the function."""
        return any("property" in name for name in self.decorators)

    @cached_property
    def decorators(self) -> frozenset[str]:
        """The last names of the decorators that are plain names."""
        found = self.node.decorators if self.node else ()
        names = (_last_name(entry.decorator) for entry in found)
        return frozenset(name for name in names if name)


@dataclass(eq=False, slots=True)
class CstClass:
    """A class: its methods by name, and where its bases are written."""

    id: str
    path: str
    node: cst.ClassDef
    methods: dict[str, str] = field(default_factory=dict[str, str])


class CstModule:
    """A parsed file.  ``units`` and ``classes`` are keyed by id."""

    def __init__(self, path: str, source: str) -> None:
        """Parse; raises :class:`UnparsableError`."""
        self.path = path
        self.source = source.removeprefix("\ufeff")
        check_parsable(self.source)
        self.tree = _parsed(self.source)
        self.units: dict[str, CstUnit] = {}
        self.classes: dict[str, CstClass] = {}
        self.by_node: dict[cst.CSTNode, str] = {}
        outside: list[cst.BaseStatement | cst.BaseSmallStatement] = []
        main: list[cst.BaseStatement | cst.BaseSmallStatement] = []
        for statement in self.tree.body:
            if isinstance(statement, cst.If) and self._is_guard(statement.test):
                main.extend(block(statement.body))
                if statement.orelse is not None:
                    outside.extend(block(statement.orelse.body))
            else:
                outside.append(statement)
        self._add(CstUnit(self.id(MODULE), self.path, MODULE, tuple(outside)))
        if main:
            self._add(CstUnit(self.id(MAIN), self.path, MAIN, tuple(main)))
        self._enter((*outside, *main), "", None, None)

    @cached_property
    def positions(self) -> Positions:
        """Return where the nodes stand."""
        return Positions(self.tree, self.source)

    def id(self, name: str) -> str:
        """``path::name``."""
        return f"{self.path}::{name}"

    def _is_guard(self, test: cst.BaseExpression) -> bool:
        if not isinstance(test, cst.Comparison):
            return False
        written = self.tree.code_for_node(test.with_changes(lpar=(), rpar=()))
        return "".join(written.split()).replace('"', "'") in _GUARDS

    def _add(self, unit: CstUnit) -> None:
        self.units[unit.id] = unit

    def _enter(self, body: Body, prefix: str, owner: CstClass | None, outer: str | None) -> None:
        for node in definitions(body):
            name = prefix + node.name.value
            if isinstance(node, cst.ClassDef):
                unit = CstClass(self.id(name), self.path, node)
                self.classes[unit.id] = unit
                self.by_node[node] = unit.id
                self._enter(block(node.body), f"{name}.", unit, outer)
                continue
            function = CstUnit(
                self.id(name),
                self.path,
                name,
                block(node.body),
                node,
                owner.id if owner else None,
                outer,
            )
            self._add(function)
            self.by_node[node] = function.id
            if owner:
                owner.methods[node.name.value] = function.id
            self._enter(function.body, f"{name}.<locals>.", None, function.id)


def _parsed(source: str) -> cst.Module:
    try:
        return cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        reason = f"cannot be parsed: line {error.raw_line}: {error.message}"
        raise UnparsableError(reason) from error


def block(suite: cst.BaseSuite) -> Body:
    """The statements of a suite, on one line or on many."""
    if isinstance(suite, cst.IndentedBlock):
        return tuple(suite.body)
    if isinstance(suite, cst.SimpleStatementSuite):
        return tuple(suite.body)
    return ()


def blocks(statement: cst.CSTNode) -> Iterator[Body]:
    """The bodies of a compound statement that is no definition."""
    for child in statement.children:
        if isinstance(child, cst.BaseSuite):
            yield block(child)
        elif isinstance(
            child,
            cst.If
            | cst.Else
            | cst.ExceptHandler
            | cst.ExceptStarHandler
            | cst.Finally
            | cst.MatchCase,
        ):
            yield from blocks(child)


def definitions(body: Body) -> Iterator[cst.FunctionDef | cst.ClassDef]:
    """The functions and classes defined in a body, not inside one another."""
    for statement in body:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            yield statement
        elif isinstance(statement, cst.BaseCompoundStatement):
            for inner in blocks(statement):
                yield from definitions(inner)


def _last_name(node: cst.BaseExpression) -> str | None:
    if isinstance(node, cst.Call):
        return _last_name(node.func)
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else None

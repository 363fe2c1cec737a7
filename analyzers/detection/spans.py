"""Where the nodes of a libcst tree stand in their source text.

libcst's ``PositionProvider`` costs four times as much as writing the module
out: this counts characters while libcst writes, and turns them into lines on
demand.  ``CodegenState`` is internal to libcst, whose version is pinned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator
from contextlib import contextmanager

import libcst as cst
from libcst._nodes.internal import CodegenState

Span = tuple[int, int, int, int]
_LINE_END = re.compile("\r\n|\r|\n")


class _Counter(CodegenState):
    """Counts characters instead of keeping them."""

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
        """Whether a node stands in the text (and not in a string annotation)."""
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

"""Where the nodes of a parsed file stand in its text, in characters."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from analyzers.assembly.disassembly.nouns import Span

_LINE_END = re.compile("\r\n|\r|\n")


class Places:
    """The spans and lines of the nodes of a module that was parsed from ``source``."""

    def __init__(self, module: cst.Module, source: str) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._lines = [0, *(end.end() for end in _LINE_END.finditer(source))]
        self._bytes = None if source.isascii() else _byte_offsets(source)

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node starts and ends; parentheses around it do not belong to it."""
        span = self._spans[node]
        start, end = span.start, span.start + span.length
        if self._bytes is None:
            return start, end
        return bisect_left(self._bytes, start), bisect_left(self._bytes, end)

    def comma(self, comma: cst.Comma) -> Span:
        """Where the comma itself stands, without the blanks around it."""
        start = self.span(comma)[0] + len(self.module.code_for_node(comma.whitespace_before))
        return start, start + 1

    def line(self, at: int) -> int:
        """The line of a character, from 1."""
        return bisect_right(self._lines, at)

    def lines(self, node: cst.CSTNode) -> tuple[int, int]:
        """The first and the last line of a node."""
        start, end = self.span(node)
        return self.line(start), self.line(max(start, end - 1))


def _byte_offsets(source: str) -> list[int]:
    return [0, *accumulate(len(char.encode()) for char in source)]

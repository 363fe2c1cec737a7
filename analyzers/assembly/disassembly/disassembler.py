"""A file's text taken apart into template and blocks (MoCo, section III-A1)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from analyzers.assembly.disassembly.blocks import (
    LAYER,
    Block,
    BlockArgument,
    BlockSlot,
    CodePart,
    DisassembledModel,
    Span,
    TextEdit,
    UnreadableError,
    template_of,
)
from analyzers.assembly.disassembly.layer_calls import (
    AttributeUse,
    FoundLayer,
    Imports,
    LayerFinder,
    dotted_name,
    is_layer,
    is_loss,
)

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
    match path:
        case [*_, cst.Expr() as statement, cst.Call(args=[_]), cst.Arg()]:
            return (_nothing_done(statement, places),)
        case [
            *_,
            cst.Call(func=cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name))),
            cst.Arg(keyword=None, star="") as member,
        ] if name == "Sequential":
            return _without_member(member, places)
        case [*_, cst.List(), cst.Element() as pair, cst.Tuple(), cst.Element()]:
            return _without_member(pair, places)
        case [*_, cst.List(), cst.Element() as member]:
            return _without_member(member, places)
        case _:
            return ()


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


_DATA = ("torch.utils.data.", "torchvision.datasets.", "keras.datasets.", "keras.utils.")
_OPTIMIZERS = ("torch.optim.", "keras.optimizers.")
_UNTRAINED = frozenset(
    {
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.inference_mode",
        "torch.autograd.no_grad",
    }
)


class _Parts(cst.CSTVisitor):
    def __init__(self, imports: Imports, places: SourcePositions, models: frozenset[str]) -> None:
        self.parts: list[CodePart] = []
        self._imports = imports
        self._places = places
        self._models = models
        self._statement: cst.CSTNode | None = None
        self._loops: list[cst.CSTNode] = []

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        if node.name.value in self._models:
            self._add("model", node)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        self._statement = node

    def visit_For(self, node: cst.For | cst.While) -> None:
        self._loops.append(node)

    def leave_For(self, original_node: cst.For | cst.While) -> None:
        del original_node
        self._loops.pop()

    visit_While = visit_For
    leave_While = leave_For

    def visit_With(self, node: cst.With) -> None:
        for item in node.items:
            match item.item:
                case cst.Call(func=func) if self._imports.resolved(func) in _UNTRAINED:
                    self._add("evaluation", node)
                case _:
                    pass

    def visit_Call(self, node: cst.Call) -> None:
        match node.func:
            case cst.Attribute(attr=cst.Name(value="backward")) if self._loops:
                self._add("loop", self._loops[0])
            case cst.Attribute(attr=cst.Name(value="eval")) if not node.args:
                self._add("evaluation", self._statement)
            case func:
                kind = self._kind(self._imports.resolved(func), func)
                if kind:
                    self._add(kind, self._statement)

    def _kind(self, api: str, func: cst.BaseExpression) -> str:
        match func:
            case cst.Name(value=name) if name in self._models:
                return "model"
            case _:
                pass
        if api.startswith(_DATA):
            return "data"
        if api.startswith(_OPTIMIZERS):
            return "optimizer"
        return "loss" if is_loss(api) and (is_layer(api) or ".functional." in api) else ""

    def _add(self, kind: str, node: cst.CSTNode | None) -> None:
        if node is None:
            return
        part = CodePart(kind, *self._places.lines(node))
        if part not in self.parts:
            self.parts.append(part)


def parts(imports: Imports, places: SourcePositions, finder: LayerFinder) -> tuple[CodePart, ...]:
    """Return the parts of a module's training code, in the order of the text."""
    owners = {each.owner.rpartition(".")[2] for each in finder.found if each.style == "class"}
    reader = _Parts(imports, places, frozenset(owners))
    places.module.visit(reader)
    return tuple(sorted(reader.parts, key=lambda each: (each.line, each.end_line)))


def disassembled(text: str) -> list[DisassembledModel]:
    """Return the models of a file's text, without running it; raises :class:`UnreadableError`."""
    if "torch" not in text and "keras" not in text:
        return []
    try:
        places = SourcePositions(cst.parse_module(text), text)
    except (cst.ParserSyntaxError, RecursionError, UnicodeError) as error:
        raise UnreadableError(str(error)) from error
    imports = Imports()
    places.module.visit(imports)
    finder = LayerFinder(imports)
    places.module.visit(finder)
    if not finder.found:
        return []
    known = parts(imports, places, finder)
    owners = defaultdict[str, list[FoundLayer]](list)
    for found in finder.found:
        owners[found.owner].append(found)
    file = _File(text, places, imports, finder, known)
    return [file.model(owner, members) for owner, members in owners.items()]


@dataclass(frozen=True, eq=False)
class _File:
    _text: str
    _places: SourcePositions
    _imports: Imports
    _finder: LayerFinder
    _parts: tuple[CodePart, ...]

    def model(self, owner: str, members: Sequence[FoundLayer]) -> DisassembledModel:
        slots, blocks = list[BlockSlot](), list[Block]()
        taken = list[Span]()
        for found in members:
            spans = self._spans(found)
            if any(span[0] < end and start < span[1] for span in spans for start, end in taken):
                continue
            taken += spans
            name = _kept_in(found).removeprefix("self.")
            uses = self._finder.uses.get((found.owner, name), [])
            slots.append(BlockSlot(spans, omission(found, uses, self._places)))
            blocks.append(self._block(found, spans, uses, len(blocks)))
        template = template_of(self._text, slots, self._parts, self._imports.outer)
        return DisassembledModel(owner, members[0].style, template, _with_edges(blocks))

    def _spans(self, found: FoundLayer) -> tuple[Span, ...]:
        whole = self._places.span(found.call)
        if found.fed is None:
            return (whole,)
        fed = self._places.span(found.fed)
        return (whole[0], fed[0]), (fed[1], whole[1])

    def _block(
        self, found: FoundLayer, spans: tuple[Span, ...], uses: list[AttributeUse], slot: int
    ) -> Block:
        line, end_line = self._places.lines(found.call)
        lines = {self._places.lines(use.node)[0] for use in uses}
        code = self._places.module.code_for_node
        rest = found.call.args[1:] if found.fed is not None else found.call.args
        return Block(
            slot=slot,
            api=found.api,
            function=dotted_name(found.call.func),
            arguments=tuple(
                BlockArgument(
                    each.star or (each.keyword.value if each.keyword else ""), code(each.value)
                )
                for each in rest
            ),
            pieces=tuple(self._text[start:end] for start, end in spans),
            role=found.role,
            fed=code(found.fed.value) if found.fed is not None else "",
            name=_kept_in(found),
            line=line,
            end_line=end_line,
            uses=tuple(sorted(lines)) if found.fed is None else (line,),
        )


def _kept_in(found: FoundLayer) -> str:
    for node in reversed(found.path):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=target), *_]):
                return dotted_name(target)
            case cst.AnnAssign(target=target):
                return dotted_name(target)
            case cst.SimpleStatementLine() | cst.BaseCompoundStatement():
                return ""
            case _:
                pass
    return ""


def _with_edges(blocks: list[Block]) -> tuple[Block, ...]:
    layers = [block.slot for block in blocks if block.role == LAYER]
    edges = {layers[0], layers[-1]} if layers else set[int]()
    return tuple(replace(block, hidden=False) if block.slot in edges else block for block in blocks)

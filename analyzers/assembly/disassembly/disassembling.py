"""A file's text taken apart into template and blocks (MoCo, section III-A1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from analyzers.assembly.disassembly.finding import Finder, Found, Use
from analyzers.assembly.disassembly.naming import Imports, dotted_name
from analyzers.assembly.disassembly.nouns import (
    LAYER,
    Argument,
    Block,
    Disassembled,
    Part,
    Slot,
    Span,
    UnreadableError,
)
from analyzers.assembly.disassembly.omitting import omission
from analyzers.assembly.disassembly.parts import parts
from analyzers.assembly.disassembly.places import Places
from analyzers.assembly.disassembly.splicing import template_of


def disassembled(text: str) -> list[Disassembled]:
    """Take the text of a file apart, one for each class or function that has layers.

    Nothing is executed.  Raises :class:`UnreadableError` for what cannot be parsed.
    """
    if "torch" not in text and "keras" not in text:
        return []
    try:
        places = Places(cst.parse_module(text), text)
    except (cst.ParserSyntaxError, RecursionError, UnicodeError) as error:
        raise UnreadableError(str(error)) from error
    imports = Imports()
    places.module.visit(imports)
    finder = Finder(imports)
    places.module.visit(finder)
    if not finder.found:
        return []
    known = parts(imports, places, finder)
    owners = defaultdict[str, list[Found]](list)
    for found in finder.found:
        owners[found.owner].append(found)
    file = _File(text, places, imports, finder, known)
    return [file.model(owner, members) for owner, members in owners.items()]


class _File:
    def __init__(
        self,
        text: str,
        places: Places,
        imports: Imports,
        finder: Finder,
        known: tuple[Part, ...],
    ) -> None:
        self._text = text
        self._places = places
        self._imports = imports
        self._finder = finder
        self._parts = known

    def model(self, owner: str, members: Sequence[Found]) -> Disassembled:
        """The template and the blocks of one class or function."""
        slots, blocks = list[Slot](), list[Block]()
        taken = list[Span]()
        for found in members:
            spans = self._spans(found)
            if any(span[0] < end and start < span[1] for span in spans for start, end in taken):
                continue
            taken += spans
            uses = self._uses(found)
            slots.append(Slot(spans, omission(found, uses, self._places)))
            blocks.append(self._block(found, spans, uses, len(blocks)))
        template = template_of(self._text, slots, self._parts, self._imports.outer)
        return Disassembled(owner, members[0].style, template, _with_edges(blocks))

    def _spans(self, found: Found) -> tuple[Span, ...]:
        whole = self._places.span(found.call)
        if found.fed is None:
            return (whole,)
        fed = self._places.span(found.fed)
        return (whole[0], fed[0]), (fed[1], whole[1])

    def _uses(self, found: Found) -> list[Use]:
        name = _kept_in(found).removeprefix("self.")
        return self._finder.uses.get((found.owner, name), [])

    def _block(self, found: Found, spans: tuple[Span, ...], uses: list[Use], slot: int) -> Block:
        line, end_line = self._places.lines(found.call)
        lines = {self._places.lines(use.node)[0] for use in uses}
        code = self._places.module.code_for_node
        rest = found.call.args[1:] if found.fed is not None else found.call.args
        return Block(
            slot=slot,
            api=found.api,
            function=dotted_name(found.call.func),
            arguments=tuple(_argument(each, code(each.value)) for each in rest),
            pieces=tuple(self._text[start:end] for start, end in spans),
            role=found.role,
            fed=code(found.fed.value) if found.fed is not None else "",
            name=_kept_in(found),
            line=line,
            end_line=end_line,
            uses=tuple(sorted(lines)) if found.fed is None else (line,),
        )


def _argument(argument: cst.Arg, value: str) -> Argument:
    if argument.star:
        return Argument(argument.star, value)
    return Argument(argument.keyword.value if argument.keyword else "", value)


def _kept_in(found: Found) -> str:
    """The attribute or name that a layer, or what holds it, is assigned to."""
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
    """Mark the first and the last layer: they fit what goes in and out, and are not hidden."""
    layers = [block.slot for block in blocks if block.role == LAYER]
    edges = {layers[0], layers[-1]} if layers else set[int]()
    return tuple(replace(block, hidden=False) if block.slot in edges else block for block in blocks)

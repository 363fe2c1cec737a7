"""Texts from a template and blocks: splicing only, nothing is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzers.assembly.disassembly.nouns import Block, Edit, Part, Slot, Template


def template_of(
    source: str, slots: Sequence[Slot], parts: Sequence[Part], spellings: dict[str, str]
) -> Template:
    """The template of a source text whose slots do not overlap."""
    places = sorted(
        (span, number, piece)
        for number, slot in enumerate(slots)
        for piece, span in enumerate(slot.spans)
    )
    at, fixed = 0, list[str]()
    for (start, end), _, _ in places:
        fixed.append(source[at:start])
        at = end
    fixed.append(source[at:])
    order = tuple((number, piece) for _, number, piece in places)
    return Template(source, tuple(slots), tuple(fixed), order, tuple(parts), spellings)


def assembled(template: Template, blocks: Iterable[Block]) -> str:
    """The text with these blocks in their slots; a slot with no block is left out of it.

    With all blocks that a file was taken apart into it is that file, byte by byte.
    """
    filled = {block.slot: block for block in blocks}
    if len(filled) < len(template.slots):
        return _without(template, filled)
    texts = [template.fixed[0]]
    for (number, piece), after in zip(template.order, template.fixed[1:], strict=True):
        texts.append(filled[number].pieces[piece])
        texts.append(after)
    return "".join(texts)


def _without(template: Template, filled: dict[int, Block]) -> str:
    edits = list[Edit]()
    for number, slot in enumerate(template.slots):
        block = filled.get(number)
        if block is None:
            edits += slot.omission
        else:
            edits += [
                Edit(*span, text) for span, text in zip(slot.spans, block.pieces, strict=True)
            ]
    return edited(template.source, edits)


def edited(source: str, edits: Iterable[Edit]) -> str:
    """A text with edits made; of two that overlap the outer, or the first, is made."""
    at, texts = 0, list[str]()
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start < at:
            continue
        texts += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join([*texts, source[at:]])

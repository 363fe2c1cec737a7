"""A file taken apart: a template with slots, and the blocks that stood in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Span = tuple[int, int]
"""Start and end of a text, in characters."""

LAYER, FUNCTION, LOSS = "layer", "function", "loss"


class UnreadableError(ValueError):
    """A text is not Python that can be parsed; says why."""


@dataclass(frozen=True, slots=True)
class BlockArgument:
    """One argument of a call; ``name`` is empty by position, ``*`` or ``**`` where unpacked."""

    name: str
    value: str

    @property
    def source(self) -> str:
        """The argument as it stands in a call."""
        return f"{self.name}{'=' * self.name.isidentifier()}{self.value}"


@dataclass(frozen=True, slots=True)
class Block:
    """The code of one layer: the call that makes it, or the call of a layer's function.

    ``api`` is its canonical dotted name (``torch.nn.Conv2d``), ``function`` its spelling in
    the file.  ``arguments`` are those of the call; a function's first, what it is fed, is not
    among them: it belongs to the template.  ``pieces`` are its texts in the slot: the whole
    call of a layer, or what stands before and after the ``fed`` of a function.  ``role`` is
    ``layer``, ``function`` or ``loss``.  ``name`` is what the layer is kept in
    (``self.features``), ``uses`` are the lines that use it.  ``hidden``: it is neither the
    first nor the last layer of its model.
    """

    slot: int
    api: str
    function: str
    arguments: tuple[BlockArgument, ...]
    pieces: tuple[str, ...]
    role: str = LAYER
    fed: str = ""
    name: str = ""
    line: int = 0
    end_line: int = 0
    uses: tuple[int, ...] = ()
    hidden: bool = True


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A part of the source and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class BlockSlot:
    """A place for a block: ``spans`` of its pieces, and the ``omission`` to write without it."""

    spans: tuple[Span, ...]
    omission: tuple[TextEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class CodePart:
    """A statement of training code; ``kind``: model, data, loss, optimizer, loop or evaluation."""

    kind: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class FileTemplate:
    """The text of a file with slots, in the order of the text.

    ``fixed`` are the texts between all pieces of all slots, ``order`` tells for each gap
    between them the slot and the piece that go there.  ``spellings`` are the names that the
    module binds to what it imports.
    """

    source: str
    slots: tuple[BlockSlot, ...]
    fixed: tuple[str, ...]
    order: tuple[tuple[int, int], ...]
    parts: tuple[CodePart, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])

    def spelled(self, api: str) -> str:
        """Return how this file can call an API, with the imports it has."""
        for name, dotted in sorted(self.spellings.items(), key=lambda each: -len(each[1])):
            if api == dotted or api.startswith(f"{dotted}."):
                return name + api[len(dotted) :]
        package, _, rest = api.partition(".")
        return f'__import__("{package}").{rest}'


@dataclass(frozen=True, slots=True)
class DisassembledModel:
    """One model of a file, or one function with training code.

    ``name`` is the qualified name of the class or function, ``<module>`` for module-level
    code.  ``style`` is ``class`` (layers made in the constructor and called in ``forward``)
    or ``function`` (built or called step by step).
    """

    name: str
    style: str
    template: FileTemplate
    blocks: tuple[Block, ...]


def template_of(
    source: str, slots: Sequence[BlockSlot], parts: Sequence[CodePart], spellings: dict[str, str]
) -> FileTemplate:
    """Return the template of a source text whose slots do not overlap."""
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
    return FileTemplate(source, tuple(slots), tuple(fixed), order, tuple(parts), spellings)


def assembled(template: FileTemplate, blocks: Iterable[Block]) -> str:
    """Return the text with these blocks in their slots; a slot without one is left out."""
    filled = {block.slot: block for block in blocks}
    if len(filled) < len(template.slots):
        return _without(template, filled)
    texts = [template.fixed[0]]
    for (number, piece), after in zip(template.order, template.fixed[1:], strict=True):
        texts.append(filled[number].pieces[piece])
        texts.append(after)
    return "".join(texts)


def _without(template: FileTemplate, filled: dict[int, Block]) -> str:
    edits = list[TextEdit]()
    for number, slot in enumerate(template.slots):
        block = filled.get(number)
        if block is None:
            edits += slot.omission
        else:
            pieces = zip(slot.spans, block.pieces, strict=True)
            edits += [TextEdit(*span, text) for span, text in pieces]
    return edited(template.source, edits)


def edited(source: str, edits: Iterable[TextEdit]) -> str:
    """Return a text with edits made; of two that overlap the outer, or the first, is made."""
    at, texts = 0, list[str]()
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start < at:
            continue
        texts += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join([*texts, source[at:]])

"""A file taken apart: a template with slots, and the blocks that stood in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Span = tuple[int, int]
"""Where a text starts and ends, in characters."""

LAYER, FUNCTION, LOSS = "layer", "function", "loss"


class UnreadableError(ValueError):
    """A text is not Python that can be parsed; says why."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call; ``name`` is empty by position, ``*`` or ``**`` where unpacked."""

    name: str
    value: str


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
    arguments: tuple[Argument, ...]
    pieces: tuple[str, ...]
    role: str = LAYER
    fed: str = ""
    name: str = ""
    line: int = 0
    end_line: int = 0
    uses: tuple[int, ...] = ()
    hidden: bool = True


@dataclass(frozen=True, slots=True)
class Edit:
    """A part of the source and what stands there instead."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a block.

    ``spans`` are where its pieces go; ``omission`` is what to write for a file without it,
    empty where the rest of the file needs something to be there.
    """

    spans: tuple[Span, ...]
    omission: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A statement of training code.

    ``kind`` is ``model``, ``data``, ``loss``, ``optimizer``, ``loop`` or ``evaluation``.
    """

    kind: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Template:
    """The text of a file with slots, in the order of the text.

    ``fixed`` are the texts between all pieces of all slots, ``order`` tells for each gap
    between them the slot and the piece that go there.  ``spellings`` are the names that the
    module binds to what it imports.
    """

    source: str
    slots: tuple[Slot, ...]
    fixed: tuple[str, ...]
    order: tuple[tuple[int, int], ...]
    parts: tuple[Part, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])

    def spelled(self, api: str) -> str:
        """How this file can call an API, with the imports it has."""
        for name, dotted in sorted(self.spellings.items(), key=lambda each: -len(each[1])):
            if api == dotted or api.startswith(f"{dotted}."):
                return name + api[len(dotted) :]
        package, _, rest = api.partition(".")
        return f'__import__("{package}").{rest}'


@dataclass(frozen=True, slots=True)
class Disassembled:
    """One model of a file, or one function with training code.

    ``name`` is the qualified name of the class or function, ``<module>`` for module-level
    code.  ``style`` is ``class`` (layers made in the constructor and called in ``forward``)
    or ``function`` (built or called step by step).
    """

    name: str
    style: str
    template: Template
    blocks: tuple[Block, ...]

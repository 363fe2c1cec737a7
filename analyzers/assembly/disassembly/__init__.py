"""Files taken apart into a template and blocks, and put together again (MoCo, section III-A1).

Text in, text out: nothing is executed.
"""

from analyzers.assembly.disassembly.disassembling import disassembled
from analyzers.assembly.disassembly.nouns import (
    FUNCTION,
    LAYER,
    LOSS,
    Argument,
    Block,
    Disassembled,
    Part,
    Slot,
    Template,
    UnreadableError,
)
from analyzers.assembly.disassembly.splicing import assembled

__all__ = [
    "FUNCTION",
    "LAYER",
    "LOSS",
    "Argument",
    "Block",
    "Disassembled",
    "Part",
    "Slot",
    "Template",
    "UnreadableError",
    "assembled",
    "disassembled",
]

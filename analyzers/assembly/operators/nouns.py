"""What an operator makes of a block."""

from __future__ import annotations

from dataclasses import dataclass

from analyzers.assembly.disassembly import Block

REPLACEMENT = "api replacement"
GENERATION = "random generation"
BOUNDARY = "boundary checking"


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed in a block.

    ``api`` is the changed block's; ``parameter`` is empty for a replaced API.  ``value`` and
    ``was`` are the new and the former source, ``was`` empty where a default was in force;
    for a replacement they are the two APIs.  ``tied`` are other parameters that a condition
    made change too.  ``group`` is the equivalence class: changes of a group test the same.
    """

    operator: str
    api: str
    value: str
    was: str = ""
    parameter: str = ""
    tied: tuple[tuple[str, str], ...] = ()
    group: str = ""

    @property
    def negative(self) -> bool:
        """Whether the library should refuse the changed block."""
        return self.operator == BOUNDARY

    def told(self, line: int) -> str:
        """The change in a line: ``api replacement: torch.nn.ReLU → torch.nn.GELU at line 12``."""
        was = self.was or "its default"
        if not self.parameter:
            return f"{self.operator}: {was} → {self.value} at line {line}"
        more = "".join(f", {name} → {value}" for name, value in self.tied)
        name = f"{self.api}({self.parameter})"
        return f"{self.operator}: {name} {was} → {self.value}{more} at line {line}"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed block, and what was changed."""

    block: Block
    change: Change

"""A defect that the text of a file shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary import Json, Level


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a function, with its place, its words and what tells it from others.

    ``kind`` is the same over shifts of lines; ``function`` is a qualified name, ``<module>`` for
    code outside functions.
    """

    rule: str
    level: Level
    function: str
    line: int
    end_line: int
    kind: str
    title: str
    message: str
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def key(self) -> str:
        """The identity in its file, over shifts of lines."""
        return f"{self.rule} {self.function}: {self.kind}"

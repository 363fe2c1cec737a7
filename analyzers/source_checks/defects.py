"""A defect that the text of a file shows, and the finding of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzers.vocabulary import Finding, Json, Level, Suggestion, Written


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a function, with its place, its words and what tells it from others.

    ``kind`` and ``key`` are the same over shifts of lines; ``function`` is a qualified name,
    ``<module>`` for code outside functions.  ``words`` are title and message.  ``repair`` is a
    range of lines and what mends the defect in its place.  ``rests_on``: the list that must come
    from an answer, or the line of the condition that must ask about one.
    """

    rule: str
    level: Level
    function: str
    line: int
    kind: str
    words: tuple[str, str]
    evidence: Mapping[str, Json] = field(default_factory=dict[str, Json])
    key: str = ""
    end_line: int = 0
    repair: tuple[int, int, str] | None = None
    rests_on: str | int = ""

    def finding(self, analyzer: str, path: str, target: str, reader: str) -> Finding:
        """Return the finding, which the check of this name reads again in other texts."""
        return Finding(
            analyzer=analyzer,
            rule=self.rule,
            level=self.level,
            path=path,
            line=self.line,
            end_line=max(self.line, self.end_line),
            symbol=f"{path}::{self.function}",
            target=target,
            title=self.words[0],
            message=self.words[1],
            evidence={"raised_at": f"{path}:{self.line}", "inputs": 0, **self.evidence},
            probes=(),
            criterion=Written(path, self.key, reader),
            input_kind=self.kind,
            suggestion=Suggestion(path, *self.repair) if self.repair else None,
        )

"""A divergence met at a call of the project, and what is the same one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ..fuzzing.findings import Finding, packed, unpacked
from ..nouns import CRASH, CRASHED, Disagreement

Place = List[Any]
"""An API, the path of a file in the project, a line and a function."""
Key = Tuple[Any, ...]


@dataclass(frozen=True)
class Met:
    """A finding at a place; ``arguments`` of the target lead to it, where any do."""

    finding: Finding
    at: Place
    arguments: Optional[Dict[str, Any]] = None

    @property
    def key(self) -> Key:
        """What is the same one."""
        return key_of(self.finding.disagreement, self.at)

    def as_json(self) -> Dict[str, Any]:
        """For another process."""
        return {"met": packed(self.finding), "at": self.at, "arguments": self.arguments}

    def told(self) -> Dict[str, Any]:
        """``divergence`` and ``at`` of a ``related`` frame."""
        row = self.finding.row()
        del row["kind"]
        api, path, line, function = self.at
        at = {"api": api, "path": path, "line": line, "function": function}
        source = "" if self.arguments is None else self.finding.call
        return {"divergence": row, "at": {**at, "source": source}}

    @property
    def ensures(self) -> List[str]:
        """The postcondition that does not hold; none where the call itself fails."""
        found = self.finding.disagreement
        if found.rule == CRASH or found.outcome.status == CRASHED or self.finding.ends_process:
            return []
        return [f"agrees({found.api!r}, {found.relation!r}, {found.related!r})"]


def key_of(found: Disagreement, at: Place) -> Key:
    """Where it is met, and what is wrong there."""
    return (*at[:3], found.rule, found.relation, found.related)


def met_of(row: Mapping[str, Any]) -> Met:
    """The meeting that :meth:`Met.as_json` wrote."""
    return Met(unpacked(row["met"]), row["at"], row["arguments"])

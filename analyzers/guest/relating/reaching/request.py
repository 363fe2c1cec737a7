"""What is asked of a target's library calls."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Dict, FrozenSet, List, Mapping, Optional

from ...endings import is_own
from ...execution import Prepared
from ..libraries.library import Library
from ..nouns import Relation

Arguments = Dict[str, Dict[str, Any]]


@dataclass(frozen=True)
class Request:
    """A ``relate`` (or ``record``) frame for a target, with the library that it uses."""

    prepared: Prepared
    library: Library
    message: Mapping[str, Any]

    @property
    def probes(self) -> List[Arguments]:
        """Inputs under which the target returns."""
        return [dict(probe["arguments"]) for probe in self.message["probes"]]

    @cached_property
    def apis(self) -> Optional[FrozenSet[str]]:
        """The library calls to look at; ``None``: all."""
        return frozenset(self.message.get("apis") or ()) or None

    @property
    def timeout(self) -> float:
        """The limit of one input, in seconds."""
        return float(self.message["timeout"])

    @property
    def seconds(self) -> float:
        """The limit of all."""
        return float(self.message["seconds"])

    @property
    def seed(self) -> int:
        """What everything that is drawn depends on."""
        return int(self.message.get("seed", 0))

    @cached_property
    def relations(self) -> List[Relation]:
        """What the library's calls are known to agree with."""
        return [
            Relation(each["source"], each["target"], each["template"], each["kind"])
            for each in self.message.get("equivalences") or ()
        ]

    def of_source(self, api: str) -> List[Relation]:
        """The relations of one API."""
        return [each for each in self.relations if each.source == api]

    def inside(self, file: str) -> bool:
        """Whether a file is the project's own."""
        return is_own(file, self.prepared.root)

    def relative(self, file: str) -> str:
        """The path of a file in the project, as the host has it."""
        return os.path.relpath(file, self.prepared.root).replace(os.sep, "/")

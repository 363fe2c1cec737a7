"""What a family of client libraries says of its modules.

A family is a function from a :class:`Project` to its :class:`Rule`s, and one
entry in the table of ``interception.py``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Callable, List, Mapping, Optional, Sequence

from ..messages import Schema
from ..network.network import Network

Patch = Callable[[ModuleType], None]
Maker = Callable[[str], ModuleType]
Warmer = Callable[[Sequence[Mapping[str, Any]]], None]


@dataclass(frozen=True)
class Project:
    """What families know of the project under test.

    ``texts`` are the sources that are known, by path; ``entries`` are those
    of the catalogue and ``schemas`` its response schemas by provider.
    ``warmers`` are called when the project is loaded, with the entries that
    are expected to be asked.
    """

    root: str
    entries: Sequence[Mapping[str, Any]]
    schemas: Mapping[str, Any]
    schema: Schema
    texts: Mapping[str, str] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    warmers: List[Warmer] = field(default_factory=list)


@dataclass(frozen=True)
class Rule:
    """What is done about the modules whose whole dotted name matches ``modules``.

    ``patch`` is applied to the real module when it has been imported.
    ``standin`` makes the module where it is not installed, and even where it
    is if ``instead`` says so of its name.
    """

    modules: str
    patch: Optional[Patch] = None
    standin: Optional[Maker] = None
    instead: Optional[Callable[[str], bool]] = None

    def matches(self, name: str) -> bool:
        """Whether the rule is about the module ``name``."""
        return re.fullmatch(self.modules, name) is not None


Family = Callable[[Project], List[Rule]]

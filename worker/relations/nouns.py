"""What is asked of a study, and what it comes to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from analyzers.vocabulary import JsonObject

Task: TypeAlias = Literal["relations", "divergences"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be studied.

    ``apis`` are all where there are none.  ``inputs`` are compared for a pair,
    or fuzzed for an API.  ``oracles`` are all where there are none.  ``seconds``
    bounds the whole; ``workers`` run at the same time.
    """

    library: str
    version: str
    task: Task
    apis: tuple[str, ...] = ()
    inputs: int = 100
    seconds: float = 900.0
    seed: int = 0
    workers: int = 2
    oracles: tuple[str, ...] = ()
    relations: tuple[JsonObject, ...] = ()

    def frame(self, seconds: float, done: Mapping[str, list[str]]) -> dict[str, Any]:
        """What the guest is sent, with the time that is left and what is done already."""
        return {
            "type": "study",
            "library": self.library,
            "task": self.task,
            "apis": list(self.apis) or None,
            "relations": list(self.relations),
            "done": dict(done),
            "inputs": self.inputs,
            "seconds": seconds,
            "seed": self.seed,
            "workers": self.workers,
            "oracles": list(self.oracles) or None,
        }

    @property
    def digest(self) -> str:
        """Equal for orders whose rows may stand together."""
        said = [self.library, self.version, self.task, self.apis, self.inputs, self.seed]
        text = json.dumps([*said, self.oracles, self.relations])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Heard:
    """How far a stage of a study is, and rows that are new."""

    stage: str
    done: int
    total: int
    rows: tuple[JsonObject, ...] = ()


@dataclass(frozen=True, slots=True)
class Studied:
    """The end of a study: the version that was studied, and what is to be said of it.

    ``complete`` is false where the time was over before.
    """

    version: str
    notes: tuple[str, ...] = ()
    complete: bool = True


Event: TypeAlias = Heard | Studied

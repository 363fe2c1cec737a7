"""What the frame ``study`` asks for (docs/guest-protocol.md)."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

from ...runtime.time_limits import CLOCK, TimeUp
from ..fuzzing.fuzz_inputs import FuzzSettings
from ..libraries.library_registry import library as installed
from ..oracles import torch_backends
from ..relation_types import Library, Relation
from .divergence_study import FUZZING, DivergenceStudy
from .relation_study import RELATIONS, RelationStudy, StudyScope
from .study_inputs import Send, StudyProgress

Frame = Dict[str, Any]

_SHORTEST = 0.01
CLOCK.never_interrupt(logging.__file__)
"""What is done there before and after a fork must be whole."""
_LATE: Mapping[str, Tuple[str, ...]] = {
    "torch": ("torch.fx.experimental.symbolic_shapes", "torch.nested._internal.nested_tensor"),
}


def study(message: Mapping[str, Any], send: Send) -> Frame:
    """Send ``progress`` frames, and give the ``studied`` frame.

    ``complete`` is false where the time was over before the work was.
    """
    progress = StudyProgress(send)
    library = _library(message["library"])
    complete = True
    try:
        with CLOCK.limited(max(message["seconds"], _SHORTEST)):
            _TASKS[message["task"]](message, library, progress)
    except TimeUp:
        complete = False
    progress.flush()
    return {
        "type": "studied",
        "version": library.version,
        "notes": progress.notes,
        "complete": complete,
    }


def _library(name: str) -> Library:
    """The library, with one thread: processes that are forked from several do not work.

    What some of its calls import late is imported once, and not by each process.
    """
    found = installed(name)
    if name in ("torch", "keras"):
        import torch

        torch.set_num_threads(1)
    for module in _LATE.get(name, ()):
        with suppress(ImportError):
            import_module(module)
    return found


def _relations(message: Mapping[str, Any], library: Library, progress: StudyProgress) -> None:
    scope = StudyScope(
        apis=frozenset(_names(message["apis"])),
        done=frozenset(_done(message, RELATIONS)),
        inputs=message["inputs"],
        seed=message["seed"],
        workers=message["workers"],
    )
    RelationStudy(library, scope, progress).study()


def _divergences(message: Mapping[str, Any], library: Library, progress: StudyProgress) -> None:
    oracles = message.get("oracles")
    settings = FuzzSettings(
        inputs=message["inputs"],
        seed=message["seed"],
        workers=message["workers"],
        oracles=None if oracles is None else tuple(oracles),
    )
    if torch_backends.INDUCTOR in (oracles or ()):
        torch_backends.load_inductor()
        settings = replace(settings, seconds=torch_backends.SECONDS)
    asked = frozenset(_names(message["apis"]))
    done = frozenset(_done(message, FUZZING))
    relations = [_relation(row) for row in message.get("relations") or ()]
    DivergenceStudy(library, relations, settings, progress).study(
        lambda name: name not in done and (not asked or name in asked), sorted(asked)
    )


def _names(names: Optional[List[str]]) -> List[str]:
    return names or []


def _done(message: Mapping[str, Any], stage: str) -> List[str]:
    done = message.get("done") or {}
    return list(done.get(stage, ()))


def _relation(row: Mapping[str, Any]) -> Relation:
    return Relation(
        row["source"], row["target"], row["template"], row["holds"], row.get("inputs", 0)
    )


_TASKS: Mapping[str, Callable[[Mapping[str, Any], Library, StudyProgress], None]] = {
    "relations": _relations,
    "divergences": _divergences,
}

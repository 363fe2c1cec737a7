"""Runs a target and sees its library calls."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, Callable, Dict, List, Mapping, Optional

from ... import calls
from ...execution import Bound, Prepared, execute
from ...exploring.promises import named
from ..nouns import Live
from ..recording import Bounds, Recording, Seen, Watch, recorded
from ..told import told
from .request import Request

Place = List[Any]
"""An API, the path of a file in the project, a line and a function."""


@dataclass(frozen=True)
class Ran:
    """One run: its ending, the library calls seen, and what the target was called with by name."""

    ending: Mapping[str, Any]
    calls: List[Seen] = field(default_factory=list)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Mark:
    """What is in flight: an input of the target, and the library call that it is at.

    ``judging``: the call is compared with others, no more made by the target.
    """

    arguments: Mapping[str, Any] = field(default_factory=dict)
    at: Optional[Place] = None
    call: str = ""
    judging: bool = False

    def text(self) -> str:
        """As it stands in shared memory."""
        return json.dumps([self.arguments, self.at, self.call, self.judging])


def mark_of(text: str) -> Mark:
    """The mark of a text; an empty one where that is none."""
    with suppress(ValueError, TypeError):
        arguments, at, call, judging = json.loads(text)
        return Mark(arguments, at, call, judging)
    return Mark()


class Watcher:
    """Runs inputs of a target; ``begin`` is told what is in flight."""

    def __init__(
        self,
        request: Request,
        begin: Callable[[str], None],
        bounds: Optional[Bounds] = None,
    ) -> None:
        self._request = request
        self._begin = begin
        self._bounds = bounds or Bounds(request.apis, a_site=4)

    def run(self, arguments: Mapping[str, Any], script: Any = None) -> Ran:
        """Run one input."""
        start = Mark(arguments)
        self._begin(start.text())

        def watch(seen: Optional[Seen]) -> None:
            if seen is None:
                self._begin(start.text())
            else:
                self._begin(Mark(arguments, self.place(seen), self._told(seen.live)).text())

        target = _Seen.of(self._request, self._bounds, watch)
        supplier = calls.Nothing() if script is None else calls.Script(script)
        result = execute(target, arguments, supplier, self._request.timeout)
        return Ran(result.ending, target.recording.calls, target.values)

    def judging(self, arguments: Mapping[str, Any], seen: Seen) -> None:
        """A call that was seen is about to be judged."""
        mark = Mark(arguments, self.place(seen), self._told(seen.live), judging=True)
        self._begin(mark.text())

    def place(self, seen: Seen) -> Place:
        """Where a call is."""
        return [seen.api, self._request.relative(seen.path), seen.line, seen.function]

    def _told(self, live: Optional[Live]) -> str:
        return told(live, self._request.library)


class _Seen(Prepared):
    """A target whose library calls are seen."""

    request: Request
    bounds: Bounds
    watch: Watch
    recording: Recording
    values: Dict[str, Any]

    @classmethod
    def of(cls, request: Request, bounds: Bounds, watch: Watch) -> _Seen:
        """The target of a request."""
        prepared = request.prepared
        made = cls(**{each.name: getattr(prepared, each.name) for each in fields(prepared)})
        made.request, made.bounds, made.watch = request, bounds, watch
        made.recording, made.values = Recording(), {}
        return made

    def call(self, bound: Bound) -> Any:
        """Call it, and see."""
        function = bound.function()
        bound = replace(bound, function=lambda: function)
        self.values = named(bound)
        request = self.request
        with recorded(request.library, request.inside, self.bounds, self.watch) as self.recording:
            return super().call(bound)

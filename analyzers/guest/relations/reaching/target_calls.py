"""Runs a target and sees its library calls."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, Callable, Mapping, Optional

from ...inputs.exploration.postcondition_checks import arguments_by_name
from ...protocol import api_calls
from ...runtime import time_limits
from ...runtime.call_outcomes import is_own
from ...runtime.execution import Bound, PreparedTarget, execute
from ..call_recording import RecordedCall, Recording, RecordingBounds, Watch, recording_calls
from ..libraries.library_registry import loaded_library
from ..library_calls import call_source
from ..process_pool import ItemFailed, ItemReport, ProcessDied, ProcessHung, ProcessPool
from ..relation_types import Library, LiveCall, Relation

Arguments = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class RelateRequest:
    """A ``relate`` (or ``record``) frame for a target, with the library that it uses."""

    prepared: PreparedTarget
    library: Library
    message: Mapping[str, Any]

    @property
    def probes(self) -> list[Arguments]:
        """Inputs under which the target returns."""
        return [dict(probe["arguments"]) for probe in self.message["probes"]]

    @cached_property
    def apis(self) -> Optional[frozenset[str]]:
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
        """Return what everything that is drawn depends on."""
        return int(self.message.get("seed", 0))

    @cached_property
    def relations(self) -> list[Relation]:
        """Return what the library's calls are known to agree with."""
        return [
            Relation(each["source"], each["target"], each["template"], each["kind"])
            for each in self.message.get("equivalences") or ()
        ]

    def of_source(self, api: str) -> list[Relation]:
        """Return the relations of one API."""
        return [each for each in self.relations if each.source == api]

    def inside(self, file: str) -> bool:
        """Return whether a file is the project's own."""
        return is_own(file, self.prepared.root)

    def relative(self, file: str) -> str:
        """Return the path of a file in the project, as the host has it."""
        return os.path.relpath(file, self.prepared.root).replace(os.sep, "/")


CallLocation = list[Any]
"""An API, the path of a file in the project, a line and a function."""


@dataclass(frozen=True)
class TargetRun:
    """One run: its ending, the library calls seen, and what the target was called with by name."""

    ending: Mapping[str, Any]
    calls: list[RecordedCall] = field(default_factory=list)
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class InFlight:
    """Record in shared memory: the target's input, the library call it is at, if it is judged."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    at: Optional[CallLocation] = None
    call: str = ""
    judging: bool = False

    def text(self) -> str:
        """Return as it stands in shared memory."""
        return json.dumps([self.arguments, self.at, self.call, self.judging])


def parse_in_flight(text: str) -> InFlight:
    """Return the mark of a text; an empty one where that is none."""
    with suppress(ValueError, TypeError):
        arguments, at, call, judging = json.loads(text)
        return InFlight(arguments, at, call, judging)
    return InFlight()


class TargetWatcher:
    """Runner of a target's inputs; ``begin`` is told what is in flight."""

    def __init__(
        self,
        request: RelateRequest,
        begin: Callable[[str], None],
        bounds: Optional[RecordingBounds] = None,
    ) -> None:
        self._request = request
        self._begin = begin
        self._bounds = bounds or RecordingBounds(request.apis, a_site=4)

    def run(self, arguments: Mapping[str, Any], script: Any = None) -> TargetRun:
        """Run one input."""
        start = InFlight(arguments)
        self._begin(start.text())

        def watch(seen: Optional[RecordedCall]) -> None:
            if seen is None:
                self._begin(start.text())
            else:
                self._begin(InFlight(arguments, self.place(seen), self._told(seen.live)).text())

        target = _WatchedTarget.of(self._request, self._bounds, watch)
        supplier = api_calls.EmptyAnswers() if script is None else api_calls.RecordedAnswers(script)
        result = execute(target, arguments, supplier, self._request.timeout)
        return TargetRun(result.ending, target.recording.calls, target.values)

    def judging(self, arguments: Mapping[str, Any], seen: RecordedCall) -> None:
        """Mark that a recorded call is about to be judged."""
        mark = InFlight(arguments, self.place(seen), self._told(seen.live), judging=True)
        self._begin(mark.text())

    def place(self, seen: RecordedCall) -> CallLocation:
        """Return where a call is."""
        return [seen.api, self._request.relative(seen.path), seen.line, seen.function]

    def _told(self, live: Optional[LiveCall]) -> str:
        return call_source(live, self._request.library)


class _WatchedTarget(PreparedTarget):
    request: RelateRequest
    bounds: RecordingBounds
    watch: Watch
    recording: Recording
    values: dict[str, Any]

    @classmethod
    def of(cls, request: RelateRequest, bounds: RecordingBounds, watch: Watch) -> _WatchedTarget:
        prepared = request.prepared
        made = cls(**{each.name: getattr(prepared, each.name) for each in fields(prepared)})
        made.request, made.bounds, made.watch = request, bounds, watch
        made.recording, made.values = Recording(), {}
        return made

    def call(self, bound: Bound) -> Any:
        function = bound.function()
        bound = replace(bound, function=lambda: function)
        self.values = arguments_by_name(bound)
        request = self.request
        with recording_calls(
            request.library, request.inside, self.bounds, self.watch
        ) as self.recording:
            return super().call(bound)


MOST_CALLS = 500
_A_SITE = 3
_MOST_DEATHS = 3
_HANG_GRACE = 2.0


def record(prepared: PreparedTarget, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``recorded`` frame for a ``record`` frame."""
    library = loaded_library()
    if library is None:
        return nothing("no library whose calls can be seen is imported")
    found = nothing()
    found.update(library=library.name, version=library.version)
    request = RelateRequest(prepared, library, message)
    telling = _RecordWork(request, time_limits.now() + request.seconds)
    pool = ProcessPool(
        telling.work, 1, request.timeout + _HANG_GRACE, workers=1, deaths=_MOST_DEATHS
    )
    for _, result in pool:
        if isinstance(result, ItemReport):
            found["calls"].append(result.value)
        elif isinstance(result, (ProcessDied, ProcessHung)):
            found["notes"].append(f"the run of input {result.step} did not come to its end")
        elif isinstance(result, ItemFailed):
            found["notes"].append(f"calls could not be seen: {result.text[-300:]}")
        if len(found["calls"]) >= MOST_CALLS:
            break
    return found


def nothing(*notes: str) -> dict[str, Any]:
    """Return a ``recorded`` frame without any calls."""
    return {"type": "recorded", "library": "", "version": "", "calls": [], "notes": list(notes)}


class _RecordWork:
    """Run of the probes that reports their calls: of each site some that differ."""

    def __init__(self, request: RelateRequest, until: float) -> None:
        self._request = request
        self._until = until
        self._told: dict[Any, set[str]] = {}

    def work(
        self,
        item: int,
        start: int,
        begin: Callable[[int, str], None],
        report: Callable[[Any], None],
    ) -> None:
        """Run the probes from ``start`` on, while there is time."""
        del item
        for step, probe in enumerate(self._request.message["probes"]):
            if step >= start and time_limits.now() < self._until:
                watcher = TargetWatcher(
                    self._request, partial(begin, step), RecordingBounds(a_site=_A_SITE)
                )
                ran = watcher.run(probe["arguments"], probe.get("script"))
                for found in self._new(ran.calls, watcher, step):
                    report(found)

    def _new(
        self, calls: list[RecordedCall], watcher: TargetWatcher, step: int
    ) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for seen in calls:
            api, path, line, function = watcher.place(seen)
            source = call_source(seen.live, self._request.library)
            known = self._told.setdefault(seen.site, set())
            if source not in known and len(known) < _A_SITE:
                known.add(source)
                place = {"api": api, "path": path, "line": line, "function": function}
                found.append({**place, "source": source, "probe": step})
        return found

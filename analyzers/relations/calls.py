"""Which library calls of a target are looked at, and in which order."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.ports import Bench
from analyzers.vocabulary import LibraryCall, Recorded, Target

MOST_APIS = 60
"""How many APIs of one target are looked at."""


def called(recorded: Recorded, target: Target, bench: Bench) -> tuple[LibraryCall, ...]:
    """The calls in the project's own code, one for each place: those in changed lines first.

    Where nothing was seen to run, the calls that can be read stand for them.
    """
    seen = recorded.calls or tuple(_read(recorded.library, target))
    own = [call for call in seen if call.path in bench.paths()]
    places: dict[tuple[str, str, int], LibraryCall] = {}
    for call in own:
        places.setdefault((call.api, call.path, call.line), call)
    lines = _Lines(bench)
    ordered = sorted(
        places.values(),
        key=lambda call: (not lines.changed(call), call.function != target.function),
    )
    return tuple(ordered)


def apis(calls: Iterable[LibraryCall]) -> tuple[str, ...]:
    """The names of the APIs called, each once, in the order of the calls."""
    return tuple(dict.fromkeys(call.api for call in calls))[:MOST_APIS]


def _read(library: str, target: Target) -> Iterable[LibraryCall]:
    for call in target.calls:
        if call.api.startswith(f"{library}."):
            yield LibraryCall(call.api, call.path, call.line, call.function)


class _Lines:
    """Lines of head that base has not, by the files' texts."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._known: dict[str, frozenset[str]] = {}

    def changed(self, call: LibraryCall) -> bool:
        """Whether the line of a call stands nowhere in its file on base."""
        lines = self._bench.source(call.path).splitlines()
        here = lines[call.line - 1] if 0 < call.line <= len(lines) else ""
        return here not in self._base(call.path)

    def _base(self, path: str) -> frozenset[str]:
        if path not in self._known:
            there = self._bench.base(path)
            self._known[path] = frozenset(() if there is None else there[1].splitlines())
        return self._known[path]

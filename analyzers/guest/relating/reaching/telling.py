"""The frame ``record``: the library calls of some runs."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Set

from ... import worktime
from ...execution import Prepared
from ..installed import installed
from ..recording import Bounds, Seen
from ..running import Died, Done, Failed, Hung, Pool
from ..told import told
from .request import Request
from .watching import Watcher

MOST_CALLS = 500
_A_SITE = 3
_MOST_DEATHS = 3
_HANG_GRACE = 2.0


def record(prepared: Prepared, message: Mapping[str, Any]) -> Dict[str, Any]:
    """The ``recorded`` frame for a ``record`` frame."""
    library = installed()
    if library is None:
        return nothing("no library whose calls can be seen is imported")
    found = nothing()
    found.update(library=library.name, version=library.version)
    request = Request(prepared, library, message)
    telling = _Telling(request, worktime.now() + request.seconds)
    pool = Pool(telling.work, 1, request.timeout + _HANG_GRACE, workers=1, deaths=_MOST_DEATHS)
    for _, result in pool:
        if isinstance(result, Done):
            found["calls"].append(result.value)
        elif isinstance(result, (Died, Hung)):
            found["notes"].append(f"the run of input {result.step} did not come to its end")
        elif isinstance(result, Failed):
            found["notes"].append(f"calls could not be seen: {result.text[-300:]}")
        if len(found["calls"]) >= MOST_CALLS:
            break
    return found


def nothing(*notes: str) -> Dict[str, Any]:
    """A ``recorded`` frame without any calls."""
    return {"type": "recorded", "library": "", "version": "", "calls": [], "notes": list(notes)}


class _Telling:
    """Runs the probes and tells their calls: of each site some that differ."""

    def __init__(self, request: Request, until: float) -> None:
        self._request = request
        self._until = until
        self._told: Dict[Any, Set[str]] = {}

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
            if step >= start and worktime.now() < self._until:
                watcher = Watcher(self._request, partial(begin, step), Bounds(a_site=_A_SITE))
                ran = watcher.run(probe["arguments"], probe.get("script"))
                for found in self._new(ran.calls, watcher, step):
                    report(found)

    def _new(self, calls: List[Seen], watcher: Watcher, step: int) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = []
        for seen in calls:
            api, path, line, function = watcher.place(seen)
            source = told(seen.live, self._request.library)
            known = self._told.setdefault(seen.site, set())
            if source not in known and len(known) < _A_SITE:
                known.add(source)
                place = {"api": api, "path": path, "line": line, "function": function}
                found.append({**place, "source": source, "probe": step})
        return found

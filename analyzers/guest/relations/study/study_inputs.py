"""The valid calls of a library's APIs, as texts, that a study begins with."""

from __future__ import annotations

import time
from typing import Any, Callable, Iterable, Iterator, Sequence

from ...runtime.time_limits import CLOCK
from ..library_calls import parsed_calls
from ..process_pool import Begin, ItemFailed, ItemReport, ProcessDied, ProcessHung, ProcessPool
from ..relation_types import CallSource, Library

Row = dict[str, Any]
Send = Callable[[dict[str, Any]], None]
EVERY = 0.5
MOST_ROWS = 500
MOST_NOTES = 500
LONGEST_NOTE = 1_000


class StudyProgress:
    """Sender of rows as ``progress`` frames; a frame is sent whole, whatever the time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._sent = 0.0
        self._rows: list[Row] = []
        self._stage, self._done, self._total = "", 0, 0
        self.notes: list[str] = []

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of so many items."""
        self.flush()
        self._stage, self._done, self._total = name, 0, total
        self.flush()

    def add(self, **row: Any) -> None:
        """Add a row."""
        self._rows.append(row)
        self._tell()

    def did(self) -> None:
        """Count an item of the stage as done."""
        self._done += 1
        self._tell()

    def checked(self, name: str) -> None:
        """Count an item of the stage as done, for later studies too."""
        self._rows.append({"kind": "checked", "stage": self._stage, "name": name})
        self.did()

    def note(self, text: str) -> None:
        """Add a note."""
        if len(self.notes) < MOST_NOTES:
            if len(text) > LONGEST_NOTE:  # the ends of a traceback are what matters
                text = f"{text[: LONGEST_NOTE // 3]} … {text[-LONGEST_NOTE // 2 :]}"
            self.notes.append(text)

    def flush(self) -> None:
        """Send what there is."""
        done = min(self._done, self._total)
        with CLOCK.paused():
            told = {"stage": self._stage, "done": done, "total": self._total, "rows": self._rows}
            self._send({"type": "progress", **told})
            self._rows, self._sent = [], time.monotonic()

    def _tell(self) -> None:
        if len(self._rows) >= MOST_ROWS or time.monotonic() - self._sent > EVERY:
            self.flush()


STAGE = "inputs"
_SECONDS = 120.0
_MEMORY = 8 << 30
_DEATHS = 3
_AT_ONCE = 200

Found = Iterable[tuple[CallSource, str]]
Source = Callable[[], Found]


def collect_inputs(
    library: Library, workers: int, progress: StudyProgress, names: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return the texts of known valid calls by API, in the order in which the library tells them.

    They are gathered in processes of their own, as what the library's own tests
    and examples do to a process stays there.  A library that has ``sources`` is
    asked for each of them, beside one another, and what they give is put
    together as ``gathered`` does.  Where ``names`` of APIs are asked for, only
    what may tell of them is searched; everything, if one of them has no call there.
    """
    if not hasattr(library, "sources"):
        progress.stage(STAGE, 1)
        return _by_api(_gathered([library.valid], 1, progress))
    found = _of_parts(library, names, workers, progress)
    if found.keys() >= set(names):
        return found
    return _of_parts(library, (), workers, progress)


def _of_parts(
    parted: Any, names: Sequence[str], workers: int, progress: StudyProgress
) -> dict[str, list[str]]:
    sources = parted.sources(names)
    progress.stage(STAGE, len(sources) + 1)
    texts = [text for _, text in _gathered(sources, workers, progress)]
    known = parsed_calls(texts, parted)

    def together() -> Found:
        found: Found = parted.gathered((call, "") for call in known)
        return found

    return _by_api(_gathered([together], 1, progress))


def _gathered(
    sources: Sequence[Source], workers: int, progress: StudyProgress
) -> list[tuple[str, str]]:
    def work(item: int, start: int, begin: Begin, report: Callable[[Any], None]) -> None:
        begin(start, "")
        for step, batch in enumerate(_batches(sources[item]())):
            if step >= start:
                report(batch)
            begin(step + 1, "")

    found: list[list[tuple[str, str]]] = [[] for _ in sources]
    for item, result in ProcessPool(work, len(sources), _SECONDS, workers, _MEMORY, deaths=_DEATHS):
        if isinstance(result, ItemReport):
            found[item] += [(api, text) for api, text in result.value]
            continue
        if isinstance(result, (ProcessDied, ProcessHung, ItemFailed)):
            progress.note(f"the search for valid calls: {result}")
        progress.did()
    return [each for part in found for each in part]


def _batches(found: Found) -> Iterator[list[tuple[str, str]]]:
    batch: list[tuple[str, str]] = []
    for call, _ in found:
        batch.append((call.api, call.source()))
        if len(batch) >= _AT_ONCE:
            yield batch
            batch = []
    yield batch


def _by_api(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    texts: dict[str, dict[str, None]] = {}
    for api, text in found:
        texts.setdefault(api, {})[text] = None
    return {api: list(texts[api]) for api in sorted(texts)}


def spread(items: Sequence[str], most: int) -> list[str]:
    """Return at most so many, evenly spread, the first among them."""
    if len(items) <= most:
        return list(items)
    return [items[index * len(items) // most] for index in range(most)]

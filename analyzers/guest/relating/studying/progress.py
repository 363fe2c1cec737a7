"""How far a study is, told often."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List

from ...limits import CLOCK

Row = Dict[str, Any]
Send = Callable[[Dict[str, Any]], None]
EVERY = 0.5
MOST_ROWS = 500
MOST_NOTES = 500
LONGEST_NOTE = 1_000


class Progress:
    """Sends rows as ``progress`` frames, often; a frame is sent whole, whatever the time."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._sent = 0.0
        self._rows: List[Row] = []
        self._stage, self._done, self._total = "", 0, 0
        self.notes: List[str] = []

    def stage(self, name: str, total: int) -> None:
        """A stage of so many items begins."""
        self.flush()
        self._stage, self._done, self._total = name, 0, total
        self.flush()

    def add(self, **row: Any) -> None:
        """A row is found."""
        self._rows.append(row)
        self._tell()

    def did(self) -> None:
        """An item of the stage is done; it counts once it was told so."""
        self._done += 1
        self._tell()

    def checked(self, name: str) -> None:
        """An item of the stage is done, and need not be done again."""
        self._rows.append({"kind": "checked", "stage": self._stage, "name": name})
        self.did()

    def note(self, text: str) -> None:
        """Something is to be said of the study."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(_shortened(text))

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


def _shortened(text: str) -> str:
    """The beginning and the end of a text, which in a traceback are what matters."""
    if len(text) <= LONGEST_NOTE:
        return text
    return f"{text[: LONGEST_NOTE // 3]} … {text[-LONGEST_NOTE // 2 :]}"

"""Progress of a study on standard error: a live line on a terminal, a line a stage elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from worker.relations import Heard
from worker.report.escape import inert
from worker.report.wording import counted

PERIOD = 10.0
"""Seconds between lines where nobody looks at a terminal."""
_TOLD = {"relation": "relation", "divergence": "divergence", "api": "API"}


class StudyProgress:
    """Says which stage a study is at, and what it has found."""

    def __init__(self, console: Console | None, status: Status | None) -> None:
        self._console = console
        self._status = status
        self._found: Counter[str] = Counter()
        self._stage = ""
        self._due = 0.0

    def heard(self, heard: Heard) -> None:
        """Say how far it is."""
        self._found.update(str(row["kind"]) for row in heard.rows)
        if self._console is None or not heard.stage:
            return
        told = ", ".join(
            counted(self._found[kind], word) for kind, word in _TOLD.items() if self._found[kind]
        )
        line = f"{heard.stage} {heard.done:,} of {heard.total:,}" + (f": {told}" if told else "")
        if self._status is not None:
            self._status.update(escape(inert(line)))
        elif heard.stage != self._stage or time.monotonic() >= self._due:
            self._console.print(escape(inert(line)))
            self._due = time.monotonic() + PERIOD
        self._stage = heard.stage

    @contextmanager
    def aside(self) -> Generator[None]:
        """Leave the terminal to others until the block ends."""
        if self._status is not None:
            self._status.stop()
        yield
        if self._status is not None:
            self._status.start()

    def note(self, text: str) -> None:
        """Say something once."""
        if self._console is not None:
            self._console.print(escape(text))


@contextmanager
def study_progress(what: str, *, quiet: bool) -> Generator[StudyProgress]:
    """Progress that is shown until the block ends; ``what`` is begun."""
    if quiet:
        yield StudyProgress(None, None)
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.print(escape(f"{what} …"))
        yield StudyProgress(console, None)
        return
    with console.status(escape(f"{what} …")) as status:
        yield StudyProgress(console, status)

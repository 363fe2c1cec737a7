"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.text import Text

from analyzers.vocabulary import (
    Broken,
    Finding,
    Level,
    LibraryBug,
    Skipped,
    Target,
    Verdict,
)
from worker.check.check_plan import CheckListener, ComparedSides
from worker.report.markdown_escape import inert
from worker.report.report_messages import counted, nothing_compared

MOST_APIS = 5
COLOURS = {Level.FAILURE: "red", Level.WARNING: "yellow", Level.NOTICE: "cyan"}
LEAST_SECONDS = 20.0
"""Time left is told from so many seconds on."""


@contextmanager
def progress_listener(*, quiet: bool) -> Generator[CheckListener]:
    """A listener that shows progress until the block ends."""
    if quiet:
        yield SilentListener()
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        yield CheckProgress(console, None)
        return
    with console.status("Reading the change …") as status:
        yield CheckProgress(console, status)


class SilentListener:
    """Hears and says nothing."""

    def compared(self, comparison: ComparedSides) -> None:
        """Say nothing."""

    def detected(self, targets: Sequence[Target]) -> None:
        """Say nothing."""

    def preparing(self, what: str) -> None:
        """Say nothing."""

    def examining(self, target: Target) -> None:
        """Say nothing."""

    def found(self, verdict: Verdict) -> None:
        """Say nothing."""


@dataclass(slots=True)
class WorkClock:
    """The time that a number of like steps takes, and at most; tells what is left of it."""

    total: int = 0
    seconds: float = 0.0
    begun: float = 0.0
    done: int = 0
    latest: float = 0.0

    def step(self) -> None:
        """Say that the next step begins."""
        now = time.monotonic()
        self.begun = self.begun or now
        self.done += bool(self.latest)
        self.latest = now

    def left(self) -> float | None:
        """Return the seconds that are left, by the steps before; ``None`` without any."""
        if not self.done:
            return None
        now = time.monotonic()
        each = (self.latest - self.begun) / self.done
        left = max(0.0, each * (self.total - self.done) - (now - self.latest))
        return min(left, max(0.0, self.begun + self.seconds - now))


def time_left(seconds: float | None) -> str:
    """Return ``about 3 min left``; empty where there is nothing to tell."""
    if seconds is None or seconds < LEAST_SECONDS:
        return ""
    if seconds < 90:
        return f", about {round(seconds / 10) * 10} s left"
    return f", about {round(seconds / 60)} min left"


class CheckProgress:
    """Says what is being done and what was found."""

    def __init__(self, console: Console, status: Status | None) -> None:
        self._console = console
        self._status = status
        self._total = 0
        self._done = 0
        self._reasons = set[str]()
        self._clock = WorkClock()
        self._announced: int | None = None

    def compared(self, comparison: ComparedSides) -> None:
        """Say what is compared, and how much there is to test."""
        self._clock.seconds = comparison.seconds
        self._announced = comparison.functions
        base = comparison.base[:12]
        if comparison.base_name and not comparison.base.startswith(comparison.base_name):
            base = f"{comparison.base_name} ({base})"
        head = comparison.head[:12] if comparison.head else "working tree"
        nothing = nothing_compared(comparison.base, comparison.head, comparison.files)
        files = counted(comparison.files, "changed file")
        functions = f"{counted(comparison.functions, 'function')} to test"
        self._line(f"{base} → {head}: {nothing or f'{files}, {functions}'}")
        if self._status is not None and comparison.functions:
            self._status.update("Loading the analyzers …")

    def detected(self, targets: Sequence[Target]) -> None:
        """Say how many targets there are, where that was not said."""
        self._total = self._clock.total = len(targets)
        if targets and self._total != self._announced:
            self._line(f"{counted(self._total, 'function')} to test")

    def preparing(self, what: str) -> None:
        """Say what takes time."""
        self._show(f"{what} …")

    def examining(self, target: Target) -> None:
        """Say which target is examined."""
        self._done += 1
        self._clock.step()
        self._show(f"[{self._done}/{self._total}] {target.id}{_few(target.apis)}")

    def found(self, verdict: Verdict) -> None:
        """Say what was found."""
        match verdict:
            case Finding():
                colour = COLOURS[verdict.level]
                place = escape(_flat(f"{verdict.path}:{verdict.line}"))
                weight = f"[{colour}]{verdict.status} {verdict.level}[/]"
                self._console.print(f"  {weight} {place} {escape(_flat(verdict.title))}".rstrip())
            case Broken():
                self._console.print(f"  [magenta]broken[/] {escape(_flat(verdict.error))}")
            case Skipped() if verdict.reason not in self._reasons:
                self._reasons.add(verdict.reason)
                self._console.print(f"  [dim]not tested: {escape(_flat(verdict.reason))}[/]")
            case Skipped() | LibraryBug():
                pass

    def _show(self, line: str) -> None:
        """Show what is being done: as a line, or in the live one, which tells the time left."""
        if self._status is None:
            self._line(line + time_left(self._clock.left()))
        else:
            self._status.update(LiveLine(_flat(line), self._clock))

    def _line(self, line: str) -> None:
        self._console.print(escape(_flat(line)))


class LiveLine:
    """A line with the time left, worked out whenever the terminal shows it."""

    def __init__(self, line: str, clock: WorkClock) -> None:
        self._line = line
        self._clock = clock

    def __rich__(self) -> Text:
        """Return the text of now, cut to the terminal's width."""
        text = f"{self._line}{time_left(self._clock.left())}"
        return Text(text, no_wrap=True, overflow="ellipsis")

    def __str__(self) -> str:
        """Return the line without the time."""
        return self._line


def _flat(text: str) -> str:
    """Return a text from outside on one line, without what a terminal obeys."""
    return " ".join(inert(text).split())


def _few(apis: Sequence[str]) -> str:
    more = f" and {len(apis) - MOST_APIS} more" if len(apis) > MOST_APIS else ""
    return f" ({', '.join(apis[:MOST_APIS])}{more})" if apis else ""

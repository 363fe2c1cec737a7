"""Progress on standard error: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from analyzers.vocabulary import (
    Broken,
    Finding,
    Level,
    LibraryBug,
    Skipped,
    Target,
    Verdict,
)
from worker.campaign import Listener

MOST_APIS = 5
COLOURS = {Level.FAILURE: "red", Level.WARNING: "yellow", Level.NOTICE: "cyan"}


@contextmanager
def progress_listener(*, quiet: bool) -> Generator[Listener]:
    """A listener that shows progress until the block ends."""
    if quiet:
        yield Silent()
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        yield Progress(console, None)
        return
    with console.status("looking for code that uses ML …") as status:
        yield Progress(console, status)


class Silent:
    """Hears and says nothing."""

    def detected(self, targets: Sequence[Target]) -> None:
        """Say nothing."""

    def preparing(self, what: str) -> None:
        """Say nothing."""

    def examining(self, target: Target) -> None:
        """Say nothing."""

    def found(self, verdict: Verdict) -> None:
        """Say nothing."""


class Progress:
    """Says what is being done and what was found."""

    def __init__(self, console: Console, status: Status | None) -> None:
        self._console = console
        self._status = status
        self._total = 0
        self._done = 0

    def detected(self, targets: Sequence[Target]) -> None:
        """Say how many targets there are."""
        self._total = len(targets)
        if targets:
            plural = "" if self._total == 1 else "s"
            self._console.print(f"{self._total} function{plural} to test")

    def preparing(self, what: str) -> None:
        """Say what takes time."""
        if self._status is None:
            self._console.print(escape(f"{what} …"))
        else:
            self._status.update(escape(f"{what} …"))

    def examining(self, target: Target) -> None:
        """Say which target is examined."""
        self._done += 1
        line = f"[{self._done}/{self._total}] {target.id}{_few(target.apis)}"
        if self._status is None:
            self._console.print(escape(line))
        else:
            self._status.update(escape(line))

    def found(self, verdict: Verdict) -> None:
        """Say what stands."""
        match verdict:
            case Finding():
                colour = COLOURS[verdict.level]
                place = escape(f"{verdict.path}:{verdict.line}")
                weight = f"[{colour}]{verdict.status} {verdict.level}[/]"
                self._console.print(f"  {weight} {place} {escape(verdict.title)}")
            case Broken():
                self._console.print(f"  [magenta]broken[/] {escape(verdict.error)}")
            case Skipped():
                self._console.print(f"  [dim]not tested: {escape(verdict.reason)}[/]")
            case LibraryBug():
                pass


def _few(apis: Sequence[str]) -> str:
    more = f" and {len(apis) - MOST_APIS} more" if len(apis) > MOST_APIS else ""
    return f" ({', '.join(apis[:MOST_APIS])}{more})" if apis else ""

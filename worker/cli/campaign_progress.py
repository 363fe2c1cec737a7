"""Progress of a campaign on standard error."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from analyzers.vocabulary import Finding, Target, Verdict
from worker.check.fuzz_campaign import CampaignCounts
from worker.cli.progress import CheckProgress, SilentListener
from worker.report.report_messages import counted


@contextmanager
def campaign_listener(*, quiet: bool) -> Generator[CampaignSilent | CampaignProgress]:
    """A listener that shows a campaign's progress until the block ends."""
    if quiet:
        yield CampaignSilent()
        return
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if not console.is_terminal:
        yield CampaignProgress(console, None)
        return
    with console.status("looking for models …") as status:
        yield CampaignProgress(console, status)


class CampaignSilent(SilentListener):
    """Hears and says nothing."""

    def spent(self, spent: CampaignCounts) -> None:
        """Say nothing."""

    def ended(self, spent: CampaignCounts) -> None:
        """Say nothing."""


class CampaignProgress(CheckProgress):
    """Says what was run so far on a terminal, and what was spent at the end."""

    def __init__(self, console: Console, status: Status | None) -> None:
        super().__init__(console, status)
        self._found = 0
        self._under_way = ""

    def detected(self, targets: Sequence[Target]) -> None:
        """Say what the campaign is on."""
        self._total = len(targets)

    def examining(self, target: Target) -> None:
        """Say which target is examined."""
        super().examining(target)
        self._under_way = target.id

    def found(self, verdict: Verdict) -> None:
        """Say what stands."""
        self._found += isinstance(verdict, Finding)
        super().found(verdict)

    def spent(self, spent: CampaignCounts) -> None:
        """Say what was run so far; on a terminal alone, where the line is written again."""
        if self._status is not None:
            findings = counted(self._found, "finding")
            self._status.update(escape(f"{self._under_way}: {spent}, {findings}"))

    def ended(self, spent: CampaignCounts) -> None:
        """Say what was spent."""
        self._console.print(escape(f"{spent}"))

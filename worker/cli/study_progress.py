"""Progress of studies of whole libraries, and the divergences that they find."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status

from analyzers.relations.relation_tables import RelationTable
from analyzers.relations.table_rows import ReviewedDivergence
from analyzers.vocabulary.library_relations import Divergence
from worker.cli.relation_tables import SCHEMA, as_json, divergence_row, noted, shown
from worker.report.markdown_escape import inert
from worker.report.report_messages import counted
from worker.studies.library_study import parameters_of
from worker.studies.study_protocol import StudyRequest, StudyResult, StudyUpdate

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

    def heard(self, heard: StudyUpdate) -> None:
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


class DivergenceProgress:
    """Divergences, shown one by one (``aloud``) or together; false ones are only counted."""

    def __init__(
        self, known: RelationTable | None, progress: StudyProgress, *, aloud: bool
    ) -> None:
        self._known = known
        self._progress = progress
        self._aloud = aloud
        self._found: list[ReviewedDivergence] = []
        self._dismissed = 0
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._notes: tuple[str, ...] = ()

    def heard(self, event: StudyUpdate | Divergence | StudyResult) -> None:
        """Tell what came."""
        match event:
            case StudyUpdate():
                self._progress.heard(event)
                self._parameters.update(parameters_of(event))
            case Divergence():
                self._add(event)
            case StudyResult():
                ended = () if event.complete else ("the time was over before all was tried",)
                self._notes = (*event.notes, *ended)

    def told(self, order: StudyRequest, form: str) -> str:
        """Return what is left to tell."""
        if form == "json":
            rows = [divergence_row(each, self._of(each)) for each in self._found]
            return as_json(
                {
                    "schema": SCHEMA,
                    "library": order.library,
                    "version": order.version,
                    "divergences": rows,
                    "dismissed": self._dismissed,
                    "notes": list(self._notes),
                }
            )
        lines = [] if self._aloud else [self._text(each) for each in self._found]
        lines += noted(self._notes)
        if self._dismissed:
            lines.append(f"{self._dismissed} more that were judged to be none")
        return "\n".join([*lines, counted(len(self._found), "divergence"), ""])

    def _add(self, divergence: Divergence) -> None:
        identity = (divergence.api, divergence.relation, divergence.related)
        if self._known and identity in self._known.dismissed([divergence.api]):
            self._dismissed += 1
            return
        judged = self._judged(divergence)
        self._found.append(judged)
        if self._aloud:
            with self._progress.aside():
                click.echo(self._text(judged))

    def _judged(self, divergence: Divergence) -> ReviewedDivergence:
        for each in self._known.judged([divergence.api]) if self._known else ():
            like = each.divergence
            if (like.relation, like.related) == (divergence.relation, divergence.related):
                return ReviewedDivergence(replace(divergence, note=like.note), each.verdict)
        return ReviewedDivergence(divergence)

    def _text(self, judged: ReviewedDivergence) -> str:
        return "\n".join([*shown(judged, self._of(judged)), ""])

    def _of(self, judged: ReviewedDivergence) -> Sequence[str]:
        name = judged.divergence.api
        known = self._known.known([name]) if self._known else ()
        return self._parameters.get(name) or next((each.parameters for each in known), ())

"""What is told of divergences while they are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from analyzers.relations.rows import Judged
from analyzers.relations.table import Table
from analyzers.vocabulary.relations import Divergence
from worker.cli.studying import StudyProgress
from worker.cli.tables import SCHEMA, as_json, divergence_row, noted, shown
from worker.relations import Heard, Order, Studied, parameters_of
from worker.report.wording import counted


class Fuzzed:
    """What is told of divergences: each as it comes (``aloud``), or all together.

    Those that a person has judged to be none are counted alone.
    """

    def __init__(self, known: Table | None, progress: StudyProgress, *, aloud: bool) -> None:
        self._known = known
        self._progress = progress
        self._aloud = aloud
        self._found: list[Judged] = []
        self._dismissed = 0
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._notes: tuple[str, ...] = ()

    def heard(self, event: Heard | Divergence | Studied) -> None:
        """Tell what came."""
        match event:
            case Heard():
                self._progress.heard(event)
                self._parameters.update(parameters_of(event))
            case Divergence():
                self._add(event)
            case Studied():
                ended = () if event.complete else ("the time was over before all was tried",)
                self._notes = (*event.notes, *ended)

    def told(self, order: Order, form: str) -> str:
        """What is left to tell."""
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

    def _judged(self, divergence: Divergence) -> Judged:
        """The divergence with what the table says of one like it."""
        for each in self._known.judged([divergence.api]) if self._known else ():
            like = each.divergence
            if (like.relation, like.related) == (divergence.relation, divergence.related):
                return Judged(replace(divergence, note=like.note), each.verdict)
        return Judged(divergence)

    def _text(self, judged: Judged) -> str:
        return "\n".join([*shown(judged, self._of(judged)), ""])

    def _of(self, judged: Judged) -> Sequence[str]:
        """The parameters of its API."""
        name = judged.divergence.api
        known = self._known.known([name]) if self._known else ()
        return self._parameters.get(name) or next((each.parameters for each in known), ())

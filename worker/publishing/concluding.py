"""Finishing a run's check run: conclusion, text, buttons and annotations."""

from __future__ import annotations

import logging
from functools import partial

from worker.composition.check_output import CheckOutput
from worker.github import checks
from worker.github.errors import RefusedError
from worker.publishing.announcing import announced
from worker.publishing.desk import Desk
from worker.publishing.place import CHECK_PERMISSIONS, Place
from worker.store import RunRecord

COMPLETED = "completed"
LONGEST_PLAIN_TITLE = 60

_log = logging.getLogger(__name__)


def conclude(run: RunRecord, place: Place, output: CheckOutput, desk: Desk) -> None:
    """Complete a run's check run; it is made where it was never announced.

    The conclusion is sent first and alone, so that what gates a merge never
    waits for the rest.  Annotations follow, as far as they do not stand:
    GitHub adds them up and takes none back.  Where GitHub refuses a text,
    the conclusion is told without it.
    """
    check_run = announced(run, place, desk)
    try:
        _update(place, check_run, _completed(run, output, desk), desk)
    except RefusedError as error:
        _log.error("GitHub refused what run %s says: %s", run.id, error.message)
        _update(place, check_run, _completed(run, _wordless(run, output, desk), desk), desk)
        return
    if output.annotations:
        _annotate(place, check_run, output, desk)


def is_concluded(place: Place, check_run: int, desk: Desk) -> bool:
    """Whether a check run is completed already."""
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    return checks.get(api, place.name, check_run).status == COMPLETED


def _completed(run: RunRecord, output: CheckOutput, desk: Desk) -> checks.Check:
    return checks.Check(
        status="completed",
        conclusion=output.conclusion.value,
        details_url=desk.links.run(run.id, run.job.private),
        started_at=run.started_at,
        completed_at=run.finished_at,
        output=_shown(output),
        actions=output.actions,
    )


def _annotate(place: Place, check_run: int, output: CheckOutput, desk: Desk) -> None:
    """Send the batches that the check run does not have yet; one may be refused."""
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    there = checks.get(api, place.name, check_run).output.annotations_count
    count = 0
    for batch in output.annotations:
        count += len(batch)
        if count > there:
            try:
                _update(place, check_run, checks.Check(output=_shown(output, batch)), desk)
            except RefusedError as error:
                _log.warning("GitHub refused annotations: %s", error.message)


def _update(place: Place, check_run: int, change: checks.Check, desk: Desk) -> None:
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    desk.pen(place.installation).edit(partial(checks.update, api, place.name, check_run, change))


def _wordless(run: RunRecord, output: CheckOutput, desk: Desk) -> CheckOutput:
    page = desk.links.run(run.id, run.job.private)
    where = f"It is in the [full report]({page})." if page else "It is in the full report."
    said = f"GitHub did not take what there is to say. {where}"
    return CheckOutput(output.conclusion, output.title[:LONGEST_PLAIN_TITLE], said)


def _shown(output: CheckOutput, notes: tuple[checks.Annotation, ...] = ()) -> checks.Output:
    return checks.Output(output.title, output.summary, output.text, notes)

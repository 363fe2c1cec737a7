"""What a run is doing, told on its check run now and then."""

from __future__ import annotations

from worker.github import checks
from worker.publishing.announcing import STARTED, announced, found_run
from worker.publishing.desk import Desk
from worker.publishing.place import CHECK_PERMISSIONS, Place, place_of
from worker.report.escape import plain
from worker.store import ErrandRecord, RunRecord, RunState

COMPLETED = "completed"


def progress(errand: ErrandRecord, desk: Desk) -> None:
    """Say what a run is doing, if it is under way and that is not said yet.

    Nothing is told of a run that is over: its conclusion stands, or comes.
    """
    run = found_run(errand, desk)
    place = None if run is None else place_of(run, desk)
    if run is None or place is None or run.state is not RunState.RUNNING:
        return
    check_run = announced(run, place, desk)
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    standing = checks.get(api, place.name, check_run)
    wanted = _doing(run)
    if not _says(standing, wanted) and _is_running(run, desk):
        _tell(place, check_run, wanted, desk)


def _doing(run: RunRecord) -> checks.Check:
    said = plain(run.progress) if run.progress else ""
    output = checks.Output(STARTED.title, said) if said else STARTED
    return checks.Check(status="in_progress", started_at=run.started_at, output=output)


def _says(standing: checks.CheckRun, wanted: checks.Check) -> bool:
    """Whether a check run says this already, or says how it ended."""
    if standing.status == COMPLETED:
        return True
    assert wanted.output is not None
    return standing.status == wanted.status and standing.output.summary == wanted.output.summary


def _is_running(run: RunRecord, desk: Desk) -> bool:
    with desk.store.look() as books:
        now = books.runs.get(run.id)
    return now is not None and now.state is RunState.RUNNING


def _tell(place: Place, check_run: int, wanted: checks.Check, desk: Desk) -> None:
    api = desk.api(place.installation, place.repository, **CHECK_PERMISSIONS)
    desk.pen(place.installation).edit(lambda: checks.update(api, place.name, check_run, wanted))
